import { Matrix } from '../../core/matrix.ts';
import { unknownName } from '../../core/options.ts';
import { columnsByName, rowsOf } from '../../core/rowMatrices.ts';
import type { Prediction, Projection } from '../../model/posterior.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import { type PlacedRows, type PlacingSettings, placedRows } from '../places/placedRows.ts';
import { posteriorOfPlaces } from '../places/posterior.ts';
import { predictedOverPlaces } from '../places/predictions.ts';
import { type GivenRows, isNamed, onlyOf } from './givenRows.ts';

type Predicted = Readonly<Record<string, Prediction>>;

/** The places of rows, with what is known of these. */
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

/** Something for each observed variable whose rows are given, or of the only one. */
function forEach<T>(model: RowModel, given: GivenRows, rows: RowsByName, caller: string, of: (name: string) => T) {
  const names = model.observed.map(({ name }) => name).filter((name) => rows[name] !== undefined);
  const found = Object.fromEntries(names.map((name) => [name, of(name)]));
  return isNamed(given) ? found : onlyOf(found, model, caller);
}

/** The means of rows at their places. */
export async function reconstructedRows(
  model: RowModel,
  given: GivenRows,
  rows: RowsByName,
  settings: PlacingSettings,
) {
  const predicted = await predictedAt(model, rows, await placedRows(model, rows, settings), true);
  return forEach(model, given, rows, 'reconstruct', (name) => predicted[name]!.mean);
}

/** Rows with predictions at their places for what is missing. */
export async function imputedRows(model: RowModel, given: GivenRows, rows: RowsByName, settings: PlacingSettings) {
  const filled = model.missingEntries?.impute;
  if (filled !== undefined) return forEach(model, given, rows, 'impute', (name) => filled(rows[name]!));
  const predicted = await predictedAt(model, rows, await placedRows(model, rows, { ...settings, fills: true }), true);
  return forEach(model, given, rows, 'impute', (name) => completed(rows[name]!, predicted[name]!));
}

/** Predictions of one observed variable at the places that rows of others have. */
export async function translatedRows(model: RowModel, rows: RowsByName, to: string, settings: PlacingSettings) {
  const names = model.observed.map(({ name }) => name);
  if (!names.includes(to)) throw unknownName('variable', to, names, 'translate');
  const places = await placedRows(model, rows, settings);
  const predicted = await predictedAt(model, rows, places, false);
  const { latents, latentVariances } = places;
  return { latents, ...(latentVariances && { latentVariances }), ...predicted[to]! };
}

/** Predictions of rows over what is known of their places. */
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

/** Observed entries themselves, without variance, and predictions of the others. */
function completed(Y: Matrix, { mean, variance }: Prediction): Prediction {
  const filled = { mean: Matrix.from(Y), variance: Matrix.zeros(Y.rows, Y.columns) };
  Y.data.forEach((entry, i) => {
    if (!Number.isNaN(entry)) return;
    filled.mean.data[i] = mean.data[i]!;
    filled.variance.data[i] = variance.data[i]!;
  });
  return filled;
}
