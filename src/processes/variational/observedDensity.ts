import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { closedExpectations, gridNodes, type LatentNodes } from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';
import type { CollapsedData } from './collapsedData.ts';
import { gaussianExpectedDensity, sampledExpectedDensity } from './expectedDensity.ts';
import type { InducingVariables } from './inducingVariables.ts';
import { latentExpectations } from './latentExpectations.ts';

/** Parts of a density of observations. */
export interface DensityParts {
  readonly kernel: Kernel;
  readonly likelihood: Likelihood;
  /** q */
  readonly latentDim: number;
}

/** Gauss–Hermite nodes per dimension for the latents, by the number of dimensions; more dimensions use draws. */
export const DENSITY_NODES = [0, 9, 5] as const;

/** Nodes of the latents: a grid if there is one for their dimension, otherwise draws. */
export function densityNodes(latentDim: number, draws: () => LatentNodes): LatentNodes {
  const count = DENSITY_NODES[latentDim];
  return count === undefined ? draws() : gridNodes(latentDim, count);
}

/** Values at which the expected log density of observations is evaluated. */
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
}

/** Observations of some rows, n×D, 0 where missing; `present` is 1 where observed, `weights` where the columns of each group are, `counts` (n×1) how often a row counts. */
export interface ObservedRows extends Pick<CollapsedData, 'observations' | 'groups'> {
  readonly weights?: Tensor2D | undefined;
  readonly present?: Tensor2D | undefined;
  readonly counts?: Tensor2D | undefined;
}

/**
 * True if the expectations for this likelihood have a closed form: Gaussian noise with one variance, or one per column.
 *
 * @param values - of the kernel's and the likelihood's parameters
 */
export function isClosed(
  { likelihood, kernel, latentDim }: DensityParts,
  values: Pick<DensityPoint, 'kernel' | 'likelihood'>,
): boolean {
  const noise = likelihood.conjugate?.(values.likelihood);
  if (noise === undefined || noise.per === 'row') return false;
  const point = op.zeros<Tensor2D>([1, latentDim]);
  return closedExpectations(kernel, values.kernel, { x: { mean: point, variance: point }, Z: point }) !== undefined;
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
  return sampledExpectedDensity(kernel, at.kernel, q, x, nodes(), likelihood, at.likelihood, y, counted(present));
}
