import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import type { SparseTerms } from '../../engine/sparse/index.ts';
import type { Prediction } from '../../model/posterior.ts';
import { observedPatterns } from '../../processes/covariance/observedData.ts';
import { conditionedField } from './conditionedField.ts';

/** L + λI as a sum of entries. */
export function laplacianTerms({ size: N, sources, targets, weights }: Graph, basePrecision: number): SparseTerms {
  const diagonal = new Float64Array(N).fill(basePrecision);
  weights.forEach((weight, e) => {
    diagonal[sources[e]!]! += weight;
    diagonal[targets[e]!]! += weight;
  });
  const count = N + sources.length;
  const ends = (of: Int32Array) => Int32Array.from({ length: count }, (_, e) => (e < N ? e : of[e - N]!));
  return {
    size: N,
    rows: ends(sources),
    columns: ends(targets),
    values: Float64Array.from({ length: count }, (_, e) => (e < N ? diagonal[e]! : -weights[e - N]!)),
  };
}

/**
 * Missing entries (NaN) of columns over the points of a field, each at its mean given the observed entries of its own column: see
 * {@link conditionedField}. Columns that are observed at the same points share a factor.
 *
 * Each column has a scale of its own, y_d ~ N(m_d·1, s_d²·Q⁻¹), as it may come in any unit, and vary more or less than those by which the field was fitted: variances are
 * s_d²·V, where s_d² is the mean of (y_i − E[y_i | the other observed entries])²/Var[y_i | them] over the observed entries of the column, by which it maximises their
 * pseudo-likelihood; 1 for a column of one observation, and for one that is constant. The form ŷ_dᵀQ'ŷ_d/(n_d − 1), which has the same mean under Q, is less where Q was
 * learned from few columns: a weight's error tells most where all other points are given, as they are of a missing entry.
 *
 * @see Besag, J. R. Statist. Soc. B 36 (1974), on the pseudo-likelihood
 * @param precision - Q of the field, N×N
 * @param Y - N×D, any columns over the same points
 * @returns the mean, equal to Y where that is observed, and the conditional variance in the column's scale, 0 there; both N×D
 * @throws InvalidInputError when Y has not N rows, or a column holds no observation at all
 */
export function imputedByField(precision: SparseTerms, Y: Matrix): Prediction {
  if (Y.rows !== precision.size) {
    throw new InvalidInputError(
      `impute takes columns over the ${precision.size} points that were fitted, but a ${Y.rows}×${Y.columns} matrix was given. Use project and reconstruct for new points.`,
    );
  }
  const mean = Matrix.from(Y);
  const variance = Matrix.zeros(Y.rows, Y.columns);
  for (const { rows, columns } of observedPatterns(Y)) {
    if (rows.length === Y.rows) continue;
    const observed = new Set(rows);
    const missing = Int32Array.from({ length: Y.rows }, (_, i) => i).filter((i) => !observed.has(i));
    const field = conditionedField(withPairs(precision, observed), missing);
    const variances = field.variances();
    for (const d of columns) {
      const column = Y.column(d);
      const completed = field.completed(column);
      const varies = rows.some((i) => column[i] !== column[rows[0]!]);
      const scale = varies ? field.squaredResiduals(completed).reduce((sum, entry) => sum + entry, 0) / rows.length : 1;
      for (const i of missing) {
        mean.data[i * Y.columns + d] = completed[i]!;
        variance.data[i * Y.columns + d] = scale * variances[i]!;
      }
    }
  }
  return { mean, variance };
}

/** Q with an entry, of 0 where there is none, for any two missing points that have one beside the same observed point. */
function withPairs({ size, rows, columns, values }: SparseTerms, observed: ReadonlySet<number>): SparseTerms {
  const beside = new Map<number, number[]>();
  rows.forEach((i, e) => {
    const j = columns[e]!;
    if (observed.has(i) === observed.has(j)) return;
    const [at, missing] = observed.has(i) ? [i, j] : [j, i];
    const list = beside.get(at);
    if (list === undefined) beside.set(at, [missing]);
    else list.push(missing);
  });
  const pairs = [...beside.values()].flatMap((list) => list.flatMap((j, a) => list.slice(0, a).map((k) => [j, k])));
  return {
    size,
    rows: Int32Array.from([...rows, ...pairs.map(([j]) => j!)]),
    columns: Int32Array.from([...columns, ...pairs.map(([, k]) => k!)]),
    values: Float64Array.from([...values, ...pairs.map(() => 0)]),
  };
}
