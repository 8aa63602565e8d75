/**
 * exp, log, the trigonometric and hyperbolic functions and powers, by additions, multiplications, divisions and square roots only, which every machine
 * rounds alike: those of `Math` differ in the last digit between JavaScript engines.
 */
export { acosh, asinh, atanh, binaryExponent, cosh, exp, expm1, log, log1p, sinh, tanh } from './exponential.ts';
export { pow, square } from './power.ts';
export { acos, asin, atan, atan2, cos, sin, tan } from './trigonometric.ts';
