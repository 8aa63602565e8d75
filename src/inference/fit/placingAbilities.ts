import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { unknownName } from '../../core/options.ts';
import { columnsByName, joinedColumns, rowsOf } from '../../core/rowMatrices.ts';
import type { Prediction, Projection } from '../../model/posterior.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import { type PlacedRows, type PlacingSettings, picked, placedRows, rowsWith } from '../places/placedRows.ts';
import { posteriorOfPlaces, predictedOverPlaces } from '../places/posterior.ts';
import { sampleVariance } from '../sampling/givenDraws.ts';
import { type GivenRows, onlyOf } from './givenRows.ts';
import { isNamed } from './knownRows.ts';
import { coordinatesOf } from './warnings.ts';

type Predicted = Readonly<Record<string, Prediction>>;

/** Positions of rows, with their uncertainty. */
export async function projectedRows(
  model: RowModel,
  given: GivenRows,
  rows: RowsByName,
  settings: PlacingSettings,
): Promise<Projection & { readonly values?: RowsByName }> {
  const { weighted, values, isGaussian: _, ...projection } = await placedRows(model, rows, settings);
  const found = {
    ...projection,
    ...(model.placement === undefined && (await posteriorOfPlaces(model, values, projection.logDensity, weighted))),
  };
  return isNamed(given) ? { ...found, values } : found;
}

/** Applies a function to each observed variable with rows, or to the only one. */
function forEach<T>(model: RowModel, given: GivenRows, rows: RowsByName, caller: string, of: (name: string) => T) {
  const names = model.observed.map(({ name }) => name).filter((name) => rows[name] !== undefined);
  const found = Object.fromEntries(names.map((name) => [name, of(name)]));
  return isNamed(given) ? found : onlyOf(found, model, caller);
}

/** Reconstructions of rows from their positions. */
export async function reconstructedRows(
  model: RowModel,
  given: GivenRows,
  rows: RowsByName,
  settings: PlacingSettings,
) {
  const predicted = await predictedAt(model, rows, await placedRows(model, rows, settings), true);
  return forEach(model, given, rows, 'reconstruct', (name) => predicted[name]!.mean);
}

/**
 * Fills missing entries of rows with predictions. Only rows with missing entries are projected. Latents and functions are fitted jointly, so that the
 * functions are closer to a fitted row than its latents justify. Fitted rows are therefore projected and predicted like new rows, from the
 * observations of other rows, in ten folds: each without all rows of the fold that have missing entries, so that a row does not depend on the others
 * that are filled in.
 */
export async function imputedRows(model: RowModel, given: GivenRows, rows: RowsByName, settings: PlacingSettings) {
  const filled = Object.fromEntries(
    Object.entries(rows).map(([name, Y]) => [
      name,
      { mean: Matrix.from(Y), variance: Matrix.zeros(Y.rows, Y.columns) },
    ]),
  );
  for (const { numbers, by } of partsOf(model, rows)) {
    const own = picked(rows, numbers);
    const impute = by.missingEntries?.impute;
    const predicted =
      impute === undefined
        ? await predictedAt(by, own, await placedRows(by, own, { ...settings, fills: true }), true)
        : Object.fromEntries(Object.entries(own).map(([name, Y]) => [name, impute(Y)]));
    for (const [name, Y] of Object.entries(own))
      if (predicted[name]) complete(filled[name]!, Y, numbers, predicted[name]);
  }
  return forEach(model, given, rows, 'impute', (name) => filled[name]!);
}

/** Names of the observed variables among some rows. */
const observedIn = ({ observations }: RowModel, rows: RowsByName): string[] =>
  Object.keys(rows).filter((name) => observations[name] !== undefined);

/** Fitted rows by fold, with the rows that are left out for them: those with missing entries in the same fold too. */
function foldsOf(rows: readonly number[], holed: readonly number[]) {
  return Array.from({ length: MOST_PARTS }, (_, part) => {
    const inFold = (numbers: readonly number[]) => numbers.filter((i) => i % MOST_PARTS === part);
    const numbers = inFold(rows);
    return { numbers, left: Array.from(new Set([...numbers, ...inFold(holed)])) };
  }).filter(({ numbers }) => numbers.length > 0);
}

/** Maximum number of folds for leaving out fitted rows. */
const MOST_PARTS = 10;

/** Noise variance relative to the columns' variance below which points with many coordinates follow the noise. */
const LITTLE = 1e-3;

/**
 * Throws if the points follow the noise: the functions then pass through all observations, and predictions of fitted rows cannot be judged. Their 90
 * % intervals contain .5 to .7 of the hidden entries, compared with .85 to .9 if some noise is left.
 */
