import { square } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { rowsOf, stacked } from '../core/rowMatrices.ts';
import type { AnyPosterior, PlacedRows, PlaceMode } from '../model/posterior.ts';
import { slices } from './minimize/slices.ts';
import { modeVariances, placeModes } from './placeModes.ts';
import { projectedGaussians } from './projectedGaussians.ts';
import { type ProjectionSettings, projectionSearch } from './projectionSearch.ts';
import { weightedPlaces } from './weightedPlaces.ts';

/** Entries of the covariances between searches and training points that are held at a time: 16 MiB a matrix of them. */
const MOST_ENTRIES = 2 ** 21;

/**
 * The latents of new observations: of complete rows through the back-constraint where there is one; otherwise, for every row, the maximum of
 * log p(y*|x*) + log p(x*) over what is observed of y*, searched from the training latents that are likelier than those near them. Rows are taken
 * in blocks, whose searches go side by side, so that the memory does not grow with their number; the thread is left for other work in between. Where latents
 * are distributions, the Gaussian of greatest bound is searched from there and from those of these training points; where they are points, each has the Gaussian of the same curvature.
 *
 * @param posterior - a fitted model
 * @param Y - n×D new observations; NaN counts as not observed
 * @param signal - aborting it throws the signal's reason
 * @param fills - true where missing entries are to be predicted, over all places where a row may lie: one Gaussian is not searched then
 * @returns latents n×q and log p(y*|x*) of each row
 * @throws InvalidInputError when the model gives no predictive density
 * @see Jiang et al. 2014, §III-E
 */
export async function project(
  posterior: AnyPosterior,
  Y: Matrix,
  settings: ProjectionSettings,
  signal?: AbortSignal,
  fills = false,
): Promise<PlacedRows> {
  const { placement } = posterior;
  signal?.throwIfAborted();
  if (placement === undefined) return searched(posterior, Y, settings, signal, fills);
  const holed = placement.searchesMissing ? rowsWith(Y, true) : [];
  // Work on an engine runs synchronously until its first await.
  const placed = async (rows: Matrix) => placement.place(rows, await placement.found?.(rows));
  if (holed.length === 0) return placed(Y);
  const X = Matrix.zeros(Y.rows, posterior.latents.columns);
  // Latents that are computed from complete rows are known exactly.
  const variances = Matrix.zeros(X.rows, X.columns);
  const logDensity = new Float64Array(Y.rows);
  const put = ({ latents, latentVariances, logDensity: own }: PlacedRows, rows: readonly number[]) =>
    rows.forEach((row, r) => {
      X.data.set(latents.row(r), row * X.columns);
      if (latentVariances !== undefined) variances.data.set(latentVariances.row(r), row * X.columns);
      logDensity[row] = own[r]!;
    });
  const whole = rowsWith(Y, false);
  if (whole.length > 0) put(await placed(rowsOf(Y, whole)), whole);
  const found = await searched(posterior, rowsOf(Y, holed), settings, signal, fills);
  put(found, holed);
  const { places } = found;
  return {
    latents: X,
    latentVariances: variances,
    logDensity,
    ...(places && {
      places: async () => {
        const all = Array.from({ length: Y.rows }, (): readonly PlaceMode[] => []);
        for (const [r, own] of (await places()).entries()) all[holed[r]!] = own;
        return all;
      },
    }),
  };
}

/** The rows that have missing entries, or those that have none. */
export const rowsWith = (Y: Matrix, missing: boolean): number[] =>
  Array.from({ length: Y.rows }, (_, i) => i).filter((i) => Y.row(i).some(Number.isNaN) === missing);

async function searched(
  { latents, mapping, distribution }: AnyPosterior,
  Y: Matrix,
  settings: ProjectionSettings,
  signal: AbortSignal | undefined,
  fills: boolean,
): Promise<PlacedRows> {
  const predictiveDensity = mapping?.predictiveDensity;
  if (mapping === undefined || predictiveDensity === undefined) {
    throw new InvalidInputError('This model has no mapping from latents to observations, so it cannot place new ones.');
  }
  const { variances, placedBound } = fills ? {} : (distribution ?? {});
  const X = Matrix.zeros(Y.rows, latents.columns);
  const logDensity = new Float64Array(Y.rows);
  const training: (readonly number[])[] = [];
  const perRow = Math.min(settings.starts, latents.rows);
  const rowsAtOnce = Math.max(1, Math.floor(MOST_ENTRIES / (perRow * latents.rows)));
  // Loaded when asked for: a page that only fits does without nearest neighbours.
  const { projectionStarts } = await import('./projectionStarts.ts');
  const candidates = projectionStarts(latents, mapping.predict(latents, true), perRow);
  const slice = slices();
  const pause = async () => {
    if (slice.isOver()) await slice.leave();
    signal?.throwIfAborted();
  };
  const modes: PlaceMode[][] = [];
  const reach = largestDeviation(latents);
  const run = async <T>(search: Generator<void, T, void>): Promise<T> => {
    let step = search.next();
    while (!step.done) {
      await pause();
      step = search.next();
    }
    return step.value;
  };
  for (let from = 0; from < Y.rows; from += rowsAtOnce) {
    const rows = Array.from({ length: Math.min(rowsAtOnce, Y.rows - from) }, (_, r) => from + r);
    const block = rowsOf(Y, rows);
    const starts: ReturnType<typeof candidates.of>[] = [];
    for (let r = 0; r < block.rows; r++) {
      starts.push(candidates.of(block.row(r)));
      await pause();
    }
    const ends = await run(projectionSearch(predictiveDensity, block, starts, candidates.length, settings));
    const found = stacked(
      ends.map(([best]) => best!.point),
      latents.columns,
    );
    X.data.set(found.data, from * latents.columns);
    if (placedBound !== undefined) {
      training.push(...starts.map(({ rows }) => rows));
      continue;
    }
    logDensity.set(predictiveDensity(found, block).density, from);
    modes.push(...(await run(placeModes(predictiveDensity, block, ends, candidates.length, reach))));
  }
  const places = () => run(weightedPlaces(predictiveDensity, Y, modes, latents, candidates.length));
  if (variances === undefined || placedBound === undefined) {
    return { latents: X, latentVariances: modeVariances(modes, X.columns), logDensity, places };
  }
  const fitted = { mean: latents, variance: variances };
  const { mean, variance } = await projectedGaussians(placedBound, fitted, Y, { X, training }, settings, pause);
  return { latents: mean, latentVariances: variance, logDensity: predictiveDensity(mean, Y).density };
}

/** The largest standard deviation of a column of the latents; 1 where they are all in one place. */
export function largestDeviation({ data, rows, columns }: Matrix): number {
  const mean = new Float64Array(columns);
  data.forEach((entry, i) => {
    mean[i % columns]! += entry / rows;
  });
  const variance = new Float64Array(columns);
  data.forEach((entry, i) => {
    variance[i % columns]! += square(entry - mean[i % columns]!) / rows;
  });
  return Math.sqrt(Math.max(...variance)) || 1;
}
