import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { rowsOf } from '../../core/index.ts';
import { assess, type Fit, InvalidInputError, nearestNeighborError } from '../../index.ts';
import { neighborhoodPreservations, usualNeighbors } from '../../inference/index.ts';
import { comparedRows } from '../../models/index.ts';
import { readLabels, writeAtomically } from '../io/index.ts';
import { assessmentPage } from '../plot/index.ts';
import { filesOfFit, readFit } from './fitFiles.ts';
import {
  addFlags,
  chosen,
  FORCE,
  type Given,
  JSON_OUTPUT,
  LABELS,
  MAX_ITERATIONS,
  PARTS,
  partsOf,
  SEED,
  wholeFrom,
} from './flags.ts';
import { announced, type Context, checkOutputs } from './streams.ts';
import { fittedTable, isFile, TABLE_FLAGS } from './tableFlags.ts';
import { ofPoints, rowsOfPoints } from './tableReport.ts';

const SCORE_FLAGS = [
  ['--data <file>', 'the fitted table, for trustworthiness and continuity; columns are matched by name'],
  LABELS,
  ['--neighbors <k>', 'neighbors of the local scores (default: 10, at most a quarter of the points)', wholeFrom(1)],
  PARTS,
  JSON_OUTPUT,
  ...TABLE_FLAGS,
] as const;
type ScoreArguments = Given<typeof SCORE_FLAGS>;

/** `score DIR` */
export const defineScore = (command: Command, context: Context): Command =>
  addFlags(command.argument('<dir>', 'folder of a fit'), ...SCORE_FLAGS).action(
    async (folder: string, given: ScoreArguments) => {
      const scores = await scoresOf(folder, given, context);
      context.stdout.write(given.json ? `${JSON.stringify(scores)}\n` : summary(scores));
    },
  );

interface Scores {
  readonly model: string;
  readonly objective: number;
  readonly status: string;
  readonly points: number;
  /** Number of labeled points. */
  readonly labeled?: number;
  readonly nearestNeighborError?: number;
  readonly neighbors?: number;
  readonly trustworthiness?: number;
  readonly continuity?: number;
}

async function scoresOf(folder: string, given: ScoreArguments, streams: Context): Promise<Scores> {
  const { data, labels, neighbors } = given;
  if (labels !== undefined && data === undefined && !isFile(labels)) {
    throw new InvalidInputError(
      `There is no file '${labels}' of labels. Give one, or --data with a column of that name.`,
    );
  }
  if (neighbors !== undefined && data === undefined) {
    throw new InvalidInputError('--neighbors is for trustworthiness and continuity, which take --data.');
  }
  const { fit, record } = await readFit(folder, given);
  const { model, objective, status, latents } = fit;
  const fitted =
    data === undefined ? undefined : await fittedTable(data, record, { ...given, missing: 'ignore' }, streams);
  const count = fitted?.observations.rows ?? latents.rows;
  const ofPoints = fitted?.table.labels ?? (labels && (await readLabels(labels, { count })));
  return {
    model,
    objective,
    status,
    points: latents.rows,
    ...(fitted && (await neighborhoodScores(fit, fitted.observations, neighbors, streams))),
    ...(ofPoints ? labelScores(fit, ofPoints) : {}),
  };
}

/** Number of rows whose pairs take more than a minute to rank. */
const MANY_ROWS = 20_000;

/** Neighborhood scores, on the same rows as `assess` and `compare`; undefined if entries are missing that the model cannot fill in. */
async function neighborhoodScores(
  fit: Fit,
  table: Parameters<typeof rowsOfPoints>[1],
  given: number | undefined,
  { stderr }: Context,
): Promise<Pick<Scores, 'neighbors' | 'trustworthiness' | 'continuity'>> {
  try {
    const observed = rowsOfPoints(fit, table);
    const rows = await comparedRows(fit, observed);
    const missing = observed.data.filter(Number.isNaN).length;
    if (missing > 0) {
      const entries = missing === 1 ? 'The missing entry is' : `The ${missing} missing entries are`;
      stderr.write(`note: ${entries} filled in by the fit for trustworthiness and continuity.\n`);
    }
    const neighbors = given ?? usualNeighbors(rows.rows);
    if (rows.rows > MANY_ROWS) {
      stderr.write(
        `note: All pairs of ${rows.rows} rows are ranked for trustworthiness and continuity, which takes minutes, four times as many for twice the rows.\n`,
      );
    }
    return { neighbors, ...neighborhoodPreservations(rows, fit.latents, neighbors) };
  } catch (error) {
    if (!(error instanceof InvalidInputError) || error.code !== 'missingEntry') throw error;
    stderr.write(`note: trustworthiness and continuity are left out. ${error.message}\n`);
    return {};
  }
}

