import { elementaryFunctions } from '../../engine/dense/activeEngine.ts';
import { gaussHermite } from '../../engine/special/gaussHermite.ts';
import type { MatrixKernel } from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { ofMoments } from './slopedOperation.ts';

/**
 * E[log(1 + exp f)] of every entry if f ~ N(mean, variance), n×D each, by a Gauss–Hermite rule: with 20 nodes, or with fewer ones that give the same to 13
 * digits where the variance is small. The error of n nodes is about (n − 1)!·(√v/π)²ⁿ, as the nearest poles are at ±πi.
 */
export function expectedSoftplus(mean: Tensor2D, variance: Tensor2D): Tensor2D {
  const each = variance.shape[1] === mean.shape[1] ? variance : op.mul<Tensor2D>(variance, op.onesLike(mean));
  return ofMoments(SOFTPLUS, mean, each, {});
}

/** Numbers of nodes, each with the largest variance that it suffices for. */
const RULES: readonly (readonly [nodes: number, most: number])[] = [
  [6, 1 / 64],
  [10, 1 / 16],
  [12, 1 / 8],
  [16, 1 / 4],
];
const MOST_NODES = 20;

/** Variance below which the slope in it is that at 0. */
const NO_VARIANCE = 1e-8;

/** Number of entries that are computed together, with the rule of the largest variance. */
const BLOCK = 256;

const SOFTPLUS: MatrixKernel<object> = {
  name: 'latentfield.ExpectedSoftplus',
  inputs: ['mean', 'variance'],
  outputs: ([mean]) => [mean!, mean!, mean!],
  compute({ memory, inputs, outputs }, [shape]) {
    const size = shape![0]! * shape![1]!;
    const { exponential, logarithm } = elementaryFunctions(memory);
    memory.withBlock(16 * BLOCK, (work) => {
      for (let first = 0; first < size; first += BLOCK) {
        const count = Math.min(BLOCK, size - first);
        const [mean, variance, value, inMean, inVariance] = [...inputs, ...outputs].map((offset) =>
          memory.float64(offset + 8 * first, count),
        ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
        const [e, logs] = [memory.float64(work, count), memory.float64(work + 8 * BLOCK, count)];
        let most = 0;
        for (let i = 0; i < count; i++) most = Math.max(most, variance[i]!);
        const { nodes, weights } = gaussHermite(RULES.find(([, limit]) => most <= limit)?.[0] ?? MOST_NODES);
        for (const sums of [value, inMean, inVariance]) sums.fill(0);
        for (let k = 0; k < nodes.length; k++) {
          const [node, weight] = [nodes[k]!, weights[k]!];
          for (let i = 0; i < count; i++) e[i] = -Math.abs(mean[i]! + Math.sqrt(variance[i]!) * node);
          exponential(count, work, work);
          for (let i = 0; i < count; i++) logs[i] = 1 + e[i]!;
          logarithm(count, work + 8 * BLOCK, work + 8 * BLOCK);
          for (let i = 0; i < count; i++) {
            const f = mean[i]! + Math.sqrt(variance[i]!) * node;
            const slope = (weight * (f < 0 ? e[i]! : 1)) / (1 + e[i]!);
            value[i]! += weight * (Math.max(f, 0) + logs[i]!);
            inMean[i]! += slope;
            inVariance[i]! += slope * node;
          }
        }
        for (let i = 0; i < count; i++) {
          const v = variance[i]!;
          inVariance[i] = v < NO_VARIANCE ? (inMean[i]! * (1 - inMean[i]!)) / 2 : inVariance[i]! / (2 * Math.sqrt(v));
        }
      }
    });
  },
};
