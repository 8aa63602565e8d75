import { summedInParts } from '../../engine/tensors/gradients.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import {
  closedExpectations,
  type Expectations,
  gridNodes,
  type LatentNodes,
  totalsOf,
  whitenedProducts,
} from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Likelihood } from '../../model/entrywise/likelihood.ts';
import { expectedLogDensity } from '../../model/entrywise/normalExpectation.ts';
import type { TensorMap } from '../../model/model.ts';
import { allColumns } from '../functionMoments.ts';
import { type CollapsedData, type ColumnGroup, latentExpectations } from './collapsedBound.ts';
import { type InducingPosterior, type InducingVariables, inducingMoments } from './inducingVariables.ts';

/** Parts of a density of observations. */
export interface DensityParts {
  readonly kernel: Kernel;
  readonly likelihood: Likelihood;
  /** q */
  readonly latentDim: number;
}

/**
 * Gauss–Hermite nodes per dimension for the latents, by the number of dimensions; more dimensions use draws, undefined here. Many rows take fewer: the bound then differs
 * by 1e-6 to 1e-5 of its value, at most the gain that ends their search, at a third of the cost. Two nodes would be exploited by the latents of few
 * columns.
 */
export const nodesPerDimension = (latentDim: number, rows = 0): number | undefined =>
  (rows > FEW_ROWS ? [0, 5, 3] : [0, 9, 5])[latentDim];

/** The largest number of rows that is not many: blocks of rows that are summed one after another have more. */
const FEW_ROWS = 1000;

/**
 * Nodes of the latents: a grid if there is one for their dimension, otherwise draws.
 *
 * @param draws - draws in all columns
 * @param inputs - number of columns of the inputs; columns after the latents are certain
 * @param rows - number of rows that are summed; default few
 */
export function densityNodes(
  latentDim: number,
  draws: () => LatentNodes,
  inputs = latentDim,
  rows?: number,
): LatentNodes {
  const count = nodesPerDimension(latentDim, rows);
  if (count === undefined) return draws();
  const { moves, weights } = gridNodes(latentDim, count);
  const still = op.zeros<Tensor2D>([weights.length, inputs - latentDim]);
  return { moves: inputs === latentDim ? moves : (op.concat([moves, still], 1) as Tensor2D), weights };
}

/** Point at which the expected log density of observations is evaluated. */
export interface DensityPoint {
  /** Natural values of the kernel's parameters, and of the likelihood's for these observations. */
  readonly kernel: TensorMap;
  readonly likelihood: TensorMap;
  /** M×q */
  readonly Z: Tensor2D;
  /** The factor of K_uu, M×M. */
  readonly factor: Tensor2D;
  readonly variables: InducingVariables;
  /** The latents of these observations. */
  readonly x: op.GaussianRows;
  /** Offset of the functions of these observations, n×1. */
  readonly offset?: Tensor2D | undefined;
}

/** Observations of some rows, n×D, 0 where missing; `present` is 1 where observed, `weights` where the columns of each group are, and `counts` (n×1) the multiplicity of each row. */
interface ObservedRows extends Pick<CollapsedData, 'observations'> {
  readonly groups: readonly Pick<ColumnGroup, 'columns'>[];
  readonly weights?: Tensor2D | undefined;
  readonly present?: Tensor2D | undefined;
  readonly counts?: Tensor2D | undefined;
}

/**
 * True if the expectations for this likelihood have a closed form: Gaussian noise with one variance, or one per column.
 *
 * @param values - values of the kernel's and the likelihood's parameters
 */
export function isClosed(
  { likelihood, kernel, latentDim }: DensityParts,
  values: Pick<DensityPoint, 'kernel' | 'likelihood'>,
): boolean {
  const noise = likelihood.conjugate?.(values.likelihood);
  return noise !== undefined && noise.per !== 'row' && hasExpectations(kernel, values.kernel, latentDim);
}

/** True if the kernel has expectations in closed form. */
export function hasExpectations(kernel: Kernel, p: TensorMap, latentDim: number): boolean {
  const point = op.zeros<Tensor2D>([1, latentDim]);
  return closedExpectations(kernel, p, { x: { mean: point, variance: point }, Z: point }) !== undefined;
}

