import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { columnsByName, rowsOf, stacked } from '../../core/rowMatrices.ts';
import { joinedColumns } from '../../model/language/graph.ts';
import type { Projection } from '../../model/posterior.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import { slices } from '../minimize/slices.ts';
import { projectedGaussians } from './gaussians.ts';
import { modeVariances, type PlaceMode, placeModes } from './modes.ts';
import { type DensityOfRows, type ProjectionSettings, projectionSearch } from './search.ts';
import { projectionStarts } from './starts.ts';
import { type SpreadSettings, type WeightedPlaces, weightedPlaces } from './weighted.ts';

/** How new observations are searched for. */
export interface PlacingSettings extends ProjectionSettings, SpreadSettings {
  /** Aborting it throws its reason. */
  readonly signal?: AbortSignal | undefined;
  /** True where missing entries are to be predicted, over all places where a row may lie: one Gaussian is not searched then. */
  readonly fills?: boolean;
}

/** New rows in their places: the shown variable, and all that are latent. */
export interface PlacedRows extends Projection {
  readonly values: RowsByName;
  /** True where latents and variances are those of Gaussians of greatest bound. */
  readonly isGaussian?: boolean;
  /** The posterior of each row's place; undefined for rows whose latents are computed from their observations. */
  readonly weighted?: () => Promise<readonly (WeightedPlaces | undefined)[]>;
}

/** Entries of the covariances between searches and fitted points that are held at a time: 16 MiB a matrix of them. */
const MOST_ENTRIES = 2 ** 21;

/**
 * The places of new rows. Rows whose latents follow from what is given are computed: by a formula, a back-constraint, an encoder, or an embedding that places them. For every
 * other row it is the maximum of log p(y*|x*) + log p(x*) over what is observed of y*, for all latent variables of the row together, searched from the fitted points that
 * are likelier than those near them. Rows are taken in blocks, whose searches go side by side, so that the memory does not grow with their number; the thread is left for other
 * work in between. Where latents are distributions, the Gaussian of greatest bound is searched from there and from those of these fitted points; where they are points, each
 * has the Gaussian of the same curvature.
 *
 * @param given - rows of the observed variables (NaN counts as not observed) and of the known ones
 * @throws InvalidInputError when the model has no density of new rows
 * @see Jiang et al. 2014, §III-E
 */
export async function placedRows(model: RowModel, given: RowsByName, settings: PlacingSettings): Promise<PlacedRows> {
  settings.signal?.throwIfAborted();
  const { placement, shown } = model;
  if (placement !== undefined) {
    const [Y] = Object.values(given) as [Matrix];
    // Work on an engine runs synchronously until its first await.
    const placed = await placement.place(Y, await placement.found?.(Y));
    return { ...placed, values: { [shown]: placed.latents } };
  }
  const rows = joinedColumns(Object.values(given));
  const [whole, holed] = [rowsWith(rows, false), rowsWith(rows, true)];
  const of = async (own: RowsByName, isWhole: boolean) =>
    (await computedRows(model, own, isWhole)) ?? searchedRows(model, own, settings);
  if (whole.length === 0 || holed.length === 0) return of(given, holed.length === 0);
  // Rows that are computed where they are complete are so whatever other rows come with them.
  const computed = await computedRows(model, picked(given, whole), true);
  if (computed === undefined) return searchedRows(model, given, settings);
  return together(rows.rows, [whole, computed], [holed, await of(picked(given, holed), false)]);
}

/** The rows that have missing entries, or those that have none. */
const rowsWith = (Y: Matrix, missing: boolean): number[] =>
  Array.from({ length: Y.rows }, (_, i) => i).filter((i) => Y.row(i).some(Number.isNaN) === missing);

const picked = (given: RowsByName, rows: readonly number[]): RowsByName =>
  Object.fromEntries(Object.entries(given).map(([name, own]) => [name, rowsOf(own, rows)]));

/** Rows all of whose latent variables follow from what is given; undefined where they do not. */
async function computedRows(model: RowModel, given: RowsByName, isWhole: boolean): Promise<PlacedRows | undefined> {
  const { latents, shown } = model;
  const embedded = isWhole ? await model.embedded?.(given) : undefined;
  const values = { ...model.computed(given), ...embedded };
  if (latents.some(({ name }) => values[name] === undefined)) return undefined;
  const X = joinedColumns(latents.map(({ name }) => values[name]!));
  const latentVariances = model.computedVariances(given)[shown];
  return {
    latents: values[shown]!,
    ...(latentVariances && { latentVariances }),
    logDensity: densityOf(model)(X, given).density,
    values,
  };
}

function densityOf(model: RowModel): NonNullable<RowModel['density']> {
  if (model.density !== undefined) return (...of) => model.density!(...of);
  throw new InvalidInputError('This model has no mapping from latents to observations, so it cannot place new ones.');
}

