import { Matrix } from '../core/matrix.ts';
import { seededRandom } from '../core/random.ts';

/** Standard normal points (rows×columns). */
export function randomPoints(rows: number, columns: number, seed: number): Matrix {
  const { normal } = seededRandom(seed);
  return new Matrix(Float64Array.from({ length: rows * columns }, normal), rows, columns);
}

/** The points with the first one in the place of the second and the last as well. */
export function withCoincident(X: Matrix): Matrix {
  const rows = X.toArrays();
  return Matrix.from(rows.map((row, i) => (i === 1 || i === rows.length - 1 ? rows[0]! : row)));
}
