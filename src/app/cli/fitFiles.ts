import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksum, joinedColumns } from '../../core/index.ts';
import {
  type Fit,
  type FitOptions,
  InvalidInputError,
  loadFit,
  Matrix,
  NumericalError,
  type Prediction,
} from '../../index.ts';
import { knownRowsOf } from '../../inference/index.ts';
import type { ColumnKind } from '../../models/index.ts';
import {
  checkFolderPath,
  type LabelColumn,
  openResultFolder,
  type ResultFolder,
  readResult,
  type StandardizedColumns,
  tableText,
} from '../io/index.ts';
import { type PartsArguments, partsOf } from './flags.ts';
import { readJsonFile } from './jsonOptions.ts';
import { addPictures, PICTURES, type PlotArguments, pictureNames, type Shown } from './pictures.ts';
import { checkOutputs, type Inputs } from './streams.ts';
import { dimensionNames, latentVariancesOf, ofPoints, type TableRecord, varianceNames } from './tableReport.ts';

/** Table with its missing entries filled in. */
interface Completed {
  /** The observation or, for a missing entry, its mean, N×D. */
  readonly mean: Matrix;
  /** Standard deviation, 0 for observed entries, N×D. */
  readonly deviation: Matrix;
}

/**
 * Predictions of a table's missing entries: by `impute`, or for the fitted table at the latents if the fit has no `impute`.
 *
 * @returns undefined if the fit has neither
 */
export async function imputation(
  fit: Fit,
  Y: Matrix,
  isFitted = true,
  given = knownRowsOf(fit),
): Promise<Prediction | undefined> {
  if (fit.impute === undefined) return isFitted ? fit.predict?.(fit.latents, { noise: true, given }) : undefined;
  return fit.impute(Y, { given });
}

/**
 * Fitted table with missing entries filled in, in the original units.
 *
 * @returns undefined if the model cannot fill it in
 */
export async function completedTable(
  fit: Fit,
  Y: Matrix,
  units: StandardizedColumns | undefined,
  whyNot: (reason: string) => void = () => {},
): Promise<Completed | undefined> {
  let found: Prediction | undefined;
  try {
    found = await imputation(fit, Y);
  } catch (error) {
    if (!(error instanceof InvalidInputError || error instanceof NumericalError)) throw error;
    whyNot(error.message);
  }
  return found && found.mean.rows === Y.rows ? filled(Y, found, units) : undefined;
}

/** Y with predictions for its missing entries. */
export function filled(Y: Matrix, { mean, variance }: Prediction, units: StandardizedColumns | undefined): Completed {
  const means = Y.map((entry, i, j) => (Number.isNaN(entry) ? mean.at(i, j) : entry));
  const variances = Y.map((entry, i, j) => (Number.isNaN(entry) ? variance.at(i, j) : 0));
  return { mean: units?.undo(means) ?? means, deviation: deviations(units?.undoVariance(variances) ?? variances) };
}

/** Square roots of variances. */
export const deviations = (variances: Matrix): Matrix => variances.map(Math.sqrt);

const COMPLETED_FILES = ['completed.csv', 'completedDeviations.csv'] as const;

/** Kinds of columns whose entries are whole numbers. */
const WHOLE = ['binary', 'count', 'grade'];

/**
 * Means as entries of the table, for fits by the kinds of columns: 1 for the most probable level of a category and 0 for the others; the nearest
 * whole number for binary columns, counts and grades.
 */
export function likeliest(mean: Matrix, fit: Fit, { columns }: Pick<TableRecord, 'columns'>): Matrix {
  const { kinds = {} } = fit.toJSON().model as { readonly kinds?: Readonly<Record<string, ColumnKind>> };
  const levelsOf = columns.map((name) => {
    const category = Object.keys(kinds).find((each) => kinds[each] === 'category' && name.startsWith(`${each}=`));
    return category === undefined ? [] : columns.flatMap((each, j) => (each.startsWith(`${category}=`) ? [j] : []));
  });
  return mean.map((entry, i, j) => {
    const levels = levelsOf[j]!;
    if (levels.length === 0) return WHOLE.includes(kinds[columns[j]!] ?? '') ? Math.round(entry) : entry;
    const best = levels.reduce((most, level) => (mean.at(i, level) > mean.at(i, most) ? level : most));
    return Number(j === best);
  });
}

/**
 * Moments of the entries: in each row the standard deviation of each column of the model under its name, 0 for observed entries, then the means; the mean
 * of a category's level is its probability.
 */
export const momentsTable = ({ mean, deviation }: Completed, names: readonly string[]) => ({
  matrix: joinedColumns([deviation, mean]),
  names: [...names, ...names.map((name) => `${name} mean`)],
});

/** Adds completed.csv and completedDeviations.csv. */
async function addCompleted(
  to: ResultFolder,
  completed: Completed & { readonly text: string },
  { columns }: TableRecord,
  options: { readonly ids?: LabelColumn },
): Promise<void> {
  const { matrix, names } = momentsTable(completed, columns);
  await to.add(COMPLETED_FILES[0], completed.text);
  await to.add(COMPLETED_FILES[1], tableText(matrix, names, undefined, options));
}

export const FIT_FILE = 'fit.json';
const FILES = ['latents.csv', FIT_FILE, 'trace.csv'] as const;

/** Arguments for the output of a fit. */
interface WritingArguments extends PlotArguments {
  readonly out: string;
  readonly force?: boolean;
  readonly checkpoint?: FitOptions['checkpoint'];
  readonly resume?: string | undefined;
}

