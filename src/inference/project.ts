import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import type { Posterior, Projection } from '../core/model.ts';
import { minimizeBatch } from './minimizeBatch.ts';
import { lbfgs } from './solvers/lbfgs.ts';

/** How the latents of new observations are looked for. */
export interface ProjectionSettings {
  /** How many training latents each search starts from. */
  readonly starts: number;
  readonly maxIterations: number;
  /** Largest entry of the gradient at which a search has converged. */
  readonly tolerance: number;
}

/**
 * The latents of new observations: through the back-constraint where there is one; otherwise, for every row at once, the maximum of
 * log p(y*|x*) + log p(x*), searched from the training latents of highest predictive density.
 *
 * @param posterior - a fitted model
 * @param Y - n×D new observations; NaN counts as not observed, but a back-constraint needs complete rows
 * @returns latents n×q and log p(y*|x*) of each row
 * @throws InvalidInputError when the model gives no predictive density
 * @see Jiang et al. 2014, §III-E
 */
export function project(posterior: Posterior, Y: Matrix, settings: ProjectionSettings): Projection {
  const { latents, predictiveDensity, encode, place } = posterior;
  if (place !== undefined) return place(Y);
  if (predictiveDensity === undefined) {
    throw new InvalidInputError('This model has no mapping from latents to observations, so it cannot place new ones.');
  }
  if (encode !== undefined) {
    const X = encode(Y);
    return { latents: X, logDensity: predictiveDensity(X, Y).density };
  }
  const q = latents.columns;
  const starts = bestLatents(posterior, Y, Math.min(settings.starts, latents.rows));
  const rowOf = (problem: number) => Math.floor(problem / starts.perRow);
  const { points, values } = minimizeBatch(
    (problems, asked) => {
      const { posterior: sums, gradient } = predictiveDensity(stacked(asked, q), rowsOf(Y, problems.map(rowOf)));
      return {
        values: sums.map((sum) => (Number.isFinite(sum) ? -sum : Number.NaN)),
        gradients: problems.map((_, k) => gradient.row(k).map((entry) => -entry)),
      };
    },
    starts.points,
    lbfgs(),
    settings,
  );
  const chosen = Array.from({ length: Y.rows }, (_, i) => {
    const candidates = Array.from({ length: starts.perRow }, (_, s) => i * starts.perRow + s);
    return points[candidates.reduce((best, k) => (values[k]! < values[best]! ? k : best))]!;
  });
  const X = stacked(chosen, q);
  return { latents: X, logDensity: predictiveDensity(X, Y).density };
}

/** For every row of Y the training latents of highest predictive density, best first; ties by index. */
function bestLatents(posterior: Posterior, Y: Matrix, perRow: number): { points: Float64Array[]; perRow: number } {
  const { latents } = posterior;
  const { mean, variance } = posterior.predict(latents, true);
  const indices = Array.from({ length: latents.rows }, (_, k) => k);
  const points: Float64Array[] = [];
  for (let i = 0; i < Y.rows; i++) {
    const density = indices.map((k) => {
      let sum = 0;
      for (let j = 0; j < Y.columns; j++) {
        const entry = Y.at(i, j);
        if (Number.isNaN(entry)) continue;
        sum -= 0.5 * (Math.log(variance.at(k, j)) + (entry - mean.at(k, j)) ** 2 / variance.at(k, j));
      }
      return sum;
    });
    const order = indices.slice().sort((a, b) => density[b]! - density[a]! || a - b);
    for (const k of order.slice(0, perRow)) points.push(latents.row(k));
  }
  return { points, perRow };
}

function stacked(points: readonly Float64Array[], q: number): Matrix {
  const result = Matrix.zeros(points.length, q);
  points.forEach((point, i) => {
    result.data.set(point, i * q);
  });
  return result;
}

function rowsOf(Y: Matrix, rows: readonly number[]): Matrix {
  return stacked(
    rows.map((i) => Y.row(i)),
    Y.columns,
  );
}
