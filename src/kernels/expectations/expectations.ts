import type { Random } from '../../core/random.ts';
import { productRule } from '../../engine/special/gaussHermite.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Kernel } from '../kernel.ts';

/** Gaussian latents x_n ~ N(μ_n, diag s_n) and inducing inputs at which expectations are taken. */
export interface ExpectationInputs {
  /** μ and s, both N×q. */
  readonly x: op.GaussianRows;
  /** M×q. */
  readonly Z: Tensor2D;
  /** ω, N×p constant weights: sums over points are formed for each column of weights. Without them every point has weight 1. */
  readonly weights?: Tensor2D;
}

/**
 * Expectations of one covariance under Gaussian latents.
 *
 * @see Titsias & Lawrence 2010, §3.1
 */
export interface Expectations {
  /** ⟨k(x_n, x_n)⟩, N entries; their sum is ψ₀. */
  readonly diagonal: Tensor1D;
  /** Ψ₁, N×M: ⟨k(x_n, z_m)⟩. */
  readonly cross: Tensor2D;
  /** Ψ₂, M×M for each column of weights: Σ_n ω_n·⟨k(z_m, x_n)·k(x_n, z_m')⟩. */
  products(): readonly Tensor2D[];
  /** Σ_p ω_np·tr(G_p·Ψ₂ₙ) for each point n, with G p×M×M and weights n×p (1 by default) and derivatives in the points alone; available where it takes one pass. */
  contracted?(G: Tensor, weights?: Tensor2D): Tensor1D;
  /** Factor F of Ψ₂ = FᵀF for each column of weights, with one row per node of each point; available for sums over nodes. */
  roots?(): readonly Tensor2D[];
  /** M×q for each column of weights: Σ_n ω_n·⟨k(z_m, x_n)·x_n⟩, needed for sums with a linear covariance. */
  moments?(): readonly Tensor2D[];
  /** Columns of the latents that it depends on; default all. */
  readonly columns?: readonly number[];
  /** True for a covariance that is 0 between latents and inducing inputs. */
  readonly apart?: boolean;
  /** k(x, z) of a constant covariance. */
  readonly constant?: Tensor;
  /** W, M×q, of a covariance linear in x: k(x, z_m) = xᵀW_m. */
  readonly linear?: Tensor2D;
}

/** leftᵀ·diag(ω)·right for each column of weights, left N×a, right N×b. */
export function weightedProducts(left: Tensor2D, right: Tensor2D, weights: Tensor2D | undefined): Tensor2D[] {
  return columnsOf(weights).map((column) => {
    const weighted = column === undefined ? right : (op.mul(column, right) as Tensor2D);
    return op.matMul<Tensor2D>(left, weighted, true, false);
  });
}

/**
 * L⁻¹Ψ₂L⁻ᵀ for each column of weights. If Ψ₂ = FᵀF, it is computed from L⁻¹Fᵀ, which loses half as many digits to a nearly singular L.
 *
 * @param factor - L, M×M
 */
export function whitenedProducts(
  factor: Tensor2D,
  { products, roots }: Pick<Expectations, 'products' | 'roots'>,
): Tensor2D[] {
  const solved = (side: Tensor2D) => op.triangularSolve(factor, op.transpose(side) as Tensor2D);
  if (roots === undefined) return products().map((own) => solved(op.triangularSolve(factor, own)));
  return roots().map((root) => {
    const half = solved(root);
    return op.matMul<Tensor2D>(half, half, false, true);
  });
}

/** Number of points above which sums are matrix products, which add block by block and round less. */
const MANY = 1025;

/** Σ_n ω_n·x_n for each column of weights. */
export function totalsOf(x: Tensor1D, weights: Tensor2D | undefined): Scalar[] {
  const n = x.shape[0];
  return columnsOf(weights).map((column) => {
    if (n < MANY) return op.sum<Scalar>(column === undefined ? x : op.mul(op.reshape(column, [n]), x));
    const row = op.reshape<Tensor2D>(x, [1, n]);
    return op.reshape<Scalar>(op.matMul(row, column ?? op.ones<Tensor2D>([n, 1])), []);
  });
}

