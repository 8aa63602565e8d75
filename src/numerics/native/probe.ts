import type { Routines } from './routines.ts';

/**
 * Tries a library on matrices of order 2, in 64-byte buffers of its own: A = [4 2; 2 10] has the factor L = [2 0; 1 3] and
 * LLᵀ = A. Returns what is wrong, or undefined.
 */
export function probe(routines: Routines, address: (buffer: ArrayBuffer) => number): string | undefined {
  const buffer = new ArrayBuffer(64);
  const start = address(buffer);
  const [lower, product] = [new Float64Array(buffer, 0, 4), new Float64Array(buffer, 32, 4)];
  // The upper triangle must be left alone.
  lower.set([4, 7, 2, 10]);
  const status = routines.dpotrf(2, start, 2);
  if (status !== 0 || !equal(lower, [2, 7, 1, 3])) {
    return `its dpotrf factors [4 2; 2 10] wrongly (status ${status}, lower triangle ${lower[0]}, ${lower[2]}, ${lower[3]})`;
  }
  lower[1] = 0;
  product.fill(Number.NaN);
  routines.dgemm('T', 'N', 2, 2, 2, 1, start, 2, start, 2, 0, start + 32, 2);
  return equal(product, [4, 2, 2, 10]) ? undefined : `its dgemm multiplies wrongly (${product.join(', ')})`;
}

function equal(actual: Float64Array, expected: readonly number[]): boolean {
  return actual.every((value, i) => Math.abs(value - expected[i]!) < 1e-14);
}
