import { log, square } from '../../core/elementary/index.ts';
import { lazily } from '../../core/progressiveWork.ts';
import type { SparseTerms } from '../../engine/sparse/index.ts';
import {
  analyze,
  entryOf,
  factorize,
  logDeterminant,
  selectedInverse,
  solve,
  sparseSymmetric,
} from '../../engine/sparse/index.ts';
import { dot } from '../../engine/vectors.ts';

/** A random field with unknown mean, conditioned on its values at all points except some. */
export interface ConditionedField {
  /** log|Q'_mm| */
  readonly logDeterminant: number;
  /** A copy of the field with the entries at missing points, regardless of their values, replaced by their conditional mean. */
  completed(values: Float64Array): Float64Array;
  /**
   * P_ii = 1/Var[y_i | the other observations] for each observed point, 0 at missing ones. Q must have an entry, possibly 0, for any two missing
   * points with a common observed neighbor.
   */
  precisions(): Float64Array;
  /** y_i − E[y_i | the other observations] for each observed point of a completed column, 0 at missing ones. */
  residuals(completed: Float64Array): Float64Array;
  /** Conditional variance at every point, 0 at observed ones; N numbers. */
  variances(): Float64Array;
  /** Conditional covariance of pairs of points with an entry in Q, 0 unless both are missing. */
  covariances(sources: Int32Array, targets: Int32Array): Float64Array;
  /** V, row by row, m×m for m missing points. */
  covariance(): Float64Array;
}

/**
 * The field of precision Q around an unknown mean with a flat prior, the same for all points, conditioned on its values y_o at some points. With the
 * mean integrated out, the precision is Q' = Q − Q11ᵀQ/(1ᵀQ1), which is L + λI − λ11ᵀ/N for Q = L + λI, and
 *
 * E[y_m | y_o] = −Q'_mm⁻¹·Q'_mo·y_o,  V = Cov[y_m | y_o] = Q'_mm⁻¹.
 *
 * A sparse factor of Q_mm suffices, since Q'_mm differs from it by a matrix of rank one.
 *
 * @param precision - Q, N×N
 * @param missing - the points that are not observed, ascending; at least one point must be observed
 * @see Rue & Held 2005, theorem 2.5
 */
export function conditionedField(precision: SparseTerms, missing: Int32Array): ConditionedField {
  const { size: N, rows, columns, values } = precision;
  const m = missing.length;
  const place = new Int32Array(N).fill(-1);
  missing.forEach((i, a) => {
    place[i] = a;
  });
  const inside = Int32Array.from(rows.keys()).filter((e) => place[rows[e]!]! >= 0 && place[columns[e]!]! >= 0);
  const block = sparseSymmetric(
    m,
    inside.map((e) => place[rows[e]!]!),
    inside.map((e) => place[columns[e]!]!),
    Float64Array.from(inside, (e) => values[e]!),
  );
  const factor = factorize(analyze(block.pattern), block.values);
  const ones = new Float64Array(N).fill(1);
  const sums = times(precision, ones);
  const q = Float64Array.from(missing, (i) => sums[i]!);
  const z = solve(factor, q);
  const total = sums.reduce((sum, entry) => sum + entry, 0);
  const rest = total - dot(q, z);
  let inverse: Float64Array | undefined;
  /** Entry of Q_mm⁻¹, for two missing points with an entry in Q. */
  const inverseEntry = (a: number, b: number) => {
    inverse ??= selectedInverse(factor);
    return inverse[entryOf(block.pattern, Math.max(a, b), Math.min(a, b))]!;
  };
  /** The same for V. */
  const entry = (a: number, b: number) => inverseEntry(a, b) + (z[a]! * z[b]!) / rest;
  /** P_ii for P = Q'_oo − Q'_om·V·Q'_mo, with b = Q_mi: Q_ii − bᵀ·Q_mm⁻¹·b − (q_i − bᵀz)²/rest. */
  const precisions = lazily((): Float64Array => {
    const P = new Float64Array(N);
    const beside = Array.from(place, (): { readonly a: number; readonly value: number }[] => []);
    values.forEach((value, e) => {
      const [i, j] = [rows[e]!, columns[e]!];
      if (i === j) P[i]! += value;
      else if (place[i]! < 0 && place[j]! >= 0) beside[i]!.push({ a: place[j]!, value });
      else if (place[j]! < 0 && place[i]! >= 0) beside[j]!.push({ a: place[i]!, value });
    });
    for (let i = 0; i < N; i++) {
      if (place[i]! >= 0) continue;
      let left = sums[i]!;
      for (const one of beside[i]!) {
        left -= one.value * z[one.a]!;
        for (const other of beside[i]!) P[i]! -= one.value * other.value * inverseEntry(one.a, other.a);
      }
      P[i]! -= square(left) / rest;
    }
    return P;
  });
  return {
    logDeterminant: logDeterminant(factor) + log(rest / total),
    completed: (y) => {
      let mean = 0;
      for (let i = 0; i < N; i++) if (place[i]! < 0) mean += y[i]! / (N - m);
      const observed = y.map((entry, i) => (place[i]! < 0 ? entry - mean : 0));
      const common = dot(sums, observed) / total;
      const pulled = times(precision, observed);
      const right = Float64Array.from(missing, (i, a) => q[a]! * common - pulled[i]!);
      const shift = dot(z, right) / rest;
      const found = solve(factor, right);
      return y.map((entry, i) => {
        const a = place[i]!;
        return a < 0 ? entry : mean + found[a]! + z[a]! * shift;
      });
    },
    precisions,
    residuals: (y) => {
      const mean = y.reduce((sum, entry) => sum + entry / N, 0);
      const centered = y.map((entry) => entry - mean);
      const common = dot(sums, centered) / total;
      const pulled = times(precision, centered);
      return Float64Array.from(place, (a, i) => (a < 0 ? (pulled[i]! - sums[i]! * common) / precisions()[i]! : 0));
    },
    variances: () => Float64Array.from(place, (a) => (a < 0 ? 0 : entry(a, a))),
    covariances: (sources, targets) =>
      Float64Array.from(sources, (i, e) => {
        const [a, b] = [place[i]!, place[targets[e]!]!];
        return a < 0 || b < 0 ? 0 : entry(a, b);
      }),
    covariance: () => {
      const V = new Float64Array(m * m);
      const unit = new Float64Array(m);
      for (let a = 0; a < m; a++) {
        unit[a] = 1;
        V.set(solve(factor, unit), a * m);
        unit[a] = 0;
        for (let b = 0; b < m; b++) V[a * m + b]! += (z[a]! * z[b]!) / rest;
      }
      return V;
    },
  };
}

/** Q·x. */
function times({ rows, columns, values }: SparseTerms, x: Float64Array): Float64Array {
  const product = new Float64Array(x.length);
  values.forEach((value, e) => {
    const i = rows[e]!;
    const j = columns[e]!;
    product[i]! += value * x[j]!;
    if (i !== j) product[j]! += value * x[i]!;
  });
  return product;
}
