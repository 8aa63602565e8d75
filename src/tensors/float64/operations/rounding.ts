import { elementwise } from './elementwise.ts';

/** Sign, modulus and the ways to an integer. */
export function registerRounding(): void {
  elementwise('Neg', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = -x[i]!;
  });
  elementwise('Abs', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.abs(x[i]!);
  });
  // NaN has sign 0, as on the other backends.
  elementwise('Sign', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = v > 0 ? 1 : v < 0 ? -1 : 0;
    }
  });
  elementwise('Floor', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.floor(x[i]!);
  });
  elementwise('Ceil', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.ceil(x[i]!);
  });
  // Halves go to the even neighbour.
  elementwise('Round', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      const below = Math.floor(v);
      const fraction = v - below;
      y[i] = fraction < 0.5 ? below : fraction > 0.5 ? Math.ceil(v) : below % 2 === 0 ? below : below + 1;
    }
  });
}