function checkNoise(model: RowModel): void {
  const { latents, known, values, variances, observations } = model;
  if (latents.some(({ name }) => variances[name] !== undefined)) return;
  const { coordinates, entries, areMany } = coordinatesOf(
    latents.map(({ name }) => values[name]!),
    Object.values(observations),
  );
  if (!areMany) return;
  const first = Object.fromEntries([...latents, ...known].map(({ name }) => [name, rowsOf(values[name]!, [0])]));
  const [noisy, functions] = [model.predict!(first, true), model.predict!(first, false)];
  const parts = Object.entries(observations).flatMap(([name, Y]) =>
    Array.from({ length: Y.columns }, (_, d) => {
      const spread = sampleVariance(Y.column(d).filter(Number.isFinite));
      return (noisy[name]!.variance.at(0, d) - functions[name]!.variance.at(0, d)) / spread;
    }).filter(Number.isFinite),
  );
  const noise = parts.reduce((sum, part) => sum + part / parts.length, 0);
  if (parts.length === 0 || noise >= LITTLE) return;
  const { rows } = values[latents[0]!.name]!;
  throw new InvalidInputError(
    `impute has no variances for missing entries of fitted rows here: with ${coordinates / rows} latent coordinates for ${(entries / rows).toFixed(1)} observed entries of a row, points follow the noise, which is ${noise.toExponential(0)} of the variance of a column. Take fewer dimensions, or a model that integrates them out: ppca, bayesianGplvm. New rows are filled in, and reconstruct gives means.`,
    { code: 'followsNoise' },
  );
}

/** Rows with missing entries, each with the model that fills them in; for fitted rows, a model that was conditioned without them. */
function partsOf(model: RowModel, rows: RowsByName): { readonly numbers: readonly number[]; readonly by: RowModel }[] {
  const holed = rowsWith(joinedColumns(Object.values(rows)), true);
  const names = observedIn(model, rows);
  // Up to the rounding of a change of units.
  const keyOf = (of: RowsByName, i: number) =>
    names.map((name) => Array.from(of[name]!.row(i), (entry) => entry.toPrecision(12)).join()).join();
  const fitted = new Map<string, number>();
  if (model.leavingOut && names.length > 0 && holed.length > 0) {
    for (let i = 0; i < model.observations[names[0]!]!.rows; i++) fitted.set(keyOf(model.observations, i), i);
  }
  const places = holed.map((i) => fitted.get(keyOf(rows, i)));
  const isNew = (k: number) => places[k] === undefined;
  const fresh = holed.filter((_, k) => isNew(k));
  const others = fresh.length > 0 ? [{ numbers: fresh, by: model }] : [];
  if (fresh.length === holed.length) return others;
  checkNoise(model);
  const rowsAt = new Map<number, number[]>();
  holed.forEach((i, k) => {
    if (!isNew(k)) rowsAt.set(places[k]!, [...(rowsAt.get(places[k]!) ?? []), i]);
  });
  const missing = rowsWith(joinedColumns(names.map((name) => model.observations[name]!)), true);
  const own = foldsOf([...rowsAt.keys()], missing).map(({ numbers, left }) => ({
    numbers: numbers.flatMap((place) => rowsAt.get(place)!),
    by: model.leavingOut!(left),
  }));
  return [...own, ...others];
}

/** Predictions of one observed variable at the positions of rows of other variables. */
export async function translatedRows(model: RowModel, rows: RowsByName, to: string, settings: PlacingSettings) {
  const names = model.observed.map(({ name }) => name);
  if (!names.includes(to)) throw unknownName('variable', to, names, 'translate');
  const places = await placedRows(model, rows, settings);
  const predicted = await predictedAt(model, rows, places, false);
  const { latents, latentVariances } = places;
  return { latents, ...(latentVariances && { latentVariances }), ...predicted[to]! };
}

/** Predictions of rows, averaged over the uncertainty of their positions. */
async function predictedAt(
  model: RowModel,
  given: RowsByName,
  { values, latentVariances, isGaussian, weighted }: PlacedRows,
  noise: boolean,
): Promise<Predicted> {
  const { known, latents, shown, variances } = model;
  const knownRows = (numbers?: readonly number[]) =>
    Object.fromEntries(
      known.map(({ name }) => [name, numbers === undefined ? given[name]! : rowsOf(given[name]!, numbers)]),
    );
  const isSpread =
    (isGaussian || weighted === undefined) && latentVariances !== undefined && variances[shown] !== undefined;
  const at = model.predict!({ ...values, ...knownRows() }, noise, isSpread ? { [shown]: latentVariances } : undefined);
  if (isGaussian || weighted === undefined) return at;
  const places = (await weighted()).map((own) => own?.places ?? []);
  return predictedOverPlaces(places, at, (X, numbers) =>
    model.predict!({ ...columnsByName(X, latents), ...knownRows(numbers) }, noise),
  );
}

/** Copies predictions into the missing entries of rows with these numbers. */
function complete(filled: Prediction, Y: Matrix, numbers: readonly number[], { mean, variance }: Prediction): void {
  Y.data.forEach((entry, from) => {
    if (!Number.isNaN(entry)) return;
    const to = numbers[Math.floor(from / Y.columns)]! * Y.columns + (from % Y.columns);
    filled.mean.data[to] = mean.data[from]!;
    filled.variance.data[to] = variance.data[from]!;
  });
}
