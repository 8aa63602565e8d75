import { square } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import type { Prediction } from './posterior.ts';

/**
 * Mean and variance of mixtures with equal weights, and the Monte Carlo standard error of the mean (undefined for a single component).
 *
 * @param mean - means of the components, copies of the n rows one below the other, copies·n×D
 * @param variance - variances of the components likewise
 * @param copies - number of components of each mixture
 * @returns n×D each
 */
export function equalMixture(mean: Matrix, variance: Matrix, copies: number): Prediction {
  if (copies === 1) return { mean, variance };
  const rows = mean.rows / copies;
  const [first, second, error] = [0, 1, 2].map(() => Matrix.zeros(rows, mean.columns)) as [Matrix, Matrix, Matrix];
  const size = first.data.length;
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let k = 0; k < copies; k++) sum += mean.data[k * size + i]!;
    const center = sum / copies;
    let [within, between] = [0, 0];
    for (let k = 0; k < copies; k++) {
      within += variance.data[k * size + i]! / copies;
      between += square(mean.data[k * size + i]! - center) / copies;
    }
    first.data[i] = center;
    second.data[i] = within + between;
    error.data[i] = Math.sqrt(between / copies);
  }
  return { mean: first, variance: second, meanError: error };
}
