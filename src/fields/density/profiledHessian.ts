import { square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { symmetricMatrix } from '../../engine/dense/symmetric.ts';
import { doublesOf, matrixTensor } from '../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { FieldProblem } from '../solvers/fieldProblem.ts';
import { entryHessian, type MomentProblem, type PrecisionEntries, withInverse } from '../solvers/momentProblem.ts';
import { withDenseField } from './denseField.ts';

/**
 * The Hessian in X of max_w c/2·log|L(w) + λI| − ½·Σ_e w_e·‖x_i − x_j‖², at its maximum: JᵀF⁻¹J/(2c) − L(w)⊗I, where J = ∂φ/∂X for the edges with 0 <
 * w_e < 4C and F_ef = (a_eᵀU a_f)², since c·R_e = φ_e at these edges and ∂R_e/∂w_f = −F_ef.
 *
 * @param X - N×q
 * @returns (Nq)² numbers, row by row
 * @throws NumericalError if F has no Cholesky factor
 */
export function distanceHessian(problem: FieldProblem, weights: Float64Array, X: Matrix): Float64Array {
  const { size: N, upper, copies, basePrecision, sources, targets } = problem;
  const { columns: q, data: x } = X;
  const active = Int32Array.from(weights.keys()).filter((e) => weights[e]! > 0 && weights[e]! < upper);
  const J = Matrix.zeros(active.length, N * q);
  active.forEach((e, a) => {
    const [i, j] = [sources[e]! * q, targets[e]! * q];
    for (let d = 0; d < q; d++) {
      const slope = 2 * (x[i + d]! - x[j + d]!);
      J.data[a * N * q + i + d] = slope;
      J.data[a * N * q + j + d] = -slope;
    }
  });
  const F = withDenseField(problem, weights, basePrecision, (_, U) => {
    const across = (e: number, f: number) => {
      const [i, j, k, l] = [sources[e]! * N, targets[e]! * N, sources[f]!, targets[f]!];
      return U[i + k]! - U[j + k]! - U[i + l]! + U[j + l]!;
    };
    return squareOf(active, (e, f) => square(across(e, f)));
  });
  const H = throughInverse(F, J, 1 / (2 * copies));
  weights.forEach((w, e) => {
    if (w === 0) return;
    const [i, j] = [sources[e]!, targets[e]!];
    addToBlock(H, X, i, i, -w);
    addToBlock(H, X, j, j, -w);
    addToBlock(H, X, i, j, w);
    addToBlock(H, X, j, i, w);
  });
  return H;
}

/**
 * The Hessian in X of max_Θ c/2·[log|Θ| − tr(SΘ) − 2ρ·Σ_e|Θ_e|], S = XXᵀ/c on the diagonal and at the edges, at its maximum: c/2·JᵀF⁻¹J − Θ⊗I, where
 * J is the derivative in X of tr(SΘ)'s slopes in the nonzero entries of Θ, and F the Hessian of −log|Θ| in these.
 *
 * @param X - N×q
 * @returns (Nq)² numbers, row by row
 * @throws NumericalError if Θ or F has no Cholesky factor
 */
export function momentsHessian(
  problem: Pick<MomentProblem, 'size' | 'sources' | 'targets'>,
  entries: PrecisionEntries,
  copies: number,
  X: Matrix,
): Float64Array {
  const { size: N, sources, targets } = problem;
  const { columns: q, data: x } = X;
  const edges = Int32Array.from(entries.edges.keys()).filter((e) => entries.edges[e] !== 0);
  const rows = Int32Array.from([...Array(N).keys(), ...Array.from(edges, (e) => sources[e]!)]);
  const columns = Int32Array.from([...Array(N).keys(), ...Array.from(edges, (e) => targets[e]!)]);
  const J = Matrix.zeros(rows.length, N * q);
  rows.forEach((i, a) => {
    const j = columns[a]!;
    for (let d = 0; d < q; d++) {
      J.data[a * N * q + i * q + d]! += (2 * x[j * q + d]!) / copies;
      if (i !== j) J.data[a * N * q + j * q + d]! += (2 * x[i * q + d]!) / copies;
    }
  });
  const all = Int32Array.from(rows.keys());
  const F = withInverse(problem, entries, (_, W) => squareOf(all, entryHessian(N, W, rows, columns)));
  const H = throughInverse(F, J, copies / 2);
  rows.forEach((i, a) => {
    const j = columns[a]!;
    const entry = a < N ? entries.diagonal[i]! : entries.edges[edges[a - N]!]!;
    addToBlock(H, X, i, j, -entry);
    if (i !== j) addToBlock(H, X, j, i, -entry);
  });
  return H;
}

/** A symmetric matrix with an entry for each pair of indices. */
const squareOf = (of: Int32Array, entry: (a: number, b: number) => number): Matrix =>
  symmetricMatrix(of.length, (a, b) => entry(of[a]!, of[b]!));

/** factor·JᵀF⁻¹J. */
function throughInverse(F: Matrix, J: Matrix, factor: number): Float64Array {
  if (F.rows === 0) return new Float64Array(J.columns * J.columns);
  return withFloat64(() => {
    const L = op.cholesky(matrixTensor(F), { name: 'The Hessian of the field' });
    const half = op.triangularSolve(L, matrixTensor(J));
    return doublesOf(op.mul(factor, op.matMul(half, half, true))).slice();
  });
}

/** H ← H + entry·(E_ij⊗I) for two points i and j. */
function addToBlock(H: Float64Array, { rows: N, columns: q }: Matrix, i: number, j: number, entry: number): void {
  for (let d = 0; d < q; d++) H[(i * q + d) * N * q + j * q + d]! += entry;
}
