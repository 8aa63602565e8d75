import { square } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import type { ProgressiveWork } from '../core/progressiveWork.ts';
import { jointProbabilities, perplexityFor } from '../engine/neighborEmbedding/affinities.ts';
import { tsneDescent } from '../engine/neighborEmbedding/descents.ts';
import { type Initialization, initialLatents } from './initialization.ts';

/** The usual schedule of t-SNE: number of steps, largest number of steps with early exaggeration, its factor, and the standard deviation of the start. */
export const TSNE_SCHEDULE = { steps: 750, early: 250, exaggeration: 12, deviation: 1e-4 } as const;

/**
 * The latents of t-SNE with its default options.
 *
 * @throws InvalidInputError like `tsne`
 */
export function* tsneWork(points: Matrix, latentDim: number): ProgressiveWork<Matrix> {
  const { rows: N } = points;
  checkMapped(points, 'tsne');
  const { steps, early, exaggeration, deviation } = TSNE_SCHEDULE;
  const perplexity = perplexityFor(N);
  const neighbors = Math.min(N - 1, Math.ceil(3 * perplexity));
  const P = yield* jointProbabilities(points, { perplexity, neighbors }, 'model tsne');
  const latents = withDeviation(initialLatents('pca', points, latentDim), deviation);
  const descent = tsneDescent(P, latentDim, latents.data, { factor: exaggeration, steps: early });
  for (let number = 0; number < steps; number++) {
    descent.step(number);
    yield (number + 1) / steps;
  }
  return latents;
}

/** Standard deviation of a map used as the initial latents of a mapping, which separates its clusters at lengthscale 1. */
const MAP_DEVIATION = 2;

/** The latents of a map as initial latents of a mapping: centered, with a standard deviation of 2 per column. */
export function spreadMap(map: Initialization, Y: Matrix, latentDim: number): Matrix {
  return initialLatents(map, Y, latentDim).map((entry) => MAP_DEVIATION * entry);
}

/** Latents whose first column has a prescribed root mean square. */
export function withDeviation(start: Matrix, deviation: number): Matrix {
  let total = 0;
  for (let i = 0; i < start.rows; i++) total += square(start.at(i, 0)) / start.rows;
  const factor = deviation / Math.sqrt(total);
  return start.map((entry) => factor * entry);
}

/** Throws for fewer than three points, which have no map. */
export function checkMapped({ rows }: Matrix, name: string): void {
  if (rows >= 3) return;
  throw new InvalidInputError(`${name} takes at least 3 points, but there are ${rows}. Give more points.`);
}
