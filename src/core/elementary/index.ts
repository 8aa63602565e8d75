/**
 * exp, log, the trigonometric and hyperbolic functions and powers, by additions, multiplications, divisions and square roots only, which every machine
 * rounds alike: those of `Math` differ in the last digit between JavaScript engines.
 */
export { binaryExponent } from './bits.ts';
export { exp, expm1 } from './exponential.ts';
export { acosh, asinh, atanh, cosh, sinh, tanh } from './hyperbolic.ts';
export { acos, asin, atan, atan2 } from './inverseTrigonometric.ts';
export { log, log1p } from './logarithm.ts';
export { pow, square } from './power.ts';
export { cos, sin, tan } from './trigonometric.ts';
