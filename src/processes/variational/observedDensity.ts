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

/** What a density of observations is of. */
export interface DensityParts {
  readonly kernel: Kernel;
  readonly likelihood: Likelihood;
  /** q */
  readonly latentDim: number;
}

/** Gauss–Hermite nodes a dimension for the latents, by the number of dimensions; draws in more. */
export const DENSITY_NODES = [0, 9, 5] as const;

/** The nodes of the latents: those of a grid where their dimension has one, otherwise draws. */
export function densityNodes(latentDim: number, draws: () => LatentNodes): LatentNodes {
  const count = DENSITY_NODES[latentDim];
  return count === undefined ? draws() : gridNodes(latentDim, count);
}

/** Where the expected log density of observations is taken. */
export interface DensityPoint {
  /** Values of the kernel, and of the likelihood for these observations, by their own names. */
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

/** Observations of some rows, n×D, 0 where missing; `present` is 1 where observed. */
export interface ObservedRows extends Pick<CollapsedData, 'observations' | 'groups'> {
  readonly weights?: Tensor2D | undefined;
  readonly present?: Tensor2D | undefined;
}

/**
 * Whether the expectations under this likelihood are closed form: Gaussian noise with one variance, or one a column.
 *
 * @param values - of the kernel and of the likelihood, by their own names
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

/** Σ_nd E[log p(y_nd | f_nd)] over the observed entries of some rows: all that the uncollapsed bound reads of observations. */
export function observedDensity(
  parts: DensityParts,
  at: DensityPoint,
  rows: ObservedRows,
  nodes: () => LatentNodes,
): Scalar {
  const { kernel, likelihood } = parts;
  const { Z, factor, variables, x } = at;
  const { observations: y, groups, weights, present } = rows;
  if (isClosed(parts, at)) {
    const expectations = latentExpectations(kernel, at.kernel, { x, Z, ...(weights && { weights }) })!;
    const noise = likelihood.conjugate!(at.likelihood).variance;
    return gaussianExpectedDensity(factor, expectations, variables, noise, y, groups, weights);
  }
  const columns = Int32Array.from({ length: y.shape[1] }, (_, j) => j);
  const q = { inducing: Z, factor, groups: [{ columns, ...variables }] };
  return sampledExpectedDensity(kernel, at.kernel, q, x, nodes(), likelihood, at.likelihood, y, present);
}
