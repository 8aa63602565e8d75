/**
 * Elementary functions from additions, multiplications, divisions and square roots only, which every machine rounds alike. The functions of `Math`
 * differ between JavaScript engines in the last digit.
 */
export {
  acosh,
  asinh,
  atanh,
  binaryExponent,
  cosh,
  exp,
  expm1,
  log,
  log1p,
  pow,
  sinh,
  square,
  tanh,
} from './exponential.ts';
export { acos, asin, atan, atan2, cos, sin, tan } from './trigonometric.ts';
