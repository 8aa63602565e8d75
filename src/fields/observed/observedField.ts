import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { linearAlgebra } from '../../engine/dense/activeEngine.ts';
import type { Edges, Graph } from '../../engine/graph/graph.ts';
import { sharedMemory } from '../../engine/memory.ts';
import { scalarWithSlopes } from '../../engine/tensors/tape.ts';
import { denseCurvature } from '../../model/denseCurvature.ts';
import type { Curvature, QuadraticDescent, QuadraticModel } from '../../model/solver.ts';
import { observedPatterns } from '../../processes/covariance/covariance.ts';
import { curvedField } from '../density/curvedField.ts';
import type { FieldFactor } from '../density/fieldDensity.ts';
import type { OpenForm } from '../density/fieldForm.ts';
import { conditionedField } from './conditionedField.ts';
import { laplacianTerms } from './imputedByField.ts';

/** The log density of observations with missing entries under a field, with the moments needed for its gradient in the weights. */
interface ObservedValue {
  /** The log density of the observed entries, without constants. */
  readonly value: number;
  /** R_e = U_ii + U_jj − 2U_ij. */
  readonly resistances: Float64Array;
  /** E[φ_e | observed entries], one per edge. */
  readonly expectedDistances: Float64Array;
}

/**
 * The density of the observed entries of Y, N×D with missing entries (NaN), if its columns are copies of the field of precision Q = L(w) + λI around
 * unknown means:
 *
 * D/2·log|Q| − ½·Σ_d [log|Q'_mm| + ŷ_dᵀQ'ŷ_d − λ·Σ_o (y_od − mean_d)²],
 *
 * where m are the missing entries of column d, ŷ_d is the column with these at their conditional means, and Q' = Q − λ11ᵀ/N. Without missing entries
 * it equals D/2·log|Q| − ½·Σ_e w_e·φ_e. Its gradient is D/2·R_e − ½·E[φ_e | observed entries] (Fisher's identity) with
 *
 * E[φ_e] = Σ_d (ŷ_id − ŷ_jd)² + V_ii + V_jj − 2V_ij, V = Q'_mm⁻¹ of column d and 0 elsewhere,
 *
 * so maximizing D/2·log|Q| − ½·Σ_e w_e·E[φ_e] over w is the M-step of EM, which never lowers the density.
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

/** Columns of Y with the same missing entries. */
interface MissingPattern {
  /** Ascending. */
  readonly columns: Int32Array;
  /** The rows where the columns are missing (NaN), ascending. */
  readonly missing: Int32Array;
}

/** The columns of Y, N×D, by the pattern of their missing entries (NaN). */
function missingPatterns(Y: Matrix): MissingPattern[] {
  return observedPatterns(Y).map(({ rows, columns }) => {
    const observed = new Set(rows);
    return { columns, missing: Int32Array.from({ length: Y.rows }, (_, i) => i).filter((i) => !observed.has(i)) };
  });
}

/** Largest number of variables for a full Hessian; beyond it, a step costs more than it saves. */
const MOST_DENSE = 2000;

/**
 * The curvature of minus the density of observed entries (see {@link observedField}): its Hessian
 *
 * H_ef = D/2·(a_eᵀUa_f)² − Σ_d [½(a_eᵀV_d a_f)² + (a_eᵀŷ_d)(a_eᵀV_d a_f)(a_fᵀŷ_d)], a_e = e_i − e_j,
 *
 * among the variables of a step if it is positive definite, as near a maximum; otherwise its first term, the curvature of EM, whose rate of
 * convergence is limited by the fraction of missing information.
 *
 * @param complete - the first term
 * @see Louis, J. R. Statist. Soc. B 44 (1982)
 */
