import { log, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import type { SparseTerms } from '../../engine/sparse/index.ts';
import type { Prediction } from '../../model/posterior.ts';
import { observedPatterns } from '../../processes/covariance/covariance.ts';
import { type ConditionedField, conditionedField } from './conditionedField.ts';

/** Fractions of a column's variance that are tried before a search between two of them, and bisections of that interval. */
const SHARES = 16;
const HALVINGS = 60;
/** Gain in log pseudo-likelihood that may be due to rounding, as for equal variances. */
const ROUNDING = 1e-9;

/** The field's conditional variances, unchanged. */
const AS_THE_FIELD = { scale: 1, constant: 0 };

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
 * Missing entries (NaN) of columns over the points of a field, each replaced by its mean given the observed entries of the same column: see {@link
 * conditionedField}. Columns that are observed at the same points share a factor.
 *
 * A column may have any unit, and may follow the field more or less closely than the columns that the field was fitted to. Its variances are
 * therefore s_d²·((1 − u_d)·V + u_d·V̄): the conditional variances V under Q, in the column's scale, and an unexplained variance that is the same at
 * all points. s_d and 0 ≤ u_d ≤ 1 maximize the pseudo-likelihood of the column's observed entries, with e_i = y_i − E[y_i | the other observed
 * entries] of variance s_d²·((1 − u_d)·V_i + u_d·V̄), with V_i = Var[y_i | the other observed entries] and V̄ their mean. Columns that are constant
 * or have a single observation have s_d = 1 and u_d = 0.
 *
 * @see Besag, J. R. Statist. Soc. B 36 (1974), on the pseudo-likelihood
 * @param precision - Q of the field, N×N
 * @param Y - N×D, any columns over the same points
 * @param isCalibrated - false keeps the conditional variances under Q, s_d = 1 and u_d = 0
 * @returns the mean, equal to Y where Y is observed, and the conditional variance in the column's scale, 0 where Y is observed; both N×D
 * @throws InvalidInputError unless Y has N rows and each column has an observation
 */
export function imputedByField(precision: SparseTerms, Y: Matrix, isCalibrated = true): Prediction {
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
      const { scale, constant } = isCalibrated ? columnVariance(column, rows, completed, field) : AS_THE_FIELD;
      for (const i of missing) {
        mean.data[i * Y.columns + d] = completed[i]!;
        variance.data[i * Y.columns + d] = scale * variances[i]! + constant;
      }
    }
  }
  return { mean, variance };
}

/** Factor of a column's conditional variances under Q, and the constant added to them: s²·(1 − u) and s²·u·V̄. */
function columnVariance(column: Float64Array, rows: Int32Array, completed: Float64Array, field: ConditionedField) {
  if (rows.every((i) => column[i] === column[rows[0]!])) return AS_THE_FIELD;
  const residuals = field.residuals(completed);
  const precisions = field.precisions();
  const own = Array.from(rows, (i) => ({ square: square(residuals[i]!), variance: 1 / precisions[i]! }));
  const mean = own.reduce((sum, { variance }) => sum + variance, 0) / own.length;
  const at = (u: number, variance: number) => (1 - u) * variance + u * mean;
  const scaleAt = (u: number) => own.reduce((sum, one) => sum + one.square / at(u, one.variance), 0) / own.length;
  /** Minus twice the log pseudo-likelihood at the best scale, up to a constant. */
  const loss = (u: number) =>
    own.reduce((sum, { variance }) => sum + log(at(u, variance)), own.length * log(scaleAt(u)));
  const slope = (u: number) => {
    const scale = scaleAt(u);
    return own.reduce((sum, one) => {
      const variance = at(u, one.variance);
      return sum + ((mean - one.variance) / variance) * (1 - one.square / (scale * variance));
    }, 0);
  };
  let best = 0;
  for (let n = 1; n <= SHARES; n++) if (loss(n / SHARES) < loss(best / SHARES) - ROUNDING) best = n;
  // The loss is least at an end, or where its slope changes its sign.
  let [low, high] = [Math.max(0, best - 1) / SHARES, Math.min(SHARES, best + 1) / SHARES];
  if (slope(low) >= 0) high = low;
  else if (slope(high) <= 0) low = high;
  for (let halvings = 0; halvings < HALVINGS && low < high; halvings++) {
    const middle = (low + high) / 2;
    if (slope(middle) < 0) low = middle;
    else high = middle;
  }
  const scale = scaleAt(low);
  return { scale: scale * (1 - low), constant: scale * low * mean };
}

/** Q with an entry, 0 if new, for any two missing points with a common observed neighbor. */
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