/** Σ_nd E[log p(y_nd | f_nd)] over the observed entries of some rows: the term of the uncollapsed bound that depends on observations. */
export function observedDensity(
  parts: DensityParts,
  at: DensityPoint,
  rows: ObservedRows,
  nodes: () => LatentNodes,
): Scalar {
  const { kernel, likelihood } = parts;
  const { Z, factor, variables, x } = at;
  const { observations: y, groups, present, counts } = rows;
  const counted = (once: Tensor2D | undefined) =>
    counts === undefined || once === undefined ? (once ?? counts) : op.mul<Tensor2D>(once, counts);
  if (isClosed(parts, at)) {
    const weights = counted(rows.weights);
    const expectations = latentExpectations(kernel, at.kernel, { x, Z, ...(weights && { weights }) })!;
    const noise = likelihood.conjugate!(at.likelihood).variance;
    return gaussianExpectedDensity(factor, expectations, variables, noise, y, groups, weights, counts);
  }
  const columns = Int32Array.from({ length: likelihood.functions * y.shape[1] }, (_, j) => j);
  const q = { inducing: Z, factor, groups: [{ columns, ...variables }] };
  return sampledExpectedDensity(kernel, at.kernel, q, at, nodes(), likelihood, at.likelihood, y, counted(present));
}

/**
 * Σ_nd E[log N(y_nd | f_nd, σ_d²)] over the observed entries under q(f)·q(X), from the kernel's expectations: with a = L⁻¹k_u(x),
 * Σ_n E[(y_nd − f_nd)²] = Σ_n y_nd² − 2m_dᵀL⁻¹Ψ₁ᵀy_d + m_dᵀÂm_d + tr(C_dᵀÂC_d) + ψ₀ − tr Â, Â = L⁻¹Ψ₂L⁻ᵀ.
 *
 * @param noise - σ², a scalar or D entries
 * @param y - n×D, 0 where missing
 * @param groups - columns with the same observed rows, as in the weights of the expectations
 * @param counts - n×1, multiplicity of each row, as in the weights; default 1
 * @see Hensman, Fusi & Lawrence 2013, eq. 4; Lalchand et al. 2022, §3
 */
function gaussianExpectedDensity(
  factor: Tensor2D,
  expectations: Expectations,
  { mean, roots }: InducingVariables,
  noise: Tensor,
  y: Tensor2D,
  groups: readonly Pick<ColumnGroup, 'columns'>[],
  weights: Tensor2D | undefined,
  counts?: Tensor2D,
): Scalar {
  const [M, D] = mean.shape;
  const count = roots.shape[0] / M;
  const counted = counts === undefined ? y : op.mul<Tensor2D>(counts, y);
  const projected = op.triangularSolve(factor, op.matMul<Tensor2D>(expectations.cross, counted, true, false));
  const energies = op.sub(op.sum(op.mul(y, counted), 0), op.mul(2, op.sum(op.mul(mean, projected), 0)));
  const diagonals = totalsOf(expectations.diagonal, weights);
  const totals = totalsOf(op.ones<Tensor1D>([y.shape[0]]), weights);
  const scatters = whitenedProducts(factor, expectations);
  const parts = groups.map(({ columns }, g) => {
    const whole = groups.length === 1;
    const pick = (x: Tensor, axis: number) => (whole ? x : op.gather(x, columns, axis));
    const scatter = scatters[g]!;
    const own = pick(mean, 1);
    const spreads = op.sum(op.reshape(op.mul(roots, op.matMul(roots, scatter)), [count, M * M]), 1);
    const rest = op.sub(diagonals[g]!, op.sum(op.diagPart(scatter)));
    const squares = op.add(pick(energies, 0), op.sum(op.mul(own, op.matMul(scatter, own)), 0));
    const misfits = op.add(squares, op.add(count === 1 ? spreads : pick(spreads, 0), rest));
    const variance = noise.size === 1 ? noise : pick(noise, 0);
    const constants = op.mul(totals[g]!, op.log(op.mul(2 * Math.PI, variance)));
    return op.mul<Scalar>(-0.5, op.sum(op.add(constants, op.div(misfits, variance))));
  });
  return D === 0 ? op.scalar(0) : parts.reduce((sum, part) => op.add<Scalar>(sum, part));
}

/** Size of the largest tensor for rows that are summed at once; about twenty such tensors exist at a time. */
const MOST_ENTRIES = 2 ** 21;

/**
 * Σ_nd E[log p(y_nd | f_nd)] over the observed entries for any likelihood and kernel. Many rows are summed and differentiated in parts, so that
 * memory does not grow with their number.
 *
 * @param mask - n×D or n×1, multiplicities of entries, 0 where missing; undefined if all count once
 * @see densitiesAtNodes
 */