export function observedCurvature(
  complete: Curvature,
  Y: Matrix,
  edges: Edges,
  weights: Float64Array,
  basePrecision: number,
): Curvature {
  const observed = (model: QuadraticModel): QuadraticDescent | undefined => {
    const { variables } = model;
    const n = variables.length;
    if (n === 0 || n > MOST_DENSE) return undefined;
    const places = variables.map((_, a) => a);
    const H = new Float64Array(n * n);
    complete.quadratic(model).fill(places, H);
    subtractMissing(H, Y, edges, variables, weights, basePrecision);
    if (!isPositiveDefinite(H, n)) return undefined;
    for (let a = 0; a < n; a++) for (let b = 0; b < a; b++) H[b * n + a] = H[a * n + b]!;
    return denseCurvature(H, n).quadratic({ ...model, variables: places });
  };
  return { ...complete, quadratic: (model) => observed(model) ?? complete.quadratic(model) };
}

/** Subtracts the other terms, for all columns, from the lower triangle of H. */
function subtractMissing(
  H: Float64Array,
  Y: Matrix,
  { sources, targets }: Edges,
  variables: Int32Array,
  weights: Float64Array,
  basePrecision: number,
): void {
  const N = Y.rows;
  const n = variables.length;
  const precision = laplacianTerms({ size: N, sources, targets, weights }, basePrecision);
  for (const { columns, missing } of missingPatterns(Y)) {
    if (missing.length === 0) continue;
    const field = conditionedField(precision, missing);
    const V = field.covariance();
    const m = missing.length;
    const place = new Int32Array(N).fill(-1);
    missing.forEach((i, a) => {
      place[i] = a;
    });
    const from = variables.map((e) => place[sources[e]!]!);
    const to = variables.map((e) => place[targets[e]!]!);
    const across = Array.from(columns, (d) => {
      const y = field.completed(Y.column(d));
      return Float64Array.from(variables, (e) => y[sources[e]!]! - y[targets[e]!]!);
    });
    const column = new Float64Array(m);
    for (let a = 0; a < n; a++) {
      const [i, j] = [from[a]!, to[a]!];
      if (i < 0 && j < 0) continue;
      for (let k = 0; k < m; k++) column[k] = (i < 0 ? 0 : V[i * m + k]!) - (j < 0 ? 0 : V[j * m + k]!);
      for (let b = 0; b <= a; b++) {
        const [k, l] = [from[b]!, to[b]!];
        const v = (k < 0 ? 0 : column[k]!) - (l < 0 ? 0 : column[l]!);
        if (v === 0) continue;
        let sum = 0.5 * columns.length * v;
        for (const difference of across) sum += difference[a]! * difference[b]!;
        H[a * n + b]! -= sum * v;
      }
    }
  }
}

function isPositiveDefinite(H: Float64Array, n: number): boolean {
  const memory = sharedMemory();
  return memory.withBlock(8 * n * n, (offset) => {
    memory.float64(offset, n * n).set(H);
    return linearAlgebra(memory).cholesky(n, offset) < 0;
  });
}

/** The density of the observed entries of rows with missing ones, and the statistics expected given them. */
export interface OpenObserved extends OpenForm {
  /** E[φ_e | observed entries], one per edge. */
  statisticsAt(w: Float64Array): Float64Array;
}

/**
 * Evaluates the density of the observed entries of rows with missing ones (NaN), with its gradient c/2·R_e − ½·E[φ_e | observed entries] and the
 * field's curvature at these expected distances: a Newton step is then an EM step whose M-step is a single Newton step, halved until the density
 * rises. Where the density is concave, as near a maximum, full Newton steps are used: see {@link observedCurvature}.
 */
export function openObserved(graph: Graph, base: number, rows: Matrix): OpenObserved {
  const curved = curvedField(graph);
  const evaluate = lazily(() => observedField(rows, graph, curved, base));
  return {
    dual: (weights, _, copies) =>
      scalarWithSlopes([weights], (w) => {
        const { value, resistances, expectedDistances } = evaluate()(w);
        return { value, slopes: [resistances.map((R, e) => 0.5 * (copies * R - expectedDistances[e]!))] };
      }),
    expected: (w) => evaluate()(w).resistances,
    statisticsAt: (w) => evaluate()(w).expectedDistances,
    curvature: (w, copies) => observedCurvature(curved.curvature(w, base, copies), rows, graph, w, base),
    dispose: curved.dispose,
  };
}
