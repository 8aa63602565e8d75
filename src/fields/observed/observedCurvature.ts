import type { Matrix } from '../../core/matrix.ts';
import { denseCurvature } from '../../model/denseCurvature.ts';
import type { Curvature, QuadraticDescent, QuadraticModel } from '../../model/solver.ts';
import { linearAlgebra } from '../../numerics/dense/activeEngine.ts';
import type { Edges } from '../../numerics/graph/graph.ts';
import { sharedMemory } from '../../numerics/memory.ts';
import { conditionedField } from './conditionedField.ts';
import { laplacianTerms } from './imputedByField.ts';
import { missingPatterns } from './missingPatterns.ts';

/** Variables whose Hessian is filled; beyond, a step costs more than those that it saves. */
const MOST_DENSE = 2000;

/**
 * The curvature of minus the density of observed entries (see {@link observedField}): its Hessian
 *
 * H_ef = D/2·(a_eᵀUa_f)² − Σ_d [½(a_eᵀV_d a_f)² + (a_eᵀŷ_d)(a_eᵀV_d a_f)(a_fᵀŷ_d)], a_e = e_i − e_j,
 *
 * among the variables of a step where that is positive definite, as it is about a maximum; elsewhere its first term, the curvature of EM, whose steps
 * come no nearer to the maximum at once than the part of the information that is observed.
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

/** Takes the other terms, of all columns, off the lower triangle of H. */
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
