import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fit, InvalidInputError, loadFit, Matrix, NumericalError } from '../index.ts';
import { writeAtomically, writeTable } from '../io/index.ts';
import { latentPlot, type PrecisionGrid, precisionGrid } from '../plot/index.ts';
import { type Completed, completedFiles } from './completed.ts';
import { readJsonFile } from './jsonFile.ts';
import { checkAbsent } from './output.ts';
import { type PartsArguments, readParts } from './ownParts.ts';
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
  /** The file of parts that the fit was made with. */
  readonly parts?: string | undefined;
  /** Seconds that the picture may still take. */
  readonly secondsLeft?: () => number;
  /** Told of what is left out. */
  readonly note?: (text: string) => void;
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
  const { record, labels, ids, completed, parts } = beside;
  const idColumn = ids === undefined ? {} : { ids: { name: record.idColumn ?? 'id', values: ids } };
  await writeTable(latents, result.latents, dimensionNames(result.latents), undefined, idColumn);
  await writeAtomically(fit, `${JSON.stringify({ ...result.toJSON(), table: record, parts })}\n`);
  await writeTable(trace, traceMatrix(result), ['iteration', 'evaluations', 'objective', 'gradientNorm']);
  const precision = background(result, beside);
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

/** Points along each axis of the precision grid, and of a first one that says how long it takes. */
const RESOLUTION = 60;
const SAMPLE = 6;

/** The predictive precision over the latents; none where the model has no mapping from them, or predicts without error. */
function background(
  { predict, latents }: Fit,
  { secondsLeft = () => Infinity, note }: Accompaniment,
): PrecisionGrid | undefined {
  if (predict === undefined) return undefined;
  const grid = (resolution: number) => precisionGrid((X) => predict(X, { noise: true }), latents, { resolution });
  try {
    if (secondsLeft() < Infinity) {
      const before = secondsLeft();
      grid(SAMPLE);
      const expected = (before - secondsLeft()) * (RESOLUTION / SAMPLE) ** 2;
      if (expected > secondsLeft()) {
        note?.('the picture has no background, since --max-seconds is up.');
        return undefined;
      }
    }
    return grid(RESOLUTION);
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
 * @throws InvalidInputError when there is none, fit.json is not a saved fit, or its parts are missing
 */
export async function readFit(folder: string, { parts: given }: PartsArguments): Promise<SavedFit> {
  const file = join(folder, 'fit.json');
  const saved = await readJsonFile(file, 'saved fit');
  const isObject = typeof saved === 'object' && saved !== null;
  const { table, parts, ...fit } = isObject ? (saved as { table?: unknown; parts?: unknown }) : {};
  if (parts !== undefined && given === undefined) {
    throw new InvalidInputError(`This fit has parts of your own. Give --parts ${parts}, the file they come from.`);
  }
  return { fit: loadFit(isObject ? fit : saved, await readParts(given)), record: recordFromJSON(table, file) };
}
