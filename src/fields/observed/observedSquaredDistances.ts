import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';

/**
 * Squared distances between a row and every row of Y over the entries of the row that are observed (not NaN), times D over their number.
 *
 * A field of c copies that sees |O| of a row's D columns has |O|/D as many copies there to say what its weights are, so the optimality
 * condition c·|O|/D·M = Σ_O (y_*d − y_jd)² is that of c copies at this distance.
 */
export function observedSquaredDistances({ data, rows: N, columns: D }: Matrix): (row: Float64Array) => Float64Array {
  return (row) => {
    const observed = Int32Array.from(row.keys()).filter((d) => !Number.isNaN(row[d]));
    const part = D / observed.length;
    return Float64Array.from({ length: N }, (_, j) => {
      let sum = 0;
      for (const d of observed) sum += square(row[d]! - data[j * D + d]!);
      return observed.length === D ? sum : sum * part;
    });
  };
}
