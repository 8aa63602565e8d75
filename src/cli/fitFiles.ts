import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fit, InvalidInputError, loadFit, Matrix, NumericalError } from '../index.ts';
import { writeAtomically, writeTable } from '../io/index.ts';
import { latentPlot, type PrecisionGrid, precisionGrid } from '../plot/index.ts';
import { type Completed, completedFiles } from './completed.ts';
import { readJsonFile } from './jsonFile.ts';
import { checkAbsent } from './output.ts';
import { dimensionNames, recordFromJSON, type TableRecord } from './tableRecord.ts';

const FILES = ['latents.csv', 'fit.json', 'trace.csv', 'plot.svg'] as const;

/**
 * Makes the folder, before a fit that would otherwise be for nothing.
 *
 * @throws InvalidInputError when it cannot be made, or holds results that may not be replaced
 */
export async function prepareFolder(folder: string, force: boolean | undefined): Promise<void> {
  checkAbsent(
    FILES.map((name) => join(folder, name)),
    force,
  );
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new InvalidInputError(`The folder '${folder}' cannot be made: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** What goes beside a fit. */
export interface Accompaniment {
  readonly record: TableRecord;
  /** What points are coloured by. */
  readonly labels?: readonly string[] | undefined;
  /** The ids of the points that are shown. */
  readonly ids?: readonly string[] | undefined;
  readonly completed?: Completed | undefined;
}

/**
 * Writes latents.csv (N×q, ids first), fit.json (which `loadFit` reads, and the record of the table), trace.csv, plot.svg and, of a table
 * with holes, completed.csv and completedDeviations.csv into a folder.
 *
 * @returns the paths of the files, in that order
 */
export async function writeFit(folder: string, result: Fit, beside: Accompaniment): Promise<string[]> {
  const paths = FILES.map((name) => join(folder, name));
  const [latents, fit, trace, plot] = paths as [string, string, string, string];
  const { record, labels, ids, completed } = beside;
  const idColumn = ids === undefined ? {} : { ids: { name: record.idColumn ?? 'id', values: ids } };
  await writeTable(latents, result.latents, dimensionNames(result.latents), undefined, idColumn);
  await writeAtomically(fit, `${JSON.stringify({ ...result.toJSON(), table: record })}\n`);
  await writeTable(trace, traceMatrix(result), ['iteration', 'evaluations', 'objective', 'gradientNorm']);
  const precision = background(result);
  const picture = await latentPlot({
    latents: result.latents,
    title: `${result.model}, objective ${result.objective.toPrecision(6)}`,
    ...(precision === undefined ? {} : { precision }),
    ...(labels === undefined ? {} : { labels }),
  });
  await writeAtomically(plot, picture);
  if (completed !== undefined) paths.push(...(await completedFiles(folder, completed, record, idColumn.ids)));
  return paths;
}

/** The predictive precision over the latents; none where the model has no mapping from them, or predicts without error. */
function background({ predict, latents }: Fit): PrecisionGrid | undefined {
  if (predict === undefined) return undefined;
  try {
    return precisionGrid((X) => predict(X, { noise: true }), latents);
  } catch (error) {
    if (error instanceof InvalidInputError || error instanceof NumericalError) return undefined;
    throw error;
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

/** A saved fit, and what is known of its table. */
export interface SavedFit {
  readonly fit: Fit;
  readonly record: TableRecord | undefined;
}

/**
 * The fit that `writeFit` left in a folder.
 *
 * @throws InvalidInputError when there is none, or fit.json is not a saved fit
 */
export async function readFit(folder: string): Promise<SavedFit> {
  const file = join(folder, 'fit.json');
  const saved = await readJsonFile(file, 'saved fit');
  const { table, ...fit } = typeof saved === 'object' && saved !== null ? (saved as { table?: unknown }) : {};
  return {
    fit: loadFit(typeof saved === 'object' && saved !== null ? fit : saved),
    record: recordFromJSON(table, file),
  };
}
