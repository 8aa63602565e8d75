import { exp, log } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { stacked } from '../../core/rowMatrices.ts';
import { symmetricEigenpairs } from '../../engine/dense/eigenpairs.ts';
import { hessiansAt, STEP } from './localCoordinates.ts';
import type { DensityOfRows, Search } from './search.ts';

/** Mode of the posterior of a row's position, with the Gaussian of the same curvature. */
export interface PlaceMode {
  /** q entries. */
  readonly point: Float64Array;
  /** Share of the posterior mass; the shares of a row add up to 1. */
  readonly weight: number;
  /** Axes of the Gaussian, A, q×q, with Σ = AᵀA: its rows are as long as the standard deviations. */
  readonly axes: Matrix;
}

/**
 * Posterior p(x*|y*) of each row's position as a mixture of Gaussians, one at every maximum x_m of the search, with
 * Σ_m = (−∂² log p(x|y*))⁻¹ there and weights ∝ p(x_m|y*)·|Σ_m|^½ (Laplace's approximation).
 *
 * Along flat directions of the density, which are possible without a prior, the fitted points limit the spread: no standard deviation exceeds `reach`.
 *
 * @param density - density of rows at points, with its gradient
 * @param found - maxima of each row, best first
 * @param length - typical distance between neighbors
 * @param reach - the largest standard deviation
 */
export function* placeModes(
  density: DensityOfRows,
  found: readonly (readonly Search[])[],
  length: number,
  reach: number,
): Generator<void, PlaceMode[][], void> {
  const all = found.flat();
  const q = all[0]!.point.length;
  const own = all.map(({ row }) => row);
  const hessians = yield* hessiansAt(
    (points) => density(stacked(points, q), own).gradient,
    all.map(({ point }) => point),
    STEP * length,
  );
  let at = 0;
  return found.map((searches) => {
    const modes = searches.map(({ point, value }) => {
      const { axes, logVolume } = gaussianAxes(hessians[at++]!, reach);
      return { point, axes, logWeight: logVolume - value };
    });
    const most = Math.max(...modes.map(({ logWeight }) => logWeight));
    // Maxima without a finite curvature have equal shares.
    const weights = modes.map(({ logWeight }) => (Number.isFinite(most) ? exp(logWeight - most) : 1));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return modes.map(({ point, axes }, m) => ({ point, axes, weight: weights[m]! / total }));
  });
}

/** Axes of the Gaussian with the curvature of a log density, and log |Σ|^½. */
function gaussianAxes(hessian: Matrix, reach: number): { axes: Matrix; logVolume: number } {
  const q = hessian.rows;
  const axes = Matrix.zeros(q, q);
  if (!hessian.data.every(Number.isFinite)) return { axes, logVolume: Number.NEGATIVE_INFINITY };
  const { values, vectors } = symmetricEigenpairs(hessian);
  let logVolume = 0;
  values.forEach((value, e) => {
    const size = Math.min(reach, 1 / Math.sqrt(Math.max(0, -value)));
    logVolume += log(size);
    for (let d = 0; d < q; d++) axes.data[e * q + d] = size * vectors.at(d, e);
  });
  return { axes, logVolume };
}

/** Variances of the latents of each row at its best maximum, n×q. */
export function modeVariances(places: readonly (readonly PlaceMode[])[], q: number): Matrix {
  const variances = Matrix.zeros(places.length, q);
  places.forEach((modes, i) => {
    modes[0]!.axes.data.forEach((entry, index) => {
      variances.data[i * q + (index % q)]! += entry * entry;
    });
  });
  return variances;
}
