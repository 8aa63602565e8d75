import { Matrix } from '../../core/matrix.ts';

/** c·I, n×n. */
export const scaledIdentity = (n: number, c = 1): Matrix => Matrix.zeros(n, n).map((_, i, j) => (i === j ? c : 0));

/** Symmetric matrix, n×n, of the entries on and below its diagonal. */
export function symmetricMatrix(n: number, entry: (i: number, j: number) => number): Matrix {
  const result = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) result.data[i * n + j] = result.data[j * n + i] = entry(i, j);
  }
  return result;
}
