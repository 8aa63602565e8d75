import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import type { Mapping, Posterior, Projection } from '../model/model.ts';
import { minimizeBatch } from './minimize/minimizeBatch.ts';
import { slices } from './minimize/slices.ts';
import { projectionStarts } from './projectionStarts.ts';
import { lbfgs } from './solvers/lbfgs.ts';

/** How the latents of new observations are looked for. */
export interface ProjectionSettings {
  /** How many training latents the search for a row starts from at the most. */
  readonly starts: number;
  readonly maxIterations: number;
  /** Largest entry of the gradient at which a search has converged. */
  readonly tolerance: number;
}

/** Entries of the covariances between searches and training points that are held at a time: 16 MiB a matrix of them. */
const MOST_ENTRIES = 2 ** 21;

/**
 * The latents of new observations: through the back-constraint where there is one; otherwise, for every row, the maximum of
 * log p(y*|x*) + log p(x*), searched from the training latents that are likelier than those near them. Rows are taken in blocks, whose searches go
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
  const { latents, mapping, placement } = posterior;
  signal?.throwIfAborted();
  if (placement !== undefined) return placement.place(Y);
  const predictiveDensity = mapping?.predictiveDensity;
  if (mapping === undefined || predictiveDensity === undefined) {
    throw new InvalidInputError('This model has no mapping from latents to observations, so it cannot place new ones.');
  }
  const X = Matrix.zeros(Y.rows, latents.columns);
  const logDensity = new Float64Array(Y.rows);
  const perRow = Math.min(settings.starts, latents.rows);
  const rowsAtOnce = Math.max(1, Math.floor(MOST_ENTRIES / (perRow * latents.rows)));
  const candidates = projectionStarts(latents, mapping.predict(latents, true), perRow);
  const spread = latents.data.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  const slice = slices();
  const pause = async () => {
    if (slice.isOver()) await slice.leave();
    signal?.throwIfAborted();
  };
  for (let from = 0; from < Y.rows; from += rowsAtOnce) {
    const rows = Array.from({ length: Math.min(rowsAtOnce, Y.rows - from) }, (_, r) => from + r);
    const block = rowsOf(Y, rows);
    const starts: Float64Array[][] = [];
    for (let r = 0; r < block.rows; r++) {
      starts.push(candidates.of(block.row(r)));
      await pause();
    }
    const search = searches(predictiveDensity, block, starts, spread, settings);
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

/** How many of a row's searches go on, and for how many iterations each time: those that have come furthest. */
const ROUNDS = [
  { searches: Number.POSITIVE_INFINITY, iterations: 3 },
  { searches: 4, iterations: 6 },
  { searches: 2, iterations: Number.POSITIVE_INFINITY },
];

/** Searches closer than this, as part of the spread of the latents, have come to one maximum. */
const SAME = 1e-3;

/**
 * The best point for each row. All of a row's searches take a few steps, the furthest of those some more, and the best two go on to the end;
 * pauses after every evaluation.
 *
 * @param starts - of each row, at least one
 * @param spread - a length of the latents
 */
function* searches(
  predictiveDensity: NonNullable<Mapping['predictiveDensity']>,
  Y: Matrix,
  starts: readonly (readonly Float64Array[])[],
  spread: number,
  { maxIterations, tolerance }: ProjectionSettings,
): Generator<void, Float64Array[], void> {
  let found = starts.map((own) => own.map((point) => ({ point, value: Number.NaN })));
  for (const round of ROUNDS) {
    const rows = found.flatMap((own, row) => own.map(() => row));
    const { points, values } = yield* minimizeBatch(
      (problems, asked) => {
        const own = rowsOf(
          Y,
          problems.map((problem) => rows[problem]!),
        );
        const { posterior: sums, gradient } = predictiveDensity(stacked(asked, asked[0]!.length), own);
        return {
          values: sums.map((sum) => (Number.isFinite(sum) ? -sum : Number.NaN)),
          gradients: problems.map((_, k) => gradient.row(k).map((entry) => -entry)),
        };
      },
      found.flatMap((own) => own.map(({ point }) => point)),
      lbfgs(),
      { maxIterations: Math.min(round.iterations, maxIterations), tolerance },
    );
    let problem = 0;
    found = found.map((own) => own.map(() => ({ point: points[problem]!, value: values[problem++]! })));
    const next = ROUNDS[ROUNDS.indexOf(round) + 1];
    if (next !== undefined) found = found.map((own) => furthest(own, next.searches, SAME * spread));
  }
  return found.map((own) => furthest(own, 1, 0)[0]!.point);
}

/** The searches of smallest value that are apart from each other, at most as many as asked for; those without a value last. */
function furthest<T extends { readonly point: Float64Array; readonly value: number }>(
  searches: readonly T[],
  count: number,
  apart: number,
): T[] {
  const rank = ({ value }: T) => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : value);
  const kept: T[] = [];
  for (const search of [...searches].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))) {
    const isNew = kept.every(({ point }) => point.some((entry, d) => Math.abs(entry - search.point[d]!) > apart));
    if (kept.length < count && isNew) kept.push(search);
  }
  return kept;
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
