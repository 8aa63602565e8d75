import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';

/** Columns of Y that are observed in the same rows, so that they share a covariance and its factor. */
export interface ObservedPattern {
  /** Indices of the rows in which they are observed, ascending. */
  readonly rows: Int32Array;
  /** Indices of the columns in Y, ascending. */
  readonly columns: Int32Array;
  /** Their observed entries, rows × columns. */
  readonly observations: Matrix;
}

/**
 * Groups the columns of Y by the pattern of their missing entries (NaN), in the order of their first column. Y without missing entries is one
 * pattern.
 *
 * @throws InvalidInputError if a column has no observation
 */
export function observedPatterns(Y: Matrix): ObservedPattern[] {
  const { rows: N, columns: D } = Y;
  if (!Y.data.some(Number.isNaN)) return [{ rows: firstIntegers(N), columns: firstIntegers(D), observations: Y }];
  const patterns = new Map<string, { rows: number[]; columns: number[] }>();
  for (let j = 0; j < D; j++) {
    const rows = Array.from({ length: N }, (_, i) => i).filter((i) => !Number.isNaN(Y.at(i, j)));
    if (rows.length === 0) {
      throw new InvalidInputError(`Column ${j} of the observations holds missing entries only. Drop that column.`);
    }
    const key = rows.join();
    const pattern = patterns.get(key);
    if (pattern === undefined) patterns.set(key, { rows, columns: [j] });
    else pattern.columns.push(j);
  }
  return [...patterns.values()].map(({ rows, columns }) => {
    const data = rows.flatMap((i) => columns.map((j) => Y.at(i, j)));
    return {
      rows: Int32Array.from(rows),
      columns: Int32Array.from(columns),
      observations: new Matrix(Float64Array.from(data), rows.length, columns.length),
    };
  });
}

function firstIntegers(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => i);
}
