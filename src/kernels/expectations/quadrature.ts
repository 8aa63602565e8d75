import type { Random } from '../../core/random.ts';
import type { TensorMap } from '../../model/model.ts';
import { gaussHermite } from '../../numerics/quadrature/gaussHermite.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import type { Kernel } from '../kernel.ts';
import { columnsOf, type ExpectationInputs, type Expectations } from './expectations.ts';

/** Standard normal points in q dimensions, and what they count: x = μ + √s∘ε. */
export interface LatentNodes {
  /** One a point: all latents are moved by the same K×q, or each by its own, K·N×q. */
  readonly moves: Tensor2D;
  /** K of them, adding up to 1. */
  readonly weights: readonly number[];
}

/** The product of one-dimensional Gauss–Hermite rules: `count` nodes a dimension, for up to three dimensions. */
export function gridNodes(latentDim: number, count: number): LatentNodes {
  const { nodes, weights } = gaussHermite(count);
  let rows: { at: number[]; weight: number }[] = [{ at: [], weight: 1 }];
  for (let d = 0; d < latentDim; d++) {
    rows = rows.flatMap(({ at, weight }) =>
      Array.from(nodes, (node, k) => ({ at: [...at, node], weight: weight * weights[k]! })),
    );
  }
  return {
    moves: op.tensor(
      rows.flatMap(({ at }) => at),
      [rows.length, latentDim],
    ),
    weights: rows.map(({ weight }) => weight),
  };
}

/** `count` draws for each of n latents. */
export function drawnNodes(points: number, latentDim: number, count: number, random: Random): LatentNodes {
  const moves = Float64Array.from({ length: count * points * latentDim }, () => random.normal());
  return { moves: op.tensor(moves, [count * points, latentDim]), weights: new Array<number>(count).fill(1 / count) };
}

/**
 * Expectations of any covariance, as sums over nodes: Σ_k w_k·k(x_nk, z_m) with x_nk = μ_n + √s_n∘ε_k. With drawn nodes they are
 * unbiased; their gradients are those of the sums (reparameterised).
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
  return {
    diagonal: average(kernel.diagonal(p, at, Z), [n]) as Tensor1D,
    cross: average(all, [n, m]) as Tensor2D,
    products: () =>
      columnsOf(weights).map((column) => {
        const own = op.reshape(perNode, [K, 1, 1]);
        const both =
          column === undefined ? op.mul(own, op.ones([1, n, 1])) : op.mul(own, op.reshape(column, [1, n, 1]));
        return op.matMul<Tensor2D>(all, op.mul(op.reshape(both, [K * n, 1]), all), true, false);
      }),
  };
}
