import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { seededRandom } from '../core/random.ts';
import { kMeansRun } from '../numerics/kMeans.ts';

/** Centres are a choice, not a draw: they come from one seed. */
const SEED = 0;
const MOST_ITERATIONS = 100;

/**
 * Centres of a k-means clustering of the rows of X, from one fixed seed (k-means++ start).
 *
 * @param X - N×q points
 * @param count - number of centres, at most N
 * @returns count×q, in the order of their first coordinates
 * @throws InvalidInputError when there are fewer different points than centres
 */
export function centresOf(X: Matrix, count: number): Matrix {
  const different = new Set(X.toArrays().map(String)).size;
  if (count > different) {
    throw new InvalidInputError(`${count} centres were asked for, but there are ${different} different points.`);
  }
  const { centres } = kMeansRun(X, count, seededRandom(SEED), MOST_ITERATIONS);
  return Matrix.from(centres.toArrays().sort((a, b) => a[0]! - b[0]! || a.at(-1)! - b.at(-1)!));
}
