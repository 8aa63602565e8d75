import { seededRandom } from '../../core/random.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { drawnNodes } from '../../kernels/expectations/index.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';
import { expectedLogDensity } from '../likelihoods/normalExpectation.ts';
import { densitiesAtNodes } from './expectedDensity.ts';
import type { InducingPosterior } from './inducingMoments.ts';
import { type DensityParts, type DensityPoint, densityNodes, isClosed } from './observedDensity.ts';
import { uncertainMoments } from './uncertainMoments.ts';

/** Draws for latents without a quadrature, the same for all rows. */
const DRAWS = 4;
const SEED = 0;

/** True if the likelihood applies to rows that were not fitted, which variances per row do not. */
export function placesRows({ conjugate, parameters }: Likelihood): boolean {
  const starts = Object.fromEntries(Object.entries(parameters).map(([name, { initial }]) => [name, initial]));
  return withFloat64(() => conjugate?.(valueTensors(starts)).per !== 'row');
}

/**
 * Σ_d E[log p(y_nd | f_nd)] of each new row over its observed entries, n entries, given the fitted functions. The result for a row is independent of
 * the other rows.
 *
 * @param y - n×D, 0 where missing
 * @param present - n×D, 1 where observed; undefined if all are
 */
export function placedDensity(
  { kernel, likelihood }: Pick<DensityParts, 'kernel' | 'likelihood'>,
  at: Pick<DensityPoint, 'kernel' | 'likelihood' | 'x'>,
  q: InducingPosterior<Tensor2D>,
  y: Tensor2D,
  present: Tensor2D | undefined,
): Tensor1D {
  const latentDim = at.x.mean.shape[1];
  const entries = (): Tensor2D => {
    if (isClosed({ kernel, likelihood, latentDim }, at)) {
      const { mean, variance } = uncertainMoments(kernel, at.kernel, q, at.x);
      return expectedLogDensity(likelihood, at.likelihood, mean, variance, y);
    }
    const nodes = densityNodes(latentDim, () => drawnNodes(1, latentDim, DRAWS, seededRandom(SEED)));
    const all = densitiesAtNodes(kernel, at.kernel, q, at.x, nodes, likelihood, at.likelihood, y);
    return op.sum(op.reshape(all, [nodes.weights.length, ...y.shape]), 0);
  };
  return op.sum<Tensor1D>(present === undefined ? entries() : op.mul(present, entries()), 1);
}
