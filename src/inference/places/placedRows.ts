import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { columnsByName, joinedColumns, rowsOf, stacked } from '../../core/rowMatrices.ts';
import type { Projection } from '../../model/posterior.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import { slices } from '../minimize/slices.ts';
import { projectedGaussians } from './gaussians.ts';
import { modeVariances, type PlaceMode, placeModes } from './modes.ts';
import { type DensityOfRows, type ProjectionSettings, projectionSearch } from './search.ts';
import { projectionStarts } from './starts.ts';
import { type SpreadSettings, type WeightedPlaces, weightedPlaces } from './weighted.ts';

/** Settings of the search for new observations' positions. */
export interface PlacingSettings extends ProjectionSettings, SpreadSettings {
  /** Signal that aborts the search, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** True if missing entries are to be predicted by integrating over all positions; then no single Gaussian is computed. */
  readonly fills?: boolean;
}

/** Positions of new rows: the shown variable, and all latent variables. */
export interface PlacedRows extends Projection {
  readonly values: RowsByName;
  /** True if latents and variances describe Gaussians that maximize the bound. */
  readonly isGaussian?: boolean;
  /** Posterior of each row's position; undefined for rows whose latents are computed from their observations. */
  readonly weighted?: () => Promise<readonly (WeightedPlaces | undefined)[]>;
}

/** Maximum number of entries of the covariances between searches and fitted points that are kept at a time: 16 MiB per matrix. */
const MOST_ENTRIES = 2 ** 21;

/**
 * Positions of new rows. Latents that are a function of the observations are computed: by a formula, a back-constraint, an encoder, or an
 * out-of-sample extension. All other rows maximize log p(y*|x*) + log p(x*) over the observed entries of y*, jointly for all latent variables of the
 * row, searched from the fitted points that are likelier than their neighbors. Rows are processed in blocks with parallel searches, so that memory
 * does not grow with their number; the work yields to the event loop in between. If latents are distributions, the Gaussian that maximizes the bound
 * is searched from there and from the Gaussians of these fitted points; if they are points, each has the Gaussian of the same curvature.
 *
 * @param given - rows of the observed variables (NaN for missing) and of the known ones
 * @throws InvalidInputError if the model has no density of new rows
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
  // Complete rows are computed regardless of the other rows.
  const computed = await computedRows(model, picked(given, whole), true);
  if (computed === undefined) return searchedRows(model, given, settings);
  return together(rows.rows, [whole, computed], [holed, await of(picked(given, holed), false)]);
}

/** Rows with missing entries, or complete rows. */
export const rowsWith = (Y: Matrix, missing: boolean): number[] =>
  Array.from({ length: Y.rows }, (_, i) => i).filter((i) => Y.row(i).some(Number.isNaN) === missing);

/** Subset of the rows of all variables. */
export const picked = (given: RowsByName, rows: readonly number[]): RowsByName =>
  Object.fromEntries(Object.entries(given).map(([name, own]) => [name, rowsOf(own, rows)]));

/** Rows whose latent variables are all functions of the observations; undefined if they are not. */
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

/** Merges complete rows, which are computed, and searched rows in the original order. */
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
  // Latents that are computed from complete rows are exact, unless an encoder returns their variances.
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
  constrained: RowModel,
  given: RowsByName,
  { signal, fills = false, draws, seed, ...settings }: PlacingSettings,
): Promise<PlacedRows> {
  const { model, isConstrained, natural, withVolume } = unconstrainedRows(constrained);
  const { latents, values, shown, variances, charts, drawLatents } = model;
  const densityHere = densityOf(model);
  const density: DensityOfRows = (X, rows, ...how) => densityHere(X, picked(given, rows), ...how);
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
    const ofBlock: DensityOfRows = (points, own, accuracy) =>
      density(
        points,
        own.map((r) => from + r),
        accuracy,
      );
    const ends = await run(projectionSearch(ofBlock, starts, length, settings));
    const found = stacked(
      ends.map(([best]) => best!.point),
      fitted.columns,
    );
    X.data.set(found.data, from * fitted.columns);
    if (bound !== undefined) training.push(...starts.map(({ rows }) => rows));
    else logDensity.set(density(found, rows, undefined, true).density, from);
    if (isFlat) modes.push(...(await run(placeModes(ofBlock, ends, length, reach))));
  }
  const naturalPlace = ({ point, weight }: PlaceMode): PlaceMode => {
    const at = natural(new Matrix(Float64Array.from(point), 1, point.length)).data;
    return { point: at, weight, axes: Matrix.zeros(at.length, at.length) };
  };
  const isIntegrated = model.isNormalized || !isConstrained;
  const weighted = isFlat &&
    isIntegrated && {
      weighted: async () =>
        model.isNormalized
          ? (
              await run(
                weightedPlaces(
                  withVolume(density),
                  modes,
                  { latents: fitted, length, reach, drawLatents },
                  { draws, seed },
                ),
              )
            ).map((own) => (isConstrained ? { ...own, places: own.places.map(naturalPlace) } : own))
          : modes.map(gaussianPlaces),
    };
  if (bound !== undefined) {
    const start = { X, training };
    const boundAt = (rows: readonly number[], x: Parameters<typeof bound>[1], isValue?: boolean) =>
      bound(picked(given, rows), x, isValue);
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
  const latentVariances =
    isFlat && !isConstrained ? columnsByName(modeVariances(modes, fitted.columns), latents)[shown] : undefined;
  return {
    ...shownOf(constrained, given, natural(X)),
    ...(latentVariances && { latentVariances }),
    logDensity,
    ...weighted,
  };
}

