import { exp, log, pow, square } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { rowsOf, stacked } from '../core/rowMatrices.ts';
import { normalQuantile } from '../engine/special/quantiles.ts';
import type { AnyPosterior, Mapping, PlacedRows, PlaceMode } from '../model/posterior.ts';
import { slices } from './minimize/slices.ts';
import { modeVariances, placeModes } from './placeModes.ts';
import { projectedGaussians } from './projectedGaussians.ts';
import { type ProjectionSettings, projectionSearch } from './projectionSearch.ts';

/** Points that stand for what is known of the place of a row. */
const POINTS = 256;
/** The part of them that is drawn around all fitted points, so that no place is left out that the search did not find. */
const ANYWHERE = 0.375;
/** The Gaussians at the maxima are drawn this much wider, so that their tails are reached. */
const WIDER = 1.5;

/**
 * What is known of the places of rows as weighted points: most of them spread over the Gaussians at the maxima, widened, and the others over Gaussians around fitted points, each weighted by
 * the posterior density p(x|y*) over the density by which they are spread. Laplace's approximation holds near the maxima only: it is too narrow where the density has a long tail, or maxima
 * that no search found. Points are spread by a quasi-random sequence, the same for every row.
 *
 * @param density - of rows of Y at points
 * @param modes - of each row of Y, at least one
 * @param latents - the fitted points, N×q
 * @param length - a distance between neighbors
 * @returns for each row points whose weights add up to 1, without extent; the modes themselves where no point has a density
 * @see Roberts, The unreasonable effectiveness of quasirandom sequences (2018), for the sequence; Geweke, Bayesian inference by Monte Carlo integration (1989); Owen & Zhou, Safe and effective importance sampling (2000)
 */
export function* weightedPlaces(
  density: NonNullable<Mapping['predictiveDensity']>,
  Y: Matrix,
  modes: readonly (readonly PlaceMode[])[],
  latents: Matrix,
  length: number,
): Generator<void, (readonly PlaceMode[])[], void> {
  const q = latents.columns;
  const noExtent = Matrix.zeros(q, q);
  const normals = spreadNormals(POINTS, q);
  const found: (readonly PlaceMode[])[] = [];
  for (const [row, own] of modes.entries()) {
    const proposal = proposalOf(own, latents, length, normals);
    const points = normals.map((_, s) => proposal.at(s));
    const repeated = rowsOf(Y, new Array<number>(POINTS).fill(row));
    const { posterior } = density(stacked(points, q), repeated);
    yield;
    const logWeights = points.map((point, s) => posterior[s]! - proposal.logDensity(point));
    const most = logWeights.reduce(
      (largest, weight) => (weight > largest ? weight : largest),
      Number.NEGATIVE_INFINITY,
    );
    if (!Number.isFinite(most)) {
      found.push(own);
      continue;
    }
    const weights = logWeights.map((weight) => (Number.isNaN(weight) ? 0 : exp(weight - most)));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    found.push(points.map((point, s) => ({ point, weight: weights[s]! / total, axes: noExtent })));
  }
  return found;
}

/** A mixture of the widened Gaussians at the maxima and of Gaussians around the fitted points, from which points are drawn in turn. */
function proposalOf(modes: readonly PlaceMode[], latents: Matrix, length: number, normals: readonly Float64Array[]) {
  const { rows: N, columns: q } = latents;
  const near = Math.round(POINTS * (1 - ANYWHERE));
  // Σ⁻¹ by the axes, which are orthogonal: coordinates along them in standard deviations.
  const gaussians = modes.map(({ point, weight, axes }) => {
    const squares = Array.from({ length: q }, (_, e) => axes.row(e).reduce((sum, entry) => sum + square(entry), 0));
    const volume = squares.reduce((product, own) => product * Math.sqrt(own), pow(WIDER, q));
    return { point, weight, axes, squares, volume };
  });
  const shares = modes.map((_, m) => modes.slice(0, m + 1).reduce((sum, { weight }) => sum + weight, 0));
  return {
    /** Point s of all. */
    at(s: number): Float64Array {
      if (s >= near) {
        const center = latents.row(Math.floor(((s - near + 0.5) * N) / (POINTS - near)));
        return center.map((entry, d) => entry + length * normals[s]![d]!);
      }
      const part = (s + 0.5) / near;
      const found = shares.findIndex((share) => share >= part);
      const m = found < 0 ? modes.length - 1 : found;
      const { point, axes } = modes[m]!;
      // Each maximum has the sequence from its beginning: equal ones have equal points around them.
      const z = normals[s - (m === 0 ? 0 : Math.ceil(near * shares[m - 1]! - 0.5))]!;
      return point.map((entry, d) => z.reduce((sum, own, e) => sum + WIDER * own * axes.at(e, d), entry));
    },
    /** Up to a constant. */
    logDensity(x: Float64Array): number {
      let density = 0;
      for (const { point, weight, axes, squares, volume } of gaussians) {
        let apart = 0;
        for (let e = 0; e < q; e++) {
          let along = 0;
          for (let d = 0; d < q; d++) along += (x[d]! - point[d]!) * axes.at(e, d);
          apart += square(along / squares[e]!);
        }
        if (volume > 0) density += ((1 - ANYWHERE) * weight * exp(-apart / (2 * square(WIDER)))) / volume;
      }
      let around = 0;
      for (let i = 0; i < N; i++) {
        let apart = 0;
        for (let d = 0; d < q; d++) apart += square(x[d]! - latents.data[i * q + d]!);
        around += exp(-apart / (2 * square(length)));
      }
      return log(density + (ANYWHERE * around) / (N * pow(length, q)));
    },
  };
}

/** Standard normal points that fill space evenly: quantiles of the multiples of 1/φ, 1/φ², … modulo 1, φ > 1 the root of φ^(q+1) = φ + 1; every other one is the mirror image of that before it. */
function spreadNormals(count: number, q: number): Float64Array[] {
  let phi = 2;
  for (let step = 0; step < 60; step++) phi = pow(1 + phi, 1 / (q + 1));
  return Array.from({ length: count }, (_, s) => {
    const [n, sign] = [(s >> 1) + 1, s % 2 === 0 ? 1 : -1];
    return Float64Array.from({ length: q }, (_, d) => {
      const part = (0.5 + n * pow(phi, -(d + 1))) % 1;
      return sign * normalQuantile(Math.min(1 - 1e-9, Math.max(1e-9, part)));
    });
  });
}

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
  // Loaded when asked for: a page that only fits does without nearest neighbors.
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
