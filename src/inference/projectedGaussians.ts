import { exp, log, square } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import { rowsOf, stacked } from '../core/rowMatrices.ts';
import type { LatentDistributions, LatentMoments } from '../model/posterior.ts';
import { minimizeBatch } from './minimize/minimizeBatch.ts';
import { lbfgs } from './solvers/lbfgs.ts';

/** Rows that are searched side by side. */
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
  const q = X.columns;
  const found = { mean: Matrix.zeros(X.rows, q), variance: Matrix.zeros(X.rows, q) };
  for (let from = 0; from < X.rows; from += ROWS) {
    const block = Array.from({ length: Math.min(ROWS, X.rows - from) }, (_, n) => from + n);
    // The means and the logarithms of the variances are searched, each row's by themselves.
    const search = minimizeBatch(
      (problems, asked) => {
        const x = {
          mean: stacked(
            asked.map((z) => z.subarray(0, q)),
            q,
          ),
          variance: stacked(
            asked.map((z) => z.subarray(q).map(exp)),
            q,
          ),
        };
        const { values, mean, variance } = placedBound(
          rowsOf(
            Y,
            problems.map((n) => from + n),
          ),
          x,
        );
        const gradients = asked.map((_, n) => {
          const own = mean.row(n);
          const log = variance.row(n).map((slope, d) => slope * x.variance.at(n, d));
          return Float64Array.of(...own, ...log).map((entry) => -entry);
        });
        return { values: values.map((value) => (Number.isFinite(value) ? -value : Number.NaN)), gradients };
      },
      block.map((row) => Float64Array.of(...X.row(row), ...variances.row(nearestRow(X.row(row), latents)).map(log))),
      lbfgs(),
      { maxIterations, tolerance },
    );
    let step = search.next();
    while (!step.done) {
      await pause();
      step = search.next();
    }
    step.value.points.forEach((z, n) => {
      found.mean.data.set(z.subarray(0, q), block[n]! * q);
      found.variance.data.set(z.subarray(q).map(exp), block[n]! * q);
    });
  }
  return found;
}

/** The row of `others` nearest to x. */
function nearestRow(x: Float64Array, others: Matrix): number {
  let [nearest, least] = [0, Number.POSITIVE_INFINITY];
  for (let j = 0; j < others.rows; j++) {
    const distance = x.reduce((sum, entry, d) => sum + square(entry - others.at(j, d)), 0);
    if (distance < least) [nearest, least] = [j, distance];
  }
  return nearest;
}