/** Concatenated latent variables, the variables that are computed from them, and the shown variable among these. */
function shownOf({ latents, shown, computed }: RowModel, given: RowsByName, X: Matrix) {
  const searched = columnsByName(X, latents);
  const values = { ...searched, ...computed({ ...given, ...searched }) };
  return { latents: values[shown]!, values };
}

/**
 * Gaussians at the maxima as the posterior of a position, for models whose p(x) is improper. Then p(y*|x)·p(x) is improper too, since distant
 * positions explain a row no worse than the mean of the data.
 */
const gaussianPlaces = (places: readonly PlaceMode[]): WeightedPlaces => ({
  places,
  logDensity: Number.NaN,
  logDensityError: Number.NaN,
  effectiveSize: Number.NaN,
});

/** Largest standard deviation of a column of the latents; 1 if all latents coincide. */
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

/** Model of rows in the unconstrained variables of its latent variables. */
export interface UnconstrainedRows {
  readonly model: RowModel;
  /** True if a latent variable has a constraint. */
  readonly isConstrained: boolean;
  /** Concatenated latent variables from their unconstrained variables. */
  natural(U: Matrix): Matrix;
  /** Density of the unconstrained variables: the density of rows times the Jacobian of the transforms. */
  withVolume(density: DensityOfRows): DensityOfRows;
}

/** Row model in unconstrained variables u, x = T(u), for searches; the model itself if no variable is constrained. */
export function unconstrainedRows(model: RowModel): UnconstrainedRows {
  const { latents, transforms, values, drawLatents } = model;
  if (latents.every(({ name }) => transforms[name] === undefined)) {
    return { model, isConstrained: false, natural: (U) => U, withVolume: (density) => density };
  }
  const widths = latents.map(({ name, columns }) => ({ name, columns: transforms[name]?.width ?? columns }));
  const changed = (rows: RowsByName, by: 'toNatural' | 'toUnconstrained'): RowsByName =>
    Object.fromEntries(
      Object.entries(rows).map(([name, own]) => {
        const transform = transforms[name];
        if (transform === undefined) return [name, own];
        const data = transform[by](own.data);
        return [name, new Matrix(data, own.rows, data.length / own.rows)];
      }),
    );
  const beside = (rows: RowsByName) => joinedColumns(latents.map(({ name }) => rows[name]!));
  const natural = (U: Matrix) => beside(changed(columnsByName(U, widths), 'toNatural'));
  const unconstrained = (X: Matrix) => beside(changed(columnsByName(X, latents), 'toUnconstrained'));
  const pulledBack = (gradient: Matrix, X: Matrix, U: Matrix) => {
    const [slopes, at, from] = [columnsByName(gradient, latents), columnsByName(X, latents), columnsByName(U, widths)];
    const parts = latents.map(({ name }) => {
      const transform = transforms[name];
      if (transform === undefined) return slopes[name]!;
      const data = transform.pullBack(slopes[name]!.data, at[name]!.data, from[name]!.data);
      return new Matrix(data, U.rows, transform.width);
    });
    return joinedColumns(parts);
  };
  return {
    isConstrained: true,
    natural,
    model: {
      ...model,
      latents: widths,
      values: { ...values, ...changed(values, 'toUnconstrained') },
      ...(model.predict && {
        predict: (rows, noise, variances) => model.predict!(changed(rows, 'toNatural'), noise, variances),
      }),
      ...(drawLatents && { drawLatents: (count, random) => unconstrained(model.drawLatents!(count, random)) }),
      ...(model.density && {
        density: (U, given, ...how) => {
          const X = natural(U);
          const { density, posterior, gradient } = model.density!(X, given, ...how);
          return { density, posterior, gradient: pulledBack(gradient, X, U) };
        },
      }),
    },
    withVolume:
      (density) =>
      (U, rows, ...how) => {
        const at = density(U, rows, ...how);
        const from = columnsByName(U, widths);
        const posterior = at.posterior.map((sum, i) =>
          latents.reduce((total, { name }) => {
            const change = transforms[name]?.logJacobian(Float64Array.from(from[name]!.row(i)));
            return total + (change?.value ?? 0);
          }, sum),
        );
        return { ...at, posterior };
      },
  };
}
