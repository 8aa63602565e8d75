import { InvalidInputError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { dividedColumns, savedObservations } from '../core/observations.ts';
import { checkGiven } from '../core/options.ts';
import { rowsOf } from '../core/rowMatrices.ts';
import { chosenRows, knownRowsOf } from '../inference/fit/knownRows.ts';
import type { Fit, FittedModel } from '../model/fit.ts';
import type { ModelJSON } from '../model/model.ts';
import { dividesColumns } from './savedFit.ts';

/**
 * Observations of a fit in the form that neighbor scores compare with its map, one row per point of the map: missing entries are filled in by the
 * fit, and columns are divided by their standard deviations if the model does so or if these differ by a factor of more than ten. Every score of the
 * library, the command line and the playground
 * is computed on these rows.
 *
 * @param fitted - result of `fit`
 * @param observations - the fitted observations, N×D, for fits that do not keep them
 * @returns a matrix of N×D without missing entries
 * @throws InvalidInputError if there are no observations, their number of rows differs from the fit, or the model cannot fill in missing entries
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }));
 * trustworthiness(await comparedRows(result), result.latents, 10);
 * ```
 */
export async function comparedRows(fitted: FittedModel, observations?: MatrixLike): Promise<Matrix> {
  checkHasLatents(fitted, 'comparedRows');
  const json = fitted.toJSON().model;
  return comparable(fitted, json, observationsOf(fitted, json, observations).shown);
}

/** @throws InvalidInputError for a value that is not a fit, and for a fit of a model without latents */
export function checkHasLatents(fitted: FittedModel, caller: string): void {
  const isFit = (given: FittedModel) => typeof given.toJSON === 'function';
  checkGiven(fitted, caller, 'what fit returned', (given) => isFit(given) && given.trace !== undefined);
  if ((fitted.latents as unknown) instanceof Matrix) return;
  throw new InvalidInputError(
    `${caller} takes a fit with latents, but all variables of '${fitted.model}' are observed. Compare such fits by loo of their draws.`,
  );
}

/** Observations of a fit as passed to the model, and the observations of the points that it shows. */
export function observationsOf(
  fitted: FittedModel,
  json: ModelJSON,
  given: MatrixLike | undefined,
): { Y: Matrix; shown: Matrix } {
  const Y = given === undefined ? savedObservations(json) : Matrix.from(given, 'The observations');
  if (Y === undefined) {
    throw new InvalidInputError(
      `The fit of ${fitted.model} does not contain its observations. Give them as { observations }.`,
    );
  }
  const { points } = fitted.parameters as { points?: unknown };
  const shown =
    Array.isArray(points) && points.length === fitted.latents.rows && Y.rows > points.length
      ? rowsOf(Y, points as number[])
      : Y;
  if (shown.rows === fitted.latents.rows) return { Y, shown };
  throw new InvalidInputError(
    `The fit has ${fitted.latents.rows} points, but there are ${Y.rows} rows of observations. Give those that were fitted.`,
  );
}

/** Rows with predictions for their missing entries; without intervals from `impute`, predictions at the fitted positions. */
async function filled(fitted: Fit, Y: Matrix): Promise<Matrix> {
  const { impute, reconstruct } = fitted;
  const given = knownRowsOf(fitted);
  try {
    return Matrix.from((await impute!(Y, { given })).mean);
  } catch (error) {
    const isRefused = error instanceof InvalidInputError && error.code === 'followsNoise';
    if (!isRefused || reconstruct === undefined) throw error;
    const holed = Array.from({ length: Y.rows }, (_, i) => i).filter((i) => Y.row(i).some(Number.isNaN));
    const means = await reconstruct(rowsOf(Y, holed), { given: chosenRows(given, holed) });
    const filledIn = new Map(holed.map((i, k) => [i, means.row(k)]));
    return Y.map((entry, i, j) => (Number.isNaN(entry) ? filledIn.get(i)![j]! : entry));
  }
}

/** Observations of the points of a map in the units of the comparison, with missing entries filled in. */
export async function comparable(fitted: FittedModel, json: ModelJSON, Y: Matrix): Promise<Matrix> {
  const { impute } = fitted as Fit;
  const hasHoles = Y.data.some(Number.isNaN);
  if (hasHoles && impute === undefined) {
    throw new InvalidInputError(
      'The observations have missing entries, which this model does not fill in: distances between rows are not known. Give complete { observations }.',
      { code: 'missingEntry' },
    );
  }
  const whole = hasHoles ? await filled(fitted as Fit, Y) : Y;
  return dividedColumns(whole, dividesColumns(json, Y) || 'auto').points;
}