function labelScores(fit: Fit, given: readonly string[]) {
  const labels = ofPoints(fit, given)!;
  const labeled = Array.from(labels.keys()).filter((i) => labels[i] !== '');
  if (labeled.length < 2) {
    throw new InvalidInputError(`A nearest-neighbor error takes 2 labeled points, but there are ${labeled.length}.`);
  }
  const error = nearestNeighborError(
    rowsOf(fit.latents, labeled),
    labeled.map((i) => labels[i]!),
  );
  return { labeled: labeled.length, nearestNeighborError: error };
}

function summary({ model, objective, status, points, ...scores }: Scores): string {
  const { labeled, nearestNeighborError: error, neighbors, trustworthiness, continuity } = scores;
  const lines = [`${model}: ${points} points, ${status}`, `objective ${objective}`];
  if (error !== undefined && labeled !== undefined) {
    const wrong = Math.round(error * labeled);
    lines.push(
      `nearest-neighbor error ${error} (${wrong} of ${labeled} labeled points take another label from the nearest other one among the latents)`,
    );
  }
  if (neighbors !== undefined) {
    lines.push(`trustworthiness ${trustworthiness} (${neighbors} neighbors)`);
    lines.push(`continuity ${continuity} (${neighbors} neighbors)`);
  }
  return `${lines.join('\n')}\n`;
}

/** Flags that are options of `assess` of the same name. */
const ASSESS_OPTIONS = [
  ['--neighbors <k>', 'neighbors of the local scores (default: 10, at most a quarter of the points)', wholeFrom(1)],
  ['--bootstraps <n>', 'maps of rows drawn with replacement, with entries held out (default: 4)', wholeFrom(0)],
  [
    '--dimensions <list>',
    'numbers of latent dimensions to compare, or none (default: one less and one more)',
    dimensionsFrom,
  ],
  SEED,
] as const;
const ASSESS_FLAGS = [
  ['--labels <file>', 'file with the labels of the fitted rows, one per row (default: the labels of the fit)'],
  ...ASSESS_OPTIONS,
  ['--restarts <n>', 'maps from moved starts (default: 3)', wholeFrom(0)],
  MAX_ITERATIONS,
  ['--page <file.html>', 'file of the page (default: assessment.html in the folder)'],
  FORCE,
  PARTS,
  JSON_OUTPUT,
] as const;

/** `assess DIR` */
export const defineAssess = (command: Command, context: Context): Command =>
  addFlags(command.argument('<dir>', 'folder of a fit'), ...ASSESS_FLAGS).action(
    (folder: string, given: Given<typeof ASSESS_FLAGS>) => assessFolder(folder, given, context),
  );

function dimensionsFrom(text: string): number[] {
  if (text === 'none') return [];
  const list = text.split(',').map(Number);
  if (list.every((dim) => Number.isInteger(dim) && dim >= 1)) return list;
  throw new InvalidArgumentError("It must be whole numbers from 1 with commas between them, such as 1,3, or 'none'.");
}

async function assessFolder(
  folder: string,
  given: Given<typeof ASSESS_FLAGS>,
  { stdout, stderr, signal }: Context,
): Promise<void> {
  const { labels: file, restarts, page: out, force, json, parts } = given;
  const path = out ?? join(folder, 'assessment.html');
  checkOutputs([path], force, [file, parts, ...filesOfFit(folder)], '--page');
  const { fit, record } = await readFit(folder, parts === undefined ? {} : { parts });
  const all =
    file === undefined ? record?.labels : await readLabels(file, { count: record?.ids?.length ?? fit.latents.rows });
  const labels = ofPoints(fit, all);
  const assessment = await assess(fit, {
    ...chosen(given, ...ASSESS_OPTIONS),
    ...(restarts !== undefined && { starts: restarts }),
    own: await partsOf(parts),
    ...(labels && { labels }),
    fit: chosen(given, MAX_ITERATIONS),
    ...(signal && { signal }),
    onProgress: (done, total, secondsLeft) => {
      const rest = announced(secondsLeft, (time) => `, ${time} left`);
      if (done > 0 || rest !== '') stderr.write(`${done} of ${total} fits${rest}\n`);
    },
  });
  const ids = ofPoints(fit, record?.ids);
  const page = await assessmentPage({
    assessment,
    latents: fit.latents,
    ...(labels && { labels }),
    ...(ids && { ids }),
  });
  await writeAtomically(path, page, { replace: force === true });
  if (!json) {
    stdout.write(`${assessment}\n${path}\n`);
    return;
  }
  const { model, points, latentDim, findings, doubtful, dimensions, supportedDim, notAssessed } = assessment;
  const scores = Object.fromEntries(
    assessment.summary().map(({ score, value, se }) => [score, Number.isNaN(se) ? { value } : { value, se }]),
  );
  stdout.write(
    `${JSON.stringify({ model, points, latentDim, findings, doubtful: Array.from(doubtful), scores, dimensions, supportedDim, notAssessed, files: [path] })}\n`,
  );
}
