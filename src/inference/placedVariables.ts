import { Matrix } from '../core/matrix.ts';
import { columnsByName, rowsOf, stacked } from '../core/rowMatrices.ts';
import { nearestNeighbors } from '../engine/neighbors/index.ts';
import type { PlacedVariables } from '../model/language/abilitiesByName.ts';
import type { FittedVariables } from '../model/language/derived.ts';
import type { RowsByName } from '../model/language/fittedGraph.ts';
import { joinedColumns } from '../model/language/graph.ts';
import type { AnyPosterior, Mapping, PlacedRows, PlaceMode, Prediction, Projection } from '../model/posterior.ts';
import { slices } from './minimize/slices.ts';
import { modeVariances, placeModes, predictedOverPlaces } from './placeModes.ts';
import { largestDeviation, project, rowsWith, weightedPlaces } from './project.ts';
import { type ProjectionSettings, projectionSearch, type RowStarts } from './projectionSearch.ts';

/** How new observations are searched for. */
export type PlacingSettings = ProjectionSettings & { readonly signal?: AbortSignal | undefined };

/** New observations placed among the latents. */
export async function placed(
  posterior: AnyPosterior,
  Y: Matrix,
  { signal, ...settings }: PlacingSettings,
  fills = false,
): Promise<PlacedRows> {
  return project(posterior, Y, settings, signal, fills);
}

/** The places of rows as a fit gives them. */
export const projectionOf = ({ latents, latentVariances, logDensity }: PlacedRows): Projection => ({
  latents,
  ...(latentVariances && { latentVariances }),
  logDensity,
});

/** Predictions at the projections of observations, averaged over the posterior of their latent positions. */
export async function predictedAt(
  { latents, latentVariances, places }: PlacedRows,
  mapping: Mapping,
  noise: boolean,
): Promise<Prediction> {
  const predicted = mapping.predict(latents, noise, places === undefined ? latentVariances : undefined);
  if (places === undefined) return predicted;
  return predictedOverPlaces(await places(), predicted, (X) => mapping.predict(X, noise));
}

/** New observations with their missing entries as predicted where they were placed; observed ones as they are and without variance. */
export async function completed(posterior: AnyPosterior, Y: Matrix, settings: PlacingSettings): Promise<Prediction> {
  const at = await placed(posterior, Y, settings, true);
  const { mean, variance } = await predictedAt(at, posterior.mapping!, true);
  const filled = { mean: Matrix.from(Y), variance: Matrix.zeros(Y.rows, Y.columns) };
  Y.data.forEach((entry, i) => {
    if (!Number.isNaN(entry)) return;
    filled.mean.data[i] = mean.data[i]!;
    filled.variance.data[i] = variance.data[i]!;
  });
  return filled;
}

/** Fitted points at which the density of a new row is looked at before its searches begin. */
const MOST_CANDIDATES = 200;
/** Largest number of searches for a row: each candidate is a maximum of its own at first. */
const MOST_SEARCHES = 12;
/** Rows that are searched for side by side. */
const ROWS_AT_ONCE = 32;

/**
 * New rows of a model of variables in their places: the values of its latent variables, side by side, at which the log density of the row by the model's own
 * densities is greatest.
 */
