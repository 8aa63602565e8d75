import type { Kernel } from '../../kernels/kernel.ts';
import { featuresOf, symmetricBasisOf } from '../../kernels/structure/index.ts';
import type { CovarianceStructure } from './covariance.ts';
import { denseStructure } from './dense.ts';
import { lowRankStructure } from './lowRank.ts';
import { symmetricBasisStructure } from './symmetricBasis.ts';

/**
 * The cheapest linear algebra that a kernel allows for so many points of so many columns: that of its features where they are fewer than
 * the points, of a symmetric basis where it has one, of N×N matrices otherwise.
 */
export function structureOf(kernel: Kernel, points: number, columns: number): CovarianceStructure {
  const features = featuresOf(kernel, columns);
  if (features !== undefined && features.rank > 0 && features.rank < points) return lowRankStructure(features);
  const basis = symmetricBasisOf(kernel, columns);
  return basis === undefined ? denseStructure(kernel) : symmetricBasisStructure(kernel, basis);
}