/** Σ_n ω_n for each column of weights, the number of points without weights. */
export function totals(points: number, weights: Tensor2D | undefined): Scalar[] {
  return columnsOf(weights).map((column) => (column === undefined ? op.scalar(points) : op.sum<Scalar>(column)));
}

/** The columns of weights, N×1 each; one undefined column if there are no weights. */
export function columnsOf(weights: Tensor2D | undefined): (Tensor2D | undefined)[] {
  if (weights === undefined) return [undefined];
  const count = weights.shape[1];
  return count === 1
    ? [weights]
    : Array.from({ length: count }, (_, p) => op.slice(weights, [0, p], [-1, 1]) as Tensor2D);
}

/** Expectations of any kernel under latents without variance: covariances and their products. */
export function certainExpectations(
  kernel: Kernel,
  p: TensorMap,
  X: Tensor2D,
  Z: Tensor2D,
  weights?: Tensor2D,
): Expectations {
  const cross = kernel.covariance(p, X, Z, Z);
  return {
    diagonal: kernel.diagonal(p, X, Z),
    cross,
    products: () => weightedProducts(cross, cross, weights),
  };
}

/** Standard normal nodes in q dimensions with their weights: x = μ + √s∘ε. */
export interface LatentNodes {
  /** K×q nodes that all points share, or K·N×q with separate nodes for each point. */
  readonly moves: Tensor2D;
  /** K weights that sum to 1. */
  readonly weights: readonly number[];
}

/** Product of one-dimensional Gauss–Hermite rules with `count` nodes per dimension, for up to three dimensions. */
export function gridNodes(latentDim: number, count: number): LatentNodes {
  const rows = productRule(count, latentDim);
  return {
    moves: op.tensor(
      rows.flatMap(({ at }) => at),
      [rows.length, latentDim],
    ),
    weights: rows.map(({ weight }) => weight),
  };
}

/** Draws `count` nodes for each of n points. */
export function drawnNodes(points: number, latentDim: number, count: number, random: Random): LatentNodes {
  const moves = Float64Array.from({ length: count * points * latentDim }, () => random.normal());
  return { moves: op.tensor(moves, [count * points, latentDim]), weights: new Array<number>(count).fill(1 / count) };
}

/**
 * Expectations of any covariance, as sums over nodes: Σ_k w_k·k(x_nk, z_m) with x_nk = μ_n + √s_n∘ε_k. With drawn nodes they are unbiased; gradients
 * are taken of the sums (reparameterized).
 *
 * @param kernel - its `inputs` are the inducing inputs
 */
export function quadratureExpectations(
  kernel: Kernel,
  p: TensorMap,
  { x, Z, weights }: ExpectationInputs,
  { moves, weights: counts }: LatentNodes,
): Expectations {
  const [n, q] = x.mean.shape;
  const [m, K] = [Z.shape[0], counts.length];
  const spread = op.reshape(op.sqrt(x.variance), [1, n, q]);
  const steps = op.reshape(moves, [K, moves.shape[0] === K ? 1 : n, q]);
  const at = op.reshape<Tensor2D>(op.add(op.reshape(x.mean, [1, n, q]), op.mul(spread, steps)), [K * n, q]);
  const all = kernel.covariance(p, at, Z, Z);
  const perNode = op.tensor(Float64Array.from(counts), [1, K]);
  const average = (values: op.Tensor, shape: number[]) =>
    op.reshape(op.matMul(perNode, op.reshape(values, [K, n * (shape[1] ?? 1)])), shape);
  const rootOfCounts = op.tensor(Float64Array.from(counts, Math.sqrt), [K, 1, 1]);
  const roots = () =>
    columnsOf(weights).map((column) => {
      const ofRows = column === undefined ? op.ones([1, n, 1]) : op.reshape(op.sqrt(column), [1, n, 1]);
      return op.mul(op.reshape(op.mul(rootOfCounts, ofRows), [K * n, 1]), all) as Tensor2D;
    });
  return {
    diagonal: average(kernel.diagonal(p, at, Z), [n]) as Tensor1D,
    cross: average(all, [n, m]) as Tensor2D,
    products: () => roots().map((root) => op.matMul<Tensor2D>(root, root, true, false)),
    roots,
  };
}