/** Names of all files that a fit may have written to a folder. */
const ALL_FILES = [...FILES, ...PICTURES, ...COMPLETED_FILES];

/** Paths of all files that a fit may have written to this folder. */
export const filesOfFit = (folder: string): string[] => ALL_FILES.map((name) => join(folder, name));

/**
 * Checks that results can be written, before the table is read.
 *
 * @param inputs - files that the command reads, without its checkpoint
 * @throws InvalidInputError if the folder cannot be made or written to, or contains inputs or results that must not be replaced
 */
export async function checkFiles(given: WritingArguments, inputs: Inputs): Promise<void> {
  const { out, force, checkpoint, resume } = given;
  checkOutputs(
    [...FILES, ...COMPLETED_FILES, ...pictureNames(given)].map((name) => join(out, name)),
    force,
    [...inputs, resume],
  );
  if (checkpoint !== resume) checkOutputs(checkpointFiles(given), force, inputs, '--checkpoint');
  await checkFolderPath(out);
}

const checkpointFiles = ({ checkpoint }: WritingArguments) => (typeof checkpoint === 'string' ? [checkpoint] : []);

/**
 * Creates the output folder and locks it and the checkpoint for this process, before a fit whose results could not be written.
 *
 * @throws InvalidInputError if the folder cannot be made, or another process is writing there
 */
export const prepareFiles = (given: WritingArguments): Promise<ResultFolder> =>
  openResultFolder(given.out, FIT_FILE, ALL_FILES, { force: given.force, alsoLocked: checkpointFiles(given) });

/** Contents of the files of a fit, besides the fit itself. */
interface FitContents {
  readonly record: TableRecord;
  /** Contents of the pictures, with the ids of the shown points. */
  readonly shown: Shown;
  readonly plots: PlotArguments;
  /** The completed table, and its text in the form of its file. */
  readonly completed?: Completed & { readonly text: string };
  /** Module of custom parts that the fit used. */
  readonly parts?: string | undefined;
}

/**
 * Writes a fit into a folder: latents.csv (ids first, then x1 … xq, variance1 … varianceq if latents are distributions, and labels), fit.json (for `loadFit`,
 * with the record of the table), trace.csv, the requested pictures and, for a table with missing entries, completed.csv and completedDeviations.csv.
 *
 * @returns the paths of the files, in that order
 */
export async function writeFit(to: ResultFolder, result: Fit, beside: FitContents): Promise<string[]> {
  const { record, shown, plots, completed, parts } = beside;
  const idColumn = shown.ids === undefined ? {} : { ids: { name: record.idColumn ?? 'id', values: shown.ids } };
  const variances = latentVariancesOf(result);
  const written = variances === undefined ? result.latents : joinedColumns([result.latents, variances]);
  const names = [...dimensionNames(result.latents), ...(variances === undefined ? [] : varianceNames(variances))];
  const labels = ofPoints(result, record.labels);
  const name = record.labelColumn ?? 'label';
  const labelColumn = labels && { name: names.includes(name) ? `${name}_label` : name, values: labels };
  await to.add('latents.csv', tableText(written, names, labelColumn, idColumn));
  const trace = tableText(traceMatrix(result), ['iteration', 'evaluations', 'objective', 'gradientNorm']);
  await to.add('trace.csv', trace);
  await addPictures(to, result, shown, plots);
  if (completed !== undefined) await addCompleted(to, completed, record, idColumn);
  const { checksums, ...saved } = result.toJSON();
  return to.commit((files) => {
    const sums = { ...checksums, table: checksum(record), files: checksum(files) };
    return fitText({ ...saved, table: record, files, checksums: sums, parts });
  });
}

/** @throws InvalidInputError if the text exceeds the maximum string length of V8, which fails with a RangeError that names no limit */
function fitText(saved: object): string {
  try {
    return `${JSON.stringify(saved)}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidInputError(
      `${FIT_FILE} would have more than 512 MB, the longest text in JavaScript. Fit fewer rows or columns (--columns), or principal components of them.`,
      { cause: error, code: 'tooLarge' },
    );
  }
}

const traceMatrix = ({ trace }: Fit): Matrix =>
  new Matrix(
    Float64Array.from(
      trace.flatMap(({ iteration, evaluations, objective, gradientNorm }) => [
        iteration,
        evaluations,
        objective,
        gradientNorm,
      ]),
    ),
    trace.length,
    4,
  );

/** A saved fit and the record of its table. */
interface SavedFit {
  readonly fit: Fit;
  readonly record: TableRecord | undefined;
}

/**
 * Reads a fit that `writeFit` wrote to a folder.
 *
 * @throws InvalidInputError if there is none, fit.json is not a saved fit, or its parts are missing
 */
export async function readFit(folder: string, { parts: given }: PartsArguments): Promise<SavedFit> {
  if (!existsSync(join(folder, FIT_FILE))) {
    throw new InvalidInputError(
      `'${folder}' contains no fit.json. Give the folder that 'latentfield fit' wrote with --out.`,
    );
  }
  const saved = await readResult(folder, FIT_FILE, (path) => readJsonFile(path, 'saved fit'));
  const isObject = typeof saved === 'object' && saved !== null;
  const { parts, ...json } = isObject ? (saved as { parts?: unknown }) : {};
  if (parts !== undefined && given === undefined) {
    throw new InvalidInputError(`This fit has parts of your own. Give --parts ${parts}, the file they come from.`);
  }
  const fit = loadFit(isObject ? json : saved, await partsOf(given));
  return { fit, record: fit.table };
}
