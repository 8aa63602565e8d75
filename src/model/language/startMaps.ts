import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { seededRandom } from '../../core/random.ts';
import type { Embedding } from '../computation.ts';
import { initialLatents } from '../initialization.ts';
import type { StartKind } from '../model.ts';
import { spreadMap, tsneWork } from '../neighborStart.ts';
import type { Node } from './graph.ts';
import { isGaussian, type LatentVariable } from './variable.ts';

/** Computes a spectral embedding of complete observations (N×D), N×q; loaded on demand. */
export type SpectralStart = (
  kind: 'isomap' | 'eigenmaps',
) => Promise<(observations: Matrix, latentDim: number) => Embedding>;

/**
 * A centered t-SNE map as the initial value of a variable. Points have a standard deviation of 2 per column, which separates its clusters at
 * lengthscale 1; Gaussian rows have 1, the standard deviation of their prior.
 */
export function* tsneMapOf(observations: Matrix, { variable }: Node<LatentVariable>): ProgressiveWork<Matrix> {
  const latents = yield* tsneWork(observations, variable.dim);
  const place = isGaussian(variable) ? initialLatents : spreadMap;
  return place({ latents }, observations, variable.dim);
}

/**
 * Loads a function that computes alternative initial values of a variable from the observations and a seed: principal components, an embedding with
 * unit variance per column, a t-SNE map, or standard normal draws.
 *
 * @throws InvalidInputError for a spectral embedding of a model that has none
 */
export async function startMapOf(
  owner: string,
  kind: Exclude<StartKind, 'model'>,
  node: Node<LatentVariable>,
  spectralStart: SpectralStart | undefined,
): Promise<(observations: Matrix, seed: number) => Matrix> {
  const { dim } = node.variable;
  if (kind === 'pca') return (Y) => initialLatents(kind, Y, dim);
  if (kind === 'random') return ({ rows }, seed) => normals(rows, dim, seed);
  if (kind === 'tsne') return (Y) => completed(tsneMapOf(Y, node));
  if (spectralStart === undefined) {
    throw new InvalidInputError(
      `The latents of ${owner} start at 'pca', 'tsne' or 'random', but '${kind}' was given in inits of restarts.`,
    );
  }
  const embedding = await spectralStart(kind);
  return (Y) => initialLatents(embedding(Y, dim), Y, dim);
}

function normals(rows: number, columns: number, seed: number): Matrix {
  const random = seededRandom(seed);
  return Matrix.zeros(rows, columns).map(() => random.normal());
}
