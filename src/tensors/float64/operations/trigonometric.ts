import { elementwise } from './elementwise.ts';

/** Trigonometric and hyperbolic functions, but for tanh, and their inverses. */
export function registerTrigonometric(): void {
  elementwise('Sin', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.sin(x[i]!);
  });
  elementwise('Cos', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.cos(x[i]!);
  });
  elementwise('Tan', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.tan(x[i]!);
  });
  elementwise('Asin', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.asin(x[i]!);
  });
  elementwise('Acos', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.acos(x[i]!);
  });
  elementwise('Atan', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.atan(x[i]!);
  });
  elementwise('Sinh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.sinh(x[i]!);
  });
  elementwise('Cosh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.cosh(x[i]!);
  });
  elementwise('Asinh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.asinh(x[i]!);
  });
  elementwise('Acosh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.acosh(x[i]!);
  });
  elementwise('Atanh', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.atanh(x[i]!);
  });
}
