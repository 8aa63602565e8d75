import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { entryInWords, Matrix, type MatrixLike } from '../core/matrix.ts';
import { isTable, matchedObservations, type ObservationsLike } from '../core/namedTable.ts';
import { checkEntries, savedObservations } from '../core/observations.ts';
import { checkOptions, type OptionsIn, seedOption, signalOption, typed } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import {
  type Calibration,
  calibrationOf,
  heldOutEntries,
  logDensityOf,
  rowwise,
  withHidden,
} from '../inference/assessment/calibration.ts';
import { knownRowsOf } from '../inference/fit/knownRows.ts';
import type { KnownRowsOptions } from '../model/abilities.ts';
import type { Fit, FittedModel } from '../model/fit.ts';
import { checkHasLatents, observationsOf } from './comparedRows.ts';
import { filledIn } from './refit.ts';

/** Options of {@link score}. */
export interface ScoreOptions extends OptionsIn<typeof schema> {}

/** Accuracy of a fit's predictions of entries in unseen rows. */
export interface HeldOutScore extends Calibration {
  /** Standard error of `logDensity`, with entries of one row treated as dependent. */
  readonly logDensitySe: number;
  /** Log density of each hidden entry, NaN elsewhere, n×D. */
  readonly pointwise: Matrix;
  /**
   * Shortfall of the mean log density from another fit, and the standard error of the difference, with entries of one row treated as dependent.
   *
   * @throws InvalidInputError for a score of other entries
   */
  behind(other: HeldOutScore): { readonly mean: number; readonly se: number };
}

const schema = v.strictObject({
  /** Held-out rows with NaN for hidden entries, n×D; default a random third of the entries of each row. */
  shown: v.optional(typed<MatrixLike>()),
  /** Covariates of the held-out rows, n×p, or covariates and offset by name, for fits with them; default the table's. */
  given: v.optional(typed<KnownRowsOptions['given']>()),
  /** Seed for hiding entries; default 0. */
  seed: seedOption,
  /** Fitted observations, N×D, for fits that do not keep them: they determine the columns' standard deviations. */
  observations: v.optional(typed<MatrixLike>()),
  /** Signal that aborts the computation, which then rejects with the signal's reason. */
  signal: signalOption,
});

/**
 * Held-out score of a fit: entries of rows that were not fitted are hidden, `impute` predicts them from the rest of their row, and the predictions
 * are compared with the hidden values. The score is the mean of
 *
 *   log N(y; m, s²) − log(1/c), c the deviation of the column among the fitted rows,
 *
 * in nats per entry, with m and s² from `impute`. The result also has coverage of intervals at 50, 80, 90 and 95 %, interval scores, PIT values, the
 * error, and the gain over the mean and variance of each column alone. Densities are in standard deviations of the columns, so that models with and
 * without scaled columns are comparable. Any two fits with the same `seed` or `shown` are scored on the same entries.
 *
 * @param fitted - a fit that can impute new rows
 * @param heldOut - n×D rows that were not fitted, with the columns of the fitted rows, or a table of them; NaN where missing
 * @param options - see {@link ScoreOptions}
 * @throws InvalidInputError if the fit cannot impute new rows, the shapes differ, or nothing is hidden
 * @see Gneiting & Raftery 2007, Strictly proper scoring rules
 * @example
 * ```ts
 * const fitted = await fit(ppca(Y, { latentDim: 1 }));
 * const { logDensity, logDensitySe, gain } = await score(fitted, Ynew);
 * ```
 */