/** Complete rows, which are computed, and searched ones in their order. */
function together(
  count: number,
  [whole, computed]: readonly [readonly number[], PlacedRows],
  [holed, searched]: readonly [readonly number[], PlacedRows],
): PlacedRows {
  const joined = (first: Matrix, second: Matrix) => {
    const result = Matrix.zeros(count, first.columns);
    whole.forEach((row, r) => {
      result.data.set(first.row(r), row * result.columns);
    });
    holed.forEach((row, r) => {
      result.data.set(second.row(r), row * result.columns);
    });
    return result;
  };
  const column = (entries: Float64Array) => new Matrix(entries, entries.length, 1);
  // Latents that are computed from complete rows are known exactly, unless an encoder says how far.
  const exact = Matrix.zeros(whole.length, computed.latents.columns);
  const { weighted } = searched;
  return {
    latents: joined(computed.latents, searched.latents),
    ...(searched.latentVariances && {
      latentVariances: joined(computed.latentVariances ?? exact, searched.latentVariances),
    }),
    logDensity: joined(column(computed.logDensity), column(searched.logDensity)).data,
    values: Object.fromEntries(
      Object.keys(computed.values).flatMap((name) => {
        const [first, second] = [computed.values[name]!, searched.values[name]];
        return second === undefined ? [] : [[name, joined(first, second)]];
      }),
    ),
    ...(weighted && {
      weighted: async () => {
        const all = new Array<WeightedPlaces | undefined>(count).fill(undefined);
        for (const [r, own] of (await weighted()).entries()) all[holed[r]!] = own;
        return all;
      },
    }),
  };
}

async function searchedRows(
  model: RowModel,
  given: RowsByName,
  { signal, fills = false, draws, seed, ...settings }: PlacingSettings,
): Promise<PlacedRows> {
  const { latents, values, shown, variances, charts, drawLatents } = model;
  const densityHere = densityOf(model);
  const density: DensityOfRows = (X, rows, isRough) => densityHere(X, picked(given, rows), isRough);
  const spread = fills ? undefined : variances[shown];
  const { bound } = spread === undefined ? {} : model;
  const fitted = joinedColumns(latents.map(({ name }) => values[name]!));
  const [{ rows: count }] = Object.values(given) as [Matrix, ...Matrix[]];
  const candidates = projectionStarts(model, given, fitted, settings.starts);
  const { length, perRow } = candidates;
  const slice = slices();
  const pause = async () => {
    if (slice.isOver()) await slice.leave();
    signal?.throwIfAborted();
  };
  const run = async <T>(search: Generator<void, T, void>): Promise<T> => {
    let step = search.next();
    while (!step.done) {
      await pause();
      step = search.next();
    }
    return step.value;
  };
  const X = Matrix.zeros(count, fitted.columns);
  const logDensity = new Float64Array(count);
  const training: (readonly number[])[] = [];
  const modes: PlaceMode[][] = [];
  // On a chart, a Gaussian of the surrounding space has no meaning.
  const isFlat = latents.every(({ name }) => charts[name] === undefined);
  const reach = largestDeviation(fitted);
  const rowsAtOnce = Math.max(1, Math.floor(MOST_ENTRIES / (perRow * fitted.rows)));
  for (let from = 0; from < count; from += rowsAtOnce) {
    const rows = Array.from({ length: Math.min(rowsAtOnce, count - from) }, (_, r) => from + r);
    const starts: ReturnType<typeof candidates.of>[] = [];
    for (const row of rows) {
      starts.push(candidates.of(row));
      await pause();
    }
    const ofBlock: DensityOfRows = (points, own, isRough) =>
      density(
        points,
        own.map((r) => from + r),
        isRough,
      );
    const ends = await run(projectionSearch(ofBlock, starts, length, settings));
    const found = stacked(
      ends.map(([best]) => best!.point),
      fitted.columns,
    );
    X.data.set(found.data, from * fitted.columns);
    if (bound !== undefined) training.push(...starts.map(({ rows }) => rows));
    else logDensity.set(density(found, rows).density, from);
    if (isFlat) modes.push(...(await run(placeModes(ofBlock, ends, length, reach))));
  }
  const weighted = isFlat && {
    weighted: async () =>
      model.isNormalized
        ? run(weightedPlaces(density, modes, { latents: fitted, length, reach, drawLatents }, { draws, seed }))
        : modes.map(gaussianPlaces),
  };
  if (bound !== undefined) {
    const start = { X, training };
    const boundAt = (rows: readonly number[], x: Parameters<typeof bound>[1]) => bound(picked(given, rows), x);
    const { mean, variance } = await projectedGaussians(
      boundAt,
      { mean: fitted, variance: spread! },
      start,
      settings,
      pause,
    );
    return {
      ...shownOf(model, given, mean),
      latentVariances: variance,
      isGaussian: true,
      logDensity: densityHere(mean, given).density,
      ...weighted,
    };
  }
  const latentVariances = isFlat ? columnsByName(modeVariances(modes, fitted.columns), latents)[shown] : undefined;
  return {
    ...shownOf(model, given, X),
    ...(latentVariances && { latentVariances }),
    logDensity,
    ...weighted,
  };
}

/** Latent variables side by side, those that follow from them, and which of these is shown. */
function shownOf({ latents, shown, computed }: RowModel, given: RowsByName, X: Matrix) {
  const searched = columnsByName(X, latents);
  const values = { ...searched, ...computed({ ...given, ...searched }) };
  return { latents: values[shown]!, values };
}

/**
 * The Gaussians at the maxima as the posterior of a place, for models whose p(x) does not integrate to 1: nor does p(y*|x)·p(x) then, as distant places explain a row no worse than the
 * mean of the data does.
 */
const gaussianPlaces = (places: readonly PlaceMode[]): WeightedPlaces => ({
  places,
  logDensity: Number.NaN,
  logDensityError: Number.NaN,
  effectiveSize: Number.NaN,
});

/** The largest standard deviation of a column of the latents; 1 where they are all in one place. */
function largestDeviation({ data, rows, columns }: Matrix): number {
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
