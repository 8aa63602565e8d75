import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';

/** Where expectations are taken: latents x_n ~ N(μ_n, diag s_n), and inducing inputs. */
export interface ExpectationInputs {
  /** μ and s, both N×q. */
  readonly x: op.GaussianRows;
  /** M×q. */
  readonly Z: Tensor2D;
  /** ω, N×p constants: what is summed over points is summed with each column of weights. Without them every point counts once. */
  readonly weights?: Tensor2D;
}

/**
 * Expectations of one covariance under Gaussian latents.
 *
 * @see Titsias & Lawrence 2010, §3.1
 */
export interface Expectations {
  /** ⟨k(x_n, x_n)⟩, N entries; ψ₀ is their sum. */
  readonly diagonal: Tensor1D;
  /** Ψ₁, N×M: ⟨k(x_n, z_m)⟩. */
  readonly cross: Tensor2D;
  /** Ψ₂, M×M for each column of weights: Σ_n ω_n·⟨k(z_m, x_n)·k(x_n, z_m')⟩. */
  products(): readonly Tensor2D[];
  /** M×q for each column of weights: Σ_n ω_n·⟨k(z_m, x_n)·x_n⟩. What sums with a linear covariance need. */
  moments?(): readonly Tensor2D[];
  /** For a covariance that is 0 between latents and inducing inputs. */
  readonly apart?: boolean;
  /** k(x, z) for a covariance that is one number. */
  readonly constant?: Tensor;
  /** W, M×q, for a covariance that is linear in x: k(x, z_m) = xᵀW_m. */
  readonly linear?: Tensor2D;
}

/** leftᵀ·diag(ω)·right for each column of weights, left N×a, right N×b. */
export function weightedProducts(left: Tensor2D, right: Tensor2D, weights: Tensor2D | undefined): Tensor2D[] {
  return columnsOf(weights).map((column) => {
    const weighted = column === undefined ? right : (op.mul(column, right) as Tensor2D);
    return op.matMul<Tensor2D>(left, weighted, true, false);
  });
}

/** Points from which on a sum of their numbers is a matrix product, which adds block by block and rounds less. */
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

/** The columns of weights, N×1 each; one that is undefined where every point counts once. */
export function columnsOf(weights: Tensor2D | undefined): (Tensor2D | undefined)[] {
  if (weights === undefined) return [undefined];
  const count = weights.shape[1];
  return count === 1
    ? [weights]
    : Array.from({ length: count }, (_, p) => op.slice(weights, [0, p], [-1, 1]) as Tensor2D);
}