export async function placedVariables(
  variables: FittedVariables,
  given: RowsByName,
  settings: PlacingSettings,
): Promise<PlacedVariables> {
  const { latents, values, shown } = variables;
  const names = Object.keys(given);
  const rows = joinedColumns(names.map((name) => given[name]!));
  const picked = (numbers: readonly number[]): RowsByName =>
    Object.fromEntries(names.map((name) => [name, rowsOf(given[name]!, numbers)]));
  const [whole, holed] = [rowsWith(rows, false), rowsWith(rows, true)];
  if (whole.length > 0 && holed.length > 0) {
    // Rows that are computed where they are complete are so whatever other rows come with them.
    const computed = variables.computed(picked(whole));
    if (latents.every(({ name }) => computed[name] !== undefined)) {
      const of = (numbers: readonly number[]) => placedVariables(variables, picked(numbers), settings);
      return together(rows.rows, [whole, await of(whole)], [holed, await of(holed)]);
    }
  }
  const apart = (Y: Matrix) =>
    columnsByName(
      Y,
      names.map((name) => ({ name, columns: given[name]!.columns })),
    );
  const computed = variables.computed(given);
  // A variable that is mapped from known rows needs no search.
  if (latents.every(({ name }) => computed[name] !== undefined)) {
    const X = joinedColumns(latents.map(({ name }) => computed[name]!));
    const latentVariances = variables.computedVariances(given)[shown];
    return {
      latents: computed[shown]!,
      ...(latentVariances && { latentVariances }),
      logDensity: variables.density(X, given).density,
      values: computed,
    };
  }
  const fitted = joinedColumns(latents.map(({ name }) => values[name]!));
  const candidates = evenly(fitted, MOST_CANDIDATES);
  const length = typicalDistance(fitted);
  const density = (X: Matrix, Y: Matrix, isRough?: boolean) => variables.density(X, apart(Y), isRough);
  const slice = slices();
  const pause = async () => {
    if (slice.isOver()) await slice.leave();
    settings.signal?.throwIfAborted();
  };
  const X = Matrix.zeros(rows.rows, fitted.columns);
  const logDensity = new Float64Array(rows.rows);
  const modes: PlaceMode[][] = [];
  // On a chart, a Gaussian of the surrounding space has no meaning.
  const isFlat = latents.every(({ name }) => variables.charts[name] === undefined);
  const reach = largestDeviation(fitted);
  const run = async <T>(search: Generator<void, T, void>): Promise<T> => {
    let step = search.next();
    while (!step.done) {
      await pause();
      step = search.next();
    }
    return step.value;
  };
  const searches = Math.min(settings.starts, MOST_SEARCHES, candidates.rows);
  for (let from = 0; from < rows.rows; from += ROWS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(ROWS_AT_ONCE, rows.rows - from) }, (_, r) => from + r);
    const block = rowsOf(rows, numbers);
    const starts: RowStarts[] = [];
    for (let r = 0; r < block.rows; r++) {
      const repeated = rowsOf(block, new Array<number>(candidates.rows).fill(r));
      const { posterior } = density(candidates, repeated, true);
      const rank = (i: number) => (Number.isNaN(posterior[i]!) ? Number.NEGATIVE_INFINITY : posterior[i]!);
      const order = Array.from(posterior.keys()).sort((i, j) => rank(j) - rank(i) || i - j);
      starts.push({ points: order.slice(0, searches).map((i) => candidates.row(i)), peaks: 0 });
      await pause();
    }
    const ends = await run(projectionSearch(density, block, starts, length, settings));
    const found = stacked(
      ends.map(([best]) => best!.point),
      fitted.columns,
    );
    X.data.set(found.data, from * fitted.columns);
    logDensity.set(density(found, block).density, from);
    if (isFlat) modes.push(...(await run(placeModes(density, block, ends, length, reach))));
  }
  const placed = columnsByName(X, latents);
  const variances = isFlat ? columnsByName(modeVariances(modes, fitted.columns), latents)[shown] : undefined;
  const all = { ...placed, ...variables.computed({ ...given, ...placed }) };
  return {
    latents: all[shown]!,
    ...(variances && { latentVariances: variances }),
    logDensity,
    values: all,
    ...(isFlat && { places: () => run(weightedPlaces(density, rows, modes, fitted, length)) }),
  };
}

/** Complete rows, which are computed, and searched ones in their order. */
function together(
  count: number,
  [whole, computed]: readonly [readonly number[], PlacedVariables],
  [holed, searched]: readonly [readonly number[], PlacedVariables],
): PlacedVariables {
  const joined = (of: (own: PlacedVariables) => Matrix) => {
    const result = Matrix.zeros(count, of(computed).columns);
    whole.forEach((row, r) => {
      result.data.set(of(computed).row(r), row * result.columns);
    });
    holed.forEach((row, r) => {
      result.data.set(of(searched).row(r), row * result.columns);
    });
    return result;
  };
  const hasVariances = computed.latentVariances !== undefined && searched.latentVariances !== undefined;
  const { places } = searched;
  return {
    latents: joined(({ latents }) => latents),
    ...(hasVariances && { latentVariances: joined(({ latentVariances }) => latentVariances!) }),
    logDensity: joined(({ logDensity }) => new Matrix(logDensity, logDensity.length, 1)).data,
    values: Object.fromEntries(
      Object.keys(computed.values).map((name) => [name, joined(({ values }) => values[name]!)]),
    ),
    ...(places && {
      places: async () => {
        const all = Array.from({ length: count }, (): readonly PlaceMode[] => []);
        for (const [r, own] of (await places()).entries()) all[holed[r]!] = own;
        return all;
      },
    }),
  };
}

/** At most this many rows, evenly spaced by index. */
function evenly(rows: Matrix, most: number): Matrix {
  if (rows.rows <= most) return rows;
  return rowsOf(
    rows,
    Array.from({ length: most }, (_, k) => Math.floor((k * rows.rows) / most)),
  );
}

/** Median distance from a row to the nearest one in another place; 1 where there is none. */
function typicalDistance(rows: Matrix): number {
  if (rows.rows < 2) return 1;
  const { distances } = nearestNeighbors(rows, 1);
  const apart = Array.from(distances)
    .filter((distance) => distance > 0)
    .sort((a, b) => a - b);
  return apart[apart.length >> 1] ?? 1;
}
