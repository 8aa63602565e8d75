import { kmeans } from 'ml-kmeans';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';

/** Centres are a choice, not a draw: they come from one seed. */
const SEED = 0;

/**
 * Centres of a k-means clustering of the rows of X, from one fixed seed (k-means++ start).
 *
 * @param X - N×q points
 * @param count - number of centres, at most N
 * @returns count×q, in the order of their first coordinates
 * @throws InvalidInputError when there are fewer different points than centres
 */
export function centresOf(X: Matrix, count: number): Matrix {
  const points = X.toArrays();
  const different = new Set(points.map(String)).size;
  if (count > different) {
    throw new InvalidInputError(`${count} centres were asked for, but there are ${different} different points.`);
  }
  const { centroids } = kmeans(points, count, { initialization: 'kmeans++', seed: SEED, maxIterations: 100 });
  return Matrix.from(centroids.sort((a, b) => a[0]! - b[0]! || a.at(-1)! - b.at(-1)!));
}