export async function score(
  fitted: FittedModel,
  heldOut: ObservationsLike,
  options: ScoreOptions = {},
): Promise<HeldOutScore> {
  checkHasLatents(fitted, 'score');
  const { shown: given, seed, observations, signal, ...beside } = checkOptions(schema, options, 'score');
  if (!canScore(fitted)) {
    throw new InvalidInputError(
      `${fitted.model} fills in no missing entries of new rows, so there is no density of held-out ones. Score a fit with a mapping, such as ppca or gplvm.`,
    );
  }
  const { Y: training } = observationsOf(fitted, fitted.toJSON().model, observations);
  const Y = checkEntries(
    Matrix.from(matchedObservations(heldOut, fitted.table), 'The held-out rows'),
    'The held-out rows',
    Number.isNaN,
  );
  const known = beside.given ?? (isTable(heldOut) ? knownRowsOf(heldOut) : undefined);
  const needed = knownRowsOf(fitted);
  if (needed !== undefined && known === undefined) {
    const widths = Object.entries(needed).map(([name, { columns }]) => `'${name}' (n×${columns})`);
    throw new InvalidInputError(
      `score needs ${widths.join(' and ')} of the held-out rows. Give them as an option: score(fit, Y, { given }).`,
      { code: 'missingVariable' },
    );
  }
  if (Y.columns !== training.columns) {
    throw new InvalidInputError(
      `score takes held-out rows with ${training.columns} columns, as those that were fitted, but a ${Y.rows}×${Y.columns} matrix was given.`,
    );
  }
  const shown = given === undefined ? withHidden(Y, seededRandom(seed)) : shownRows(Matrix.from(given, 'shown'), Y);
  const predicted = await filledIn(fitted, shown, { signal, given: known });
  const entries = heldOutEntries(
    Y,
    shown,
    predicted,
    Array.from({ length: Y.rows }, (_, i) => i),
    training,
  );
  const calibration = calibrationOf(entries);
  if (calibration === undefined) {
    throw new InvalidInputError(
      'There is no entry to score: rows with at least two observed entries of columns that vary are needed, and `shown` that hides some of them.',
    );
  }
  const pointwise = new Matrix(new Float64Array(Y.data.length).fill(Number.NaN), Y.rows, Y.columns);
  const densities = entries.map(logDensityOf);
  entries.forEach(({ row, column }, at) => {
    pointwise.data[row * Y.columns + column] = densities[at]!;
  });
  return Object.freeze<HeldOutScore>({
    ...calibration,
    logDensitySe: rowwise(entries, densities).se,
    pointwise,
    behind: (other) => difference(other.pointwise, pointwise),
  });
}

/** True if a fit can impute new rows; a field over points can impute fitted rows only. */
export function canScore(fitted: FittedModel): boolean {
  const { impute, predict } = fitted as Fit;
  const { model } = fitted.toJSON();
  const isWide = (savedObservations(model)?.columns ?? 2) > 1;
  return impute !== undefined && predict !== undefined && model.views === undefined && isWide;
}

function shownRows(shown: Matrix, Y: Matrix): Matrix {
  if (shown.rows !== Y.rows || shown.columns !== Y.columns) {
    throw new InvalidInputError(
      `'shown' must be ${Y.rows}×${Y.columns}, the held-out rows with NaN where entries are hidden, but a ${shown.rows}×${shown.columns} matrix was given.`,
    );
  }
  const other = shown.data.findIndex((entry, at) => !Number.isNaN(entry) && entry !== Y.data[at]);
  if (other < 0) return shown;
  throw new InvalidInputError(
    `'shown' must be the held-out rows with NaN where entries are hidden, but ${entryInWords(shown, other)} in one and ${Y.data[other]} in the other.`,
  );
}

/** Mean difference of log densities of the same entries, and its standard error. */
function difference(most: Matrix, own: Matrix): { readonly mean: number; readonly se: number } {
  const entries: { row: number }[] = [];
  const differences: number[] = [];
  most.data.forEach((density, at) => {
    if (Number.isNaN(density)) return;
    entries.push({ row: Math.floor(at / most.columns) });
    differences.push(density - own.data[at]!);
  });
  if (most.data.length === own.data.length && differences.every((entry) => !Number.isNaN(entry))) {
    return rowwise(entries, differences);
  }
  throw new InvalidInputError(
    'Scores can be compared by the same hidden entries only. Score both fits with the same held-out rows and seed.',
  );
}