export function sampledExpectedDensity(
  kernel: Kernel,
  p: TensorMap,
  q: InducingPosterior<Tensor2D>,
  { x, offset }: Pick<DensityPoint, 'x' | 'offset'>,
  nodes: LatentNodes,
  likelihood: Likelihood,
  given: TensorMap,
  y: Tensor2D,
  mask: Tensor2D | undefined,
): Scalar {
  const n = y.shape[0];
  const K = nodes.weights.length;
  const widest = Math.max(likelihood.functions * y.shape[1], q.factor.shape[0]);
  const most = Math.max(1, Math.floor(MOST_ENTRIES / (K * widest)));
  const sumOf = (from: number, to: number) => {
    const rows = <T extends Tensor>(own: T) =>
      from === 0 && to === n ? own : op.slice<T>(own, [from, 0], [to - from, own.shape[1]!]);
    const own = { moves: rowsOfNodes(nodes, n, from, to), weights: nodes.weights };
    const at = { x: { mean: rows(x.mean), variance: rows(x.variance) }, offset: offset && rows(offset) };
    const entries = densitiesAtNodes(kernel, p, q, at, own, likelihood, given, rows(y));
    return op.sum<Scalar>(mask === undefined ? entries : op.mul(repeated(rows(mask), K), entries));
  };
  if (n <= most || likelihood.conjugate?.(given).per === 'row') return sumOf(0, n);
  const blocks = Math.ceil(n / most);
  const border = (k: number) => Math.round((k * n) / blocks);
  const shared = q.groups.flatMap(({ mean, roots }) => [mean, roots]);
  const inputs = [x.mean, x.variance, q.inducing, q.factor, ...shared, ...Object.values(p), ...Object.values(given)];
  return summedInParts(
    inputs,
    Array.from({ length: blocks }, (_, k) => () => sumOf(border(k), border(k + 1))),
  );
}

/** The nodes of some rows, if each row has its own; otherwise the shared nodes. */
function rowsOfNodes({ moves, weights }: LatentNodes, n: number, from: number, to: number): Tensor2D {
  const K = weights.length;
  const q = moves.shape[1];
  if (moves.shape[0] === K || (from === 0 && to === n)) return moves;
  const own = op.slice(op.reshape(moves, [K, n, q]), [0, from, 0], [K, to - from, q]);
  return op.reshape<Tensor2D>(own, [K * (to - from), q]);
}

/**
 * w_k·E[log p(y_nd | f_d(x_nk))] of all entries, one node after the other, K·n×D: the latents are at nodes or samples x_nk = μ_n + √s_n∘ε_k, and the
 * expectation over f at each of them is in closed form or by quadrature.
 *
 * @param p - natural values of the kernel's parameters
 * @param given - natural values of the likelihood's parameters, those for these n observations if there is one per row
 */
export function densitiesAtNodes(
  kernel: Kernel,
  p: TensorMap,
  q: InducingPosterior<Tensor2D>,
  { x, offset }: Pick<DensityPoint, 'x' | 'offset'>,
  { moves, weights }: LatentNodes,
  likelihood: Likelihood,
  given: TensorMap,
  y: Tensor2D,
): Tensor2D {
  const K = weights.length;
  const { points, counts } = atNodes(x, moves, weights);
  const { mean, variance } = allColumns(
    inducingMoments(kernel, p, q, points).map((moments) => ({ ...moments, variance: op.relu(moments.variance) })),
    likelihood.functions * y.shape[1],
  );
  const own = likelihood.conjugate?.(given).per === 'row' ? { ...given, noise: repeated(given.noise!, K) } : given;
  const shifted = offset === undefined ? mean : op.add<Tensor2D>(mean, repeated(offset, K));
  return op.mul<Tensor2D>(counts, expectedLogDensity(likelihood, own, shifted, variance, repeated(y, K)));
}

/** All latents, one node after the other, K·n×q, and their weights, K·n×1. */
function atNodes(
  x: op.GaussianRows,
  moves: Tensor2D,
  weights: readonly number[],
): { points: Tensor2D; counts: Tensor2D } {
  const [n, q] = x.mean.shape;
  const K = weights.length;
  const steps = op.reshape(moves, [K, moves.shape[0] / K, q]);
  const around = op.mul(op.reshape(op.sqrt(x.variance), [1, n, q]), steps);
  const counts = Float64Array.from({ length: K * n }, (_, i) => weights[Math.floor(i / n)]!);
  return {
    points: op.reshape<Tensor2D>(op.add(op.reshape(x.mean, [1, n, q]), around), [K * n, q]),
    counts: op.tensor<Tensor2D>(counts, [K * n, 1]),
  };
}

/** K copies, one below the other. */
function repeated<T extends Tensor>(x: T, K: number): T {
  return K === 1 ? x : (op.concat(new Array<T>(K).fill(x), 0) as unknown as T);
}
