import { acos, acosh, asin, asinh, atan, atanh, cos, cosh, sin, sinh, tan } from '../../../core/elementary/index.ts';
import { elementwise } from './elementwise.ts';

/** Trigonometric and hyperbolic functions, but for tanh, and their inverses. */
export function registerTrigonometric(): void {
  elementwise('Sin', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = sin(x[i]!);
  });
  elementwise('Cos', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = cos(x[i]!);
  });
  elementwise('Tan', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = tan(x[i]!);
  });
  elementwise('Asin', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = asin(x[i]!);
  });
  elementwise('Acos', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = acos(x[i]!);
  });
  elementwise('Atan', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = atan(x[i]!);
  });
  elementwise('Sinh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = sinh(x[i]!);
  });
  elementwise('Cosh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = cosh(x[i]!);
  });
  elementwise('Asinh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = asinh(x[i]!);
  });
  elementwise('Acosh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = acosh(x[i]!);
  });
  elementwise('Atanh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = atanh(x[i]!);
  });
}
