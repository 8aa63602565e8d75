import { square } from '../../../core/elementary/index.ts';
import { Matrix } from '../../../core/matrix.ts';
import { symmetricEigenpairs } from '../../../numerics/dense/eigenpairs.ts';
import { signOfLargest } from '../../../numerics/typescript/symmetricEigen.ts';

/** Columns that are orthogonal, and their squared norms, descending. */
interface PrincipalColumns {
  /** N×r, the entry of largest modulus in each column positive. */
  readonly columns: Matrix;
  /** r entries: the eigenvalues of YᵀY, and those of YYᵀ that may differ from 0. */
  readonly eigenvalues: Float64Array;
}

/** The rotation of an N×r array onto its principal axes: V·Λ^½ of YYᵀ, from the r×r matrix YᵀY. */
export function principalColumns(Y: Float64Array, r: number): PrincipalColumns {
  const N = Y.length / r;
  const moments = Matrix.zeros(r, r);
  for (let p = 0; p < Y.length; p += r) {
    for (let a = 0; a < r; a++) for (let b = 0; b <= a; b++) moments.data[a * r + b]! += Y[p + a]! * Y[p + b]!;
  }
  for (let a = 0; a < r; a++) for (let b = 0; b < a; b++) moments.data[b * r + a] = moments.data[a * r + b]!;
  const { vectors } = symmetricEigenpairs(moments);
  const columns = Matrix.zeros(N, r);
  const eigenvalues = new Float64Array(r);
  for (let c = 0; c < r; c++) {
    const column = new Float64Array(N);
    for (let i = 0; i < N; i++) {
      for (let a = 0; a < r; a++) column[i]! += Y[i * r + a]! * vectors.at(a, r - 1 - c);
    }
    const sign = signOfLargest(column, 0, N);
    for (let i = 0; i < N; i++) {
      columns.data[i * r + c] = sign * column[i]!;
      eigenvalues[c]! += square(column[i]!);
    }
  }
  return { columns, eigenvalues };
}
