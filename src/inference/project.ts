import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import type { Posterior, Prediction, Projection } from '../model/model.ts';
import { minimizeBatch } from './minimize/minimizeBatch.ts';
import { slices } from './minimize/slices.ts';
import { lbfgs } from './solvers/lbfgs.ts';

/** How the latents of new observations are looked for. */
export interface ProjectionSettings {
  /** How many training latents each search starts from. */
  readonly starts: number;
  readonly maxIterations: number;
  /** Largest entry of the gradient at which a search has converged. */
  readonly tolerance: number;
}

/** Entries of the covariances between searches and training points that are held at a time: 16 MiB a matrix of them. */
const MOST_ENTRIES = 2 ** 21;

/**
 * The latents of new observations: through the back-constraint where there is one; otherwise, for every row, the maximum of
 * log p(y*|x*) + log p(x*), searched from the training latents of highest predictive density. Rows are taken in blocks, whose searches go
 * side by side, so that the memory does not grow with their number; the thread is left for other work in between.
 *
 * @param posterior - a fitted model
 * @param Y - n×D new observations; NaN counts as not observed, but a back-constraint needs complete rows
 * @param signal - aborting it throws the signal's reason
 * @returns latents n×q and log p(y*|x*) of each row
 * @throws InvalidInputError when the model gives no predictive density
 * @see Jiang et al. 2014, §III-E
 */
export async function project(
  posterior: Posterior,
  Y: Matrix,
  settings: ProjectionSettings,
  signal?: AbortSignal,
): Promise<Projection> {
  const { latents, predictiveDensity, encode, place } = posterior;
  signal?.throwIfAborted();
  if (place !== undefined) return place(Y);
  if (predictiveDensity === undefined) {
    throw new InvalidInputError('This model has no mapping from latents to observations, so it cannot place new ones.');
  }
  if (encode !== undefined) {
    const X = encode(Y);
    return { latents: X, logDensity: predictiveDensity(X, Y).density };
  }
  const X = Matrix.zeros(Y.rows, latents.columns);
  const logDensity = new Float64Array(Y.rows);
  const perRow = Math.min(settings.starts, latents.rows);
  const rowsAtOnce = Math.max(1, Math.floor(MOST_ENTRIES / (perRow * latents.rows)));
  const training = withLogarithms(posterior.predict(latents, true));
  const slice = slices();
  const pause = async () => {
    if (slice.isOver()) await slice.leave();
    signal?.throwIfAborted();
  };
  for (let from = 0; from < Y.rows; from += rowsAtOnce) {
    const rows = Array.from({ length: Math.min(rowsAtOnce, Y.rows - from) }, (_, r) => from + r);
    const block = rowsOf(Y, rows);
    const starts: Float64Array[] = [];
    for (let r = 0; r < block.rows; r++) {
      starts.push(...bestLatents(latents, training, block.row(r), perRow));
      await pause();
    }
    const search = searches(predictiveDensity, block, starts, settings);
    let step = search.next();
    while (!step.done) {
      await pause();
      step = search.next();
    }
    const found = stacked(step.value, latents.columns);
    X.data.set(found.data, from * latents.columns);
    logDensity.set(predictiveDensity(found, block).density, from);
  }
  return { latents: X, logDensity };
}

/** The best point for each row, of the searches from as many starts for each; pauses after every evaluation. */
function* searches(
  predictiveDensity: NonNullable<Posterior['predictiveDensity']>,
  Y: Matrix,
  starts: readonly Float64Array[],
  settings: ProjectionSettings,
): Generator<void, Float64Array[], void> {
  const perRow = starts.length / Y.rows;
  const { points, values } = yield* minimizeBatch(
    (problems, asked) => {
      const rows = problems.map((problem) => Math.floor(problem / perRow));
      const { posterior: sums, gradient } = predictiveDensity(stacked(asked, starts[0]!.length), rowsOf(Y, rows));
      return {
        values: sums.map((sum) => (Number.isFinite(sum) ? -sum : Number.NaN)),
        gradients: problems.map((_, k) => gradient.row(k).map((entry) => -entry)),
      };
    },
    starts,
    lbfgs(),
    settings,
  );
  const isBetter = (k: number, than: number) => values[k]! < values[than]! || Number.isNaN(values[than]);
  return Array.from({ length: Y.rows }, (_, i) => {
    const candidates = Array.from({ length: perRow }, (_, s) => i * perRow + s);
    return points[candidates.reduce((best, k) => (isBetter(k, best) ? k : best))]!;
  });
}

/** A prediction with the logarithms of its variances. */
interface LogPrediction extends Prediction {
  readonly logVariance: Matrix;
}

function withLogarithms(prediction: Prediction): LogPrediction {
  const { variance } = prediction;
  return { ...prediction, logVariance: new Matrix(variance.data.map(Math.log), variance.rows, variance.columns) };
}

/** The training latents of highest predictive density of an observation y, best first; ties by index. */
function bestLatents(
  latents: Matrix,
  { mean, variance, logVariance }: LogPrediction,
  y: Float64Array,
  count: number,
): Float64Array[] {
  const density = Float64Array.from({ length: latents.rows }, (_, k) => {
    let sum = 0;
    for (let j = 0; j < y.length; j++) {
      const entry = y[j]!;
      if (Number.isNaN(entry)) continue;
      sum -= 0.5 * (logVariance.at(k, j) + (entry - mean.at(k, j)) ** 2 / variance.at(k, j));
    }
    return Number.isNaN(sum) ? Number.NEGATIVE_INFINITY : sum;
  });
  const order = Array.from(density.keys()).sort((a, b) =>
    density[a] === density[b] ? a - b : density[b]! - density[a]!,
  );
  return order.slice(0, count).map((k) => latents.row(k));
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
