import { checkAllPairs } from '../../core/allPairs.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { featuresOf, symmetricBasisOf } from '../../kernels/structure/index.ts';
import type { CovarianceStructure } from './covariance.ts';
import { denseStructure } from './dense.ts';
import { lowRankStructure } from './lowRank.ts';
import { symmetricBasisStructure } from './symmetricBasis.ts';

/** Largest number of points whose covariance, factor and gradient fit into the 4 GiB of the float64 backend. */
const MOST_POINTS = Math.floor(Math.sqrt(2 ** 32 / (3 * 8)));

/**
 * The cheapest linear algebra that a kernel allows for this number of points and columns: with its features if they are fewer than the points, with a
 * symmetric basis if it has one, otherwise with N×N matrices.
 *
 * @throws InvalidInputError for more points than N×N matrices have memory for
 */
export function structureOf(kernel: Kernel, points: number, columns: number): CovarianceStructure {
  const features = featuresOf(kernel, columns);
  if (features !== undefined && features.rank > 0 && features.rank < points) return lowRankStructure(features);
  checkAllPairs(
    'A Gaussian process with this kernel',
    points,
    'Give it inducing inputs (inducing: 100), or a kernel of fewer features than points, such as linear.',
    MOST_POINTS,
  );
  const basis = symmetricBasisOf(kernel, columns);
  return basis === undefined ? denseStructure(kernel) : symmetricBasisStructure(kernel, basis);
}
