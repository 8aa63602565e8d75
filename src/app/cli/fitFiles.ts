import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../../core/index.ts';
import {
  type Fit,
  type FitOptions,
  InvalidInputError,
  loadFit,
  Matrix,
  NumericalError,
  type Prediction,
} from '../../index.ts';
import {
  type LabelColumn,
  lockPath,
  makeFolder,
  removeEmptyFolders,
  type StandardizedColumns,
  writeAtomically,
  writeTable,
} from '../io/index.ts';
import { type PartsArguments, partsOf } from './flags.ts';
import { readJsonFile } from './jsonOptions.ts';
import { type PlotArguments, pictureNames, type Shown, writePictures } from './pictures.ts';
import { checkAbsent } from './streams.ts';
import { dimensionNames, latentVariancesOf, sideBySide, type TableRecord, varianceNames } from './tableReport.ts';

/** A table with its missing entries filled in. */
interface Completed {
  /** N×D, the observation or, where it is missing, its mean. */
  readonly mean: Matrix;
  /** N×D, 0 where observed. */
  readonly deviation: Matrix;
}

/**
 * The fitted table with missing entries filled in, in its own units, by a field's `impute` or by predictions at the latents.
 *
 * @returns undefined if the model has neither
 */
export async function completedTable(
  fit: Fit,
  Y: Matrix,
  units: StandardizedColumns | undefined,
): Promise<Completed | undefined> {
  let found: Prediction | undefined;
  try {
    found = fit.graph === undefined ? fit.predict?.(fit.latents, { noise: true }) : await fit.impute?.(Y);
  } catch (error) {
    if (!(error instanceof InvalidInputError || error instanceof NumericalError)) throw error;
  }
  return found && found.mean.rows === Y.rows ? filled(Y, found, units) : undefined;
}

/** Y where it is observed, the prediction elsewhere. */
export function filled(Y: Matrix, { mean, variance }: Prediction, units: StandardizedColumns | undefined): Completed {
  const means = new Matrix(
    Y.data.map((entry, k) => (Number.isNaN(entry) ? mean.data[k]! : entry)),
    Y.rows,
    Y.columns,
  );
  const variances = new Matrix(
    Y.data.map((entry, k) => (Number.isNaN(entry) ? variance.data[k]! : 0)),
    Y.rows,
    Y.columns,
  );
  return { mean: units?.undo(means) ?? means, deviation: deviations(units?.undoVariance(variances) ?? variances) };
}

/** Square roots of variances. */
export const deviations = ({ data, rows, columns }: Matrix): Matrix => new Matrix(data.map(Math.sqrt), rows, columns);

const COMPLETED_FILES = ['completed.csv', 'completedDeviations.csv'] as const;

/** Writes completed.csv and completedDeviations.csv. */
async function completedFiles(
  folder: string,
  { mean, deviation }: Completed,
  { columns }: TableRecord,
  options: { readonly ids?: LabelColumn; readonly replace: boolean },
): Promise<string[]> {
  const files = COMPLETED_FILES.map((name) => join(folder, name)) as [string, string];
  await writeTable(files[0], mean, columns, undefined, options);
  await writeTable(files[1], deviation, columns, undefined, options);
  return files;
}

const FILES = ['latents.csv', 'fit.json', 'trace.csv'] as const;

/** Arguments that say where a fit writes. */
interface WritingArguments extends PlotArguments {
  readonly out: string;
  readonly force?: boolean;
  readonly checkpoint?: FitOptions['checkpoint'];
  readonly resume?: FitOptions['resume'];
}

/**
 * Creates the output folder and locks it and the checkpoint for this process, before a fit whose results could not be written.
 *
 * @returns a function that unlocks them, and removes the folder if it is new and empty
 * @throws InvalidInputError if the folder cannot be made, holds results that must not be replaced, or another process is writing there
 */
export async function prepareFiles(given: WritingArguments): Promise<() => Promise<void>> {
  const { out, force, checkpoint, resume } = given;
  checkAbsent(
    [...FILES, ...COMPLETED_FILES, ...pictureNames(given)].map((name) => join(out, name)),
    force,
  );
  const ofCheckpoint = typeof checkpoint === 'string' ? [checkpoint] : [];
  if (checkpoint !== resume) checkAbsent(ofCheckpoint, force, '--checkpoint');
  const topmost = await makeFolder(out);
  const locks: (() => void)[] = [];
  const end = async () => {
    for (const release of locks) release();
    await removeEmptyFolders(out, topmost);
  };
  try {
    for (const path of [join(out, 'fit.json'), ...ofCheckpoint]) locks.push(await lockPath(path));
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

/** Contents of the files of a fit, besides the fit itself. */
interface FitContents {
  readonly record: TableRecord;
  /** Contents of the pictures, with the ids of the shown points. */
  readonly shown: Shown;
  readonly plots: PlotArguments & { readonly force?: boolean };
  readonly completed?: Completed | undefined;
  /** The module of custom parts that the fit was made with. */
  readonly parts?: string | undefined;
}

/**
 * Writes a fit into a folder: latents.csv (ids first, then x1 … xq, and variance1 … varianceq if latents are distributions), fit.json (for `loadFit`,
 * with the record of the table), trace.csv, the requested pictures and, for a table with missing entries, completed.csv and completedDeviations.csv.
 *
 * @returns the paths of the files, in that order
 */
export async function writeFit(folder: string, result: Fit, beside: FitContents): Promise<string[]> {
  const paths = FILES.map((name) => join(folder, name));
  const [latents, fit, trace] = paths as [string, string, string];
  const replace = beside.plots.force === true;
  const { record, shown, plots, completed, parts } = beside;
  const idColumn = shown.ids === undefined ? {} : { ids: { name: record.idColumn ?? 'id', values: shown.ids } };
  const variances = latentVariancesOf(result);
  const written = variances === undefined ? result.latents : sideBySide(result.latents, variances);
  const names = [...dimensionNames(result.latents), ...(variances === undefined ? [] : varianceNames(variances))];
  await writeTable(latents, written, names, undefined, { ...idColumn, replace });
  const { checksums, ...saved } = result.toJSON();
  const sums = { ...checksums, table: checksum(record) };
  await writeAtomically(fit, `${JSON.stringify({ ...saved, table: record, checksums: sums, parts })}\n`, { replace });
  await writeTable(trace, traceMatrix(result), ['iteration', 'evaluations', 'objective', 'gradientNorm'], undefined, {
    replace,
  });
  paths.push(...(await writePictures(folder, result, shown, plots)));
  if (completed !== undefined)
    paths.push(...(await completedFiles(folder, completed, record, { ...idColumn, replace })));
  return paths;
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
  const file = join(folder, 'fit.json');
  if (!existsSync(file)) {
    throw new InvalidInputError(
      `'${folder}' holds no fit.json. Give the folder that 'latentfield fit' wrote with --out.`,
    );
  }
  const saved = await readJsonFile(file, 'saved fit');
  const isObject = typeof saved === 'object' && saved !== null;
  const { parts, ...json } = isObject ? (saved as { parts?: unknown }) : {};
  if (parts !== undefined && given === undefined) {
    throw new InvalidInputError(`This fit has parts of your own. Give --parts ${parts}, the file they come from.`);
  }
  const fit = loadFit(isObject ? json : saved, await partsOf(given));
  return { fit, record: fit.table };
}
