import { exp, log } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import type { LatentDistributions, LatentMoments } from '../model/posterior.ts';
import { minimizeBatch } from './minimize/minimizeBatch.ts';
import { lbfgs } from './solvers/lbfgs.ts';

/** Rows whose means and variances are searched together. */
const ROWS = 64;

/**
 * The Gaussians of new rows at which the bound is greatest, searched from points, each with the variances of the training point nearest to it.
 *
 * @param latents - means of the training points, N×q
 * @param X - where the search starts, n×q
 * @param pause - awaited after every evaluation
 */
export async function projectedGaussians(
  { variances, placedBound }: Required<Pick<LatentDistributions, 'variances' | 'placedBound'>>,
  latents: Matrix,
  Y: Matrix,
  X: Matrix,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
  pause: () => Promise<void>,
): Promise<LatentMoments> {
  const found = { mean: Matrix.zeros(X.rows, X.columns), variance: Matrix.zeros(X.rows, X.columns) };
  for (let from = 0; from < X.rows; from += ROWS) {
    const n = Math.min(ROWS, X.rows - from);
    const some = (M: Matrix) => new Matrix(M.data.slice(from * M.columns, (from + n) * M.columns), n, M.columns);
    const rows = some(Y);
    const size = n * X.columns;
    // The logarithms of the variances are searched.
    const at = (z: Float64Array): LatentMoments => ({
      mean: new Matrix(z.slice(0, size), n, X.columns),
      variance: new Matrix(z.slice(size).map(exp), n, X.columns),
    });
    const start = some(X);
    const near = nearestRows(start, latents).flatMap((row) => Array.from(variances.row(row), log));
    const search = minimizeBatch(
      (_, [z]) => {
        const x = at(z!);
        const { value, mean, variance } = placedBound(rows, x);
        const gradient = new Float64Array(2 * size);
        gradient.set(mean.data.map((own) => -own));
        gradient.set(
          variance.data.map((own, k) => -own * x.variance.data[k]!),
          size,
        );
        return { values: Float64Array.of(-value), gradients: [gradient] };
      },
      [Float64Array.of(...start.data, ...near)],
      lbfgs(),
      { maxIterations, tolerance },
    );
    let step = search.next();
    while (!step.done) {
      await pause();
      step = search.next();
    }
    const { mean, variance } = at(step.value.points[0]!);
    found.mean.data.set(mean.data, from * X.columns);
    found.variance.data.set(variance.data, from * X.columns);
  }
  return found;
}

/** The row of `others` nearest to each row of X. */
function nearestRows(X: Matrix, others: Matrix): number[] {
  return Array.from({ length: X.rows }, (_, i) => {
    let [nearest, least] = [0, Number.POSITIVE_INFINITY];
    for (let j = 0; j < others.rows; j++) {
      let distance = 0;
      for (let d = 0; d < X.columns; d++) {
        const gap = X.at(i, d) - others.at(j, d);
        distance += gap * gap;
      }
      if (distance < least) [nearest, least] = [j, distance];
    }
    return nearest;
  });
}
