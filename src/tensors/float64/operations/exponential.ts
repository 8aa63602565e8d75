import { expm1, log1p } from '../../../core/elementary/index.ts';
import { elementwise } from './elementwise.ts';

/** exp and log near 1, and the powers that have a name. */
export function registerExponential(): void {
  elementwise('Expm1', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = expm1(x[i]!);
  });
  elementwise('Log1p', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = log1p(x[i]!);
  });
  elementwise('Sqrt', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.sqrt(x[i]!);
  });
  elementwise('Rsqrt', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = 1 / Math.sqrt(x[i]!);
  });
  elementwise('Square', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = v * v;
    }
  });
  elementwise('Reciprocal', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = 1 / x[i]!;
  });
}
