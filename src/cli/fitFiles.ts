import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checksum, type Fit, InvalidInputError, loadFit, Matrix } from '../index.ts';
import { makeFolder, removeEmptyFolders, writeAtomically, writeTable } from '../io/index.ts';
import { COMPLETED_FILES, type Completed, completedFiles } from './completed.ts';
import { readJsonFile } from './jsonFile.ts';
import { checkAbsent } from './output.ts';
import { type PartsArguments, readParts } from './ownParts.ts';
import { type Shown, writePictures } from './pictures.ts';
import { type PlotArguments, pictureNames } from './plotFlags.ts';
import { dimensionNames, latentVariancesOf, sideBySide, type TableRecord, varianceNames } from './tableRecord.ts';

const FILES = ['latents.csv', 'fit.json', 'trace.csv'] as const;

/**
 * Makes the folder, before a fit that would otherwise be for nothing.
 *
 * @returns what removes it again, unless something was written to it or it was there before
 * @throws InvalidInputError when it cannot be made, or holds results that may not be replaced
 */
export async function prepareFolder(
  folder: string,
  given: PlotArguments & { readonly force?: boolean },
): Promise<() => Promise<void>> {
  checkAbsent(
    [...FILES, ...COMPLETED_FILES, ...pictureNames(given)].map((name) => join(folder, name)),
    given.force,
  );
  const topmost = await makeFolder(folder);
  return () => removeEmptyFolders(folder, topmost);
}

/** What is written beside a fit. */
export interface FitContents {
  readonly record: TableRecord;
  /** What pictures show; ids are those of the points that are shown. */
  readonly shown: Shown;
  readonly plots: PlotArguments;
  readonly completed?: Completed | undefined;
  /** The file of parts that the fit was made with. */
  readonly parts?: string | undefined;
}

/**
 * Writes latents.csv (ids first, then x1 … xq, and variance1 … varianceq where latents are distributions), fit.json (which `loadFit` reads, and the record of the table), trace.csv, the pictures that were asked for
 * and, of a table with holes, completed.csv and completedDeviations.csv into a folder.
 *
 * @returns the paths of the files, in that order
 */
export async function writeFit(folder: string, result: Fit, beside: FitContents): Promise<string[]> {
  const paths = FILES.map((name) => join(folder, name));
  const [latents, fit, trace] = paths as [string, string, string];
  const { record, shown, plots, completed, parts } = beside;
  const idColumn = shown.ids === undefined ? {} : { ids: { name: record.idColumn ?? 'id', values: shown.ids } };
  const variances = latentVariancesOf(result);
  const written = variances === undefined ? result.latents : sideBySide(result.latents, variances);
  const names = [...dimensionNames(result.latents), ...(variances === undefined ? [] : varianceNames(variances))];
  await writeTable(latents, written, names, undefined, idColumn);
  const { checksums, ...saved } = result.toJSON();
  const sums = { ...checksums, table: checksum(record) };
  await writeAtomically(fit, `${JSON.stringify({ ...saved, table: record, checksums: sums, parts })}\n`);
  await writeTable(trace, traceMatrix(result), ['iteration', 'evaluations', 'objective', 'gradientNorm']);
  paths.push(...(await writePictures(folder, result, shown, plots)));
  if (completed !== undefined) paths.push(...(await completedFiles(folder, completed, record, idColumn.ids)));
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

/** A saved fit, and what is known of its table. */
export interface SavedFit {
  readonly fit: Fit;
  readonly record: TableRecord | undefined;
}

/**
 * The fit that `writeFit` left in a folder.
 *
 * @throws InvalidInputError when there is none, fit.json is not a saved fit, or its parts are missing
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
  const fit = loadFit(isObject ? json : saved, await readParts(given));
  return { fit, record: fit.table };
}
