import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import type { Edges } from '../../numerics/graph/graph.ts';
import type { FieldFactor } from '../density/fieldFactor.ts';
import { conditionedField } from './conditionedField.ts';
import { laplacianTerms } from './imputedByField.ts';
import { missingPatterns } from './missingPatterns.ts';

/** What observations with missing entries say about the weights of a field. */
export interface ObservedValue {
  /** The log density of the observed entries, without constants. */
  readonly value: number;
  /** R_e = U_ii + U_jj − 2U_ij. */
  readonly resistances: Float64Array;
  /** E[φ_e | observed entries], one of each edge. */
  readonly expectedDistances: Float64Array;
}

/**
 * The density of what is observed of Y, N×D with missing entries (NaN), when its columns are copies of the field of precision
 * Q = L(w) + λI about means that are not known:
 *
 * D/2·log|Q| − ½·Σ_d [log|Q'_mm| + ŷ_dᵀQ'ŷ_d − λ·Σ_o (y_od − mean_d)²],
 *
 * m the missing entries of column d, ŷ_d the column with these at their conditional means, Q' = Q − λ11ᵀ/N. Without missing entries that
 * is D/2·log|Q| − ½·Σ_e w_e·φ_e. Its gradient is D/2·R_e − ½·E[φ_e | observed entries] (Fisher's identity) with
 *
 * E[φ_e] = Σ_d (ŷ_id − ŷ_jd)² + V_ii + V_jj − 2V_ij, V = Q'_mm⁻¹ of column d and 0 elsewhere,
 *
 * so maximising D/2·log|Q| − ½·Σ_e w_e·E[φ_e] over w is the M-step of EM, and never lowers it.
 *
 * @see Dempster, Laird & Rubin 1977
 */
export function observedField(Y: Matrix, edges: Edges, factor: FieldFactor, basePrecision: number) {
  const { rows: N, columns: D } = Y;
  const { sources, targets } = edges;
  const patterns = missingPatterns(Y);
  const observedSpread = Float64Array.from({ length: D }, (_, d) =>
    spread(Y.column(d).filter((entry) => !Number.isNaN(entry))),
  );
  return (weights: Float64Array): ObservedValue => {
    const { logDeterminant, resistances } = factor.evaluate(weights, basePrecision);
    const precision = laplacianTerms({ size: N, sources, targets, weights }, basePrecision);
    const expectedDistances = new Float64Array(sources.length);
    let value = D * logDeterminant;
    for (const { columns, missing } of patterns) {
      const field = missing.length === 0 ? undefined : conditionedField(precision, missing);
      if (field !== undefined) {
        value -= columns.length * field.logDeterminant;
        const variances = field.variances();
        const covariances = field.covariances(sources, targets);
        for (let e = 0; e < sources.length; e++) {
          const variance = variances[sources[e]!]! + variances[targets[e]!]! - 2 * covariances[e]!;
          expectedDistances[e]! += columns.length * variance;
        }
      }
      for (const d of columns) {
        const own = Y.column(d);
        const y = field === undefined ? own : field.completed(own);
        for (let e = 0; e < sources.length; e++) {
          const squared = square(y[sources[e]!]! - y[targets[e]!]!);
          expectedDistances[e]! += squared;
          value -= weights[e]! * squared;
        }
        value -= basePrecision * (spread(y) - observedSpread[d]!);
      }
    }
    return { value: value / 2, resistances, expectedDistances };
  };
}

/** Sum of squares about the mean. */
function spread(y: Float64Array): number {
  const mean = y.reduce((sum, entry) => sum + entry, 0) / y.length;
  return y.reduce((sum, entry) => sum + square(entry - mean), 0);
}
