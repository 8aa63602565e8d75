import { join } from 'node:path';
import type { Command } from 'commander';
import {
  adam,
  assess,
  type Checkpoint,
  type Fit,
  type FitOptions,
  fit,
  InvalidInputError,
  LatentFieldError,
  lbfgs,
  lbfgsb,
  type Matrix,
  type Model,
  type Solver,
  scg,
} from '../../index.ts';
import { describedModel, kindOf } from '../../models/index.ts';
import type { ResultFolder, StandardizedColumns, Table } from '../io/index.ts';
import { type LookOptions, MOST_LABELS } from '../plot/index.ts';
import { checkFiles, completedTable, FIT_FILE, likeliest, prepareFiles, readFit, writeFit } from './fitFiles.ts';
import {
  addFlags,
  camelCase,
  chosen,
  FORCE,
  fromZero,
  type Given,
  JSON_OUTPUT,
  MODEL_FLAGS,
  partsOf,
  SEED,
  SPARSE_FLAGS,
  wholeFrom,
  wholeOr,
} from './flags.ts';
import { readJsonFile, readModelOptions } from './jsonOptions.ts';
import { checkPredicts, MODEL_NAMES, modelsHelp } from './modelHelp.ts';
import { checkPictures, PLOT_FLAGS, type ShownColumns } from './pictures.ts';
import { checkCovariates, checkOffset, checkWeights, modelTable } from './preparedTable.ts';
import { checkTime, TIME_FLAGS } from './sequence.ts';
import { type Context, effort, exitCodeOf, NO_BAR, progressBar, type TimeBudget, timeBudget } from './streams.ts';
import { COLUMN_FLAGS, GIVEN, isFile, KIND_FLAGS, OFFSETS, TABLE_FLAGS, WEIGHTS } from './tableFlags.ts';
import { ofPoints, rowsOfPoints, tableRecord } from './tableReport.ts';

const SOLVERS: Readonly<Record<string, () => Solver>> = { lbfgs, lbfgsb, scg, adam };

/** Flags that are options of `fit` of the same name. */
const SEARCH_FLAGS = [
  [
    '--max-iterations <n>',
    'limit on the iterations from each start (default: 1000; 5000 for Gaussian processes of at most 300 points)',
    wholeFrom(0),
  ],
  ['--max-evaluations <n>', 'limit on the evaluations from each start (default: no limit)', wholeFrom(1)],
  ['--tolerance <t>', 'largest entry of the gradient at convergence (default: 1e-5 for most models)', fromZero],
  SEED,
  ['--batch-size <n>', 'rows of each step, for models that support batches (default: all)', wholeFrom(1)],
  ['--max-epochs <n>', 'limit on the passes through all rows, in batches (default: 100)', wholeFrom(0)],
  ['--restarts <n>', 'further starts; the best result is kept (default: 0)', wholeFrom(0)],
  ['--engine <name>', 'linear algebra (default: auto)', ['auto', 'wasm', 'native', 'typescript']],
  ['--threads <n>', "threads for the linear algebra in WebAssembly, or 'auto' (default: auto)", wholeOr('auto')],
  ['--checkpoint <file>', 'save the state of the fit to this file during the run'],
  ['--checkpoint-interval <s>', 'seconds between two saves (default: 10)', fromZero],
  ['--resume <file>', 'resume the fit from a checkpoint file, with its seed and restarts'],
] as const;
const START = ['--start <dir>', 'start the search at an earlier fit of the same points, from its folder'] as const;

const FLAGS = {
  'Model:': [
    [
      '-m, --model <name>',
      `the model (default: gplvm), or bayesianGplvm for a table with categories or missing entries: ${MODEL_NAMES.join(', ')}`,
      camelCase,
    ],
    ...MODEL_FLAGS,
    ...SPARSE_FLAGS,
    ...TIME_FLAGS,
    ['--verbose', 'print how the search ended in numbers'],
  ],
  'Pictures:': PLOT_FLAGS,
  'Table:': [...COLUMN_FLAGS, ...KIND_FLAGS, GIVEN, ...OFFSETS, WEIGHTS, ...TABLE_FLAGS],
  'Search:': [
    ...SEARCH_FLAGS,
    [
      '--max-seconds <s>',
      'limit on the seconds for start, fit and picture; the best result so far is then written (default: no limit)',
      fromZero,
    ],
    START,
    ['--solver <name>', 'solver (default: chosen for the model)', Object.keys(SOLVERS)],
    ['--workers <n>', 'worker threads that share the starts (default: none)', wholeFrom(1)],
  ],
  'Output:': [
    ['-o, --out <dir>', 'folder for the results, created if it does not exist (default: results)'],
    FORCE,
    JSON_OUTPUT,
  ],
} as const;

/** Arguments of `fit`. */
type FitArguments = { readonly model: string; readonly out: string; readonly isDefault?: boolean } & Given<
  readonly (typeof FLAGS)[keyof typeof FLAGS][number][]
>;

/** `fit DATA` */
export function defineFit(command: Command, context: Context): void {
  command.argument(
    '<data>',
    "observations, one point per row: .csv, .tsv, .txt, .npy, .npz, .parquet, .arrow, .mtx, or a folder of Cell Ranger; '-' reads stdin",
  );
  for (const [group, flags] of Object.entries(FLAGS)) addFlags(command.optionsGroup(group), ...flags);
  command
    .addHelpText('after', modelsHelp)
    .action(async (data: string, given: Partial<FitArguments>) =>
      context.exit(
        await fitTable(
          data,
          { model: 'gplvm', isDefault: given.model === undefined, out: 'results', ...given } as FitArguments,
          context,
        ),
      ),
    );
}

/** Fits a table into a folder, and returns the exit code. */
export async function fitTable(data: string, given: FitArguments, streams: Context): Promise<number> {
  const budget = timeBudget(given.maxSeconds);
  const own = await partsOf(given.parts);
  kindOf(given.model, own); // The model's name is checked before its options.
  const options = await readModelOptions(given.options, given);
  if (given.imageGrid) checkPredicts(given.model, options, '--image-grid');
  checkTime(given, options);
  checkWeights(given, options);
  checkCovariates(given, options);
  checkOffset(given, options);
  if (given.start !== undefined && given.resume !== undefined) {
    throw new InvalidInputError('--start and --resume both set where the search begins. Give one of them.');
  }
  const startFile = given.start === undefined ? undefined : join(given.start, FIT_FILE);
  await checkFiles(given, [data, given.labels, given.options, given.parts, startFile]);
  const prepared = await modelTable(data, options, { ...given, keepCells: true }, streams);
  const pictured = await checkPictures(given, prepared.table);
  const { table, observations, options: chosenOptions } = prepared;
  const model =
    'columns' in chosenOptions
      ? kindOf(prepared.model).make(table as never, undefined, chosenOptions)
      : describedModel(prepared.model, observations, table.labels, chosenOptions, own);
  // Read before signals are left to the fit: a pipe may never be written to.
  const resume =
    given.resume === undefined ? {} : { resume: (await readJsonFile(given.resume, 'checkpoint')) as Checkpoint };
  const start = given.start === undefined ? {} : { start: (await readFit(given.start, given)).fit };
  const input = { ...prepared, pictured, model, from: { ...resume, ...start } };
  const folder = await prepareFiles(given);
  for (const note of folder.notes) streams.stderr.write(`note: ${note}\n`);
  try {
    return await streams.heeding(() => fitAndWrite(input, folder, given, budget, streams));
  } finally {
    await folder.close();
  }
}

/** Table that was read, and its model. */
interface FitInput {
  readonly table: Table;
  readonly pictured: ShownColumns;
  readonly units: StandardizedColumns | undefined;
  readonly observations: Matrix;
  readonly model: Model;
  /** Earlier result or checkpoint where the search begins. */
  readonly from: Pick<FitOptions, 'resume' | 'start'>;
}

async function fitAndWrite(
  input: FitInput,
  folder: ResultFolder,
  given: FitArguments,
  budget: TimeBudget,
  streams: Context,
): Promise<number> {
  const { signal } = streams;
  const { table, observations, model } = input;
  const bar = given.json
    ? NO_BAR
    : progressBar(streams.stderr, {
        search: model.search,
        maxIterations: mostIterations(given, observations.rows),
        secondsLeft: () => budget.forFit() ?? Infinity,
      });
  let result: Fit;
  try {
    result = await fit(model, {
      ...chosen(given, ...SEARCH_FLAGS),
      ...input.from,
      ...(given.solver === undefined ? {} : { solver: SOLVERS[given.solver]!() }),
      ...workersOf(given),
      maxSeconds: budget.forFit(),
      onProgress: bar.update,
      ...(signal === undefined ? {} : { signal }),
    });
  } finally {
    bar.stop();
  }
  if (result.latents.rows === 0) {
    if (given.json) streams.stdout.write(`${JSON.stringify(outcome(result, [], table))}\n`);
    streams.stderr.write(`error: ${result.message} Nothing is written.\n`);
    return signal?.aborted ? exitCodeOf(signal.reason) : 1;
  }
  const files = await write(input, folder, given, result, budget, streams);
  streams.stdout.write(
    given.json
      ? `${JSON.stringify(outcome(result, files, table))}\n`
      : streams.flagged(summary(result, files, given.verbose === true)),
  );
  if (result.status === 'failed') streams.stderr.write(`error: ${result.message}\n`);
  if (result.status === 'failed') return 1;
  return result.status === 'stopped' && signal?.aborted ? exitCodeOf(signal.reason) : 0;
}

/** Maximum number of iterations, if one is set; with batches, the total over all epochs. */
const mostIterations = (
  { maxIterations, batchSize, maxEpochs = 100 }: FitArguments,
  points: number,
): number | undefined =>
  maxIterations ?? (batchSize === undefined ? undefined : maxEpochs * Math.ceil(points / batchSize));

async function write(
  { table, pictured, observations, units }: FitInput,
  folder: ResultFolder,
  given: FitArguments,
  result: Fit,
  budget: TimeBudget,
  streams: Context,
): Promise<string[]> {
  const labelColumn =
    given.labels === undefined || isFile(given.labels) ? undefined : (table.labelColumn ?? given.labels);
  const hasHoles = observations.data.some(Number.isNaN);
  const began = performance.now();
  let reason = '';
  const whyNot = (message: string) => {
    reason = ` ${message}`;
  };
  const completed = hasHoles ? await completedTable(result, observations, units, whyNot) : undefined;
  const filling = (performance.now() - began) / 1000;
  if (hasHoles && completed === undefined) {
    streams.stderr.write(
      `note: ${result.model} cannot fill in the missing entries, so there is no completed.csv.${reason}\n`,
    );
  }
  const files = await writeFit(folder, result, {
    record: tableRecord(table, labelColumn, units),
    shown: {
      looks: looksOf(result, table, given, streams),
      ids: ofPoints(result, table.ids),
      observations: () => pictured.rows(rowsOfPoints(result, table.observations)),
      columns: pictured.names,
      undo: (mean) => pictured.rows(units?.undo(mean) ?? mean),
      time: { secondsLeft: budget.left, note: (text) => streams.stderr.write(`note: ${text}\n`) },
    },
    plots: given,
    ...(completed !== undefined && {
      completed: { ...completed, text: table.completedText!(likeliest(completed.mean, result, table)) },
    }),
    parts: given.parts,
  });
  // Intervals are of numbers: a hidden level of a category has none.
  if (completed !== undefined && !('kinds' in result.toJSON().model))
    streams.stderr.write(
      `note: ${await holesNote(result, checkSeconds(result, observations, filling), given, budget, streams)}\n`,
    );
  return files;
}

/** Maximum number of seconds and rows for checking the intervals of missing entries by another fit. */
const QUICK = { seconds: 10, rows: 2000 } as const;

/** Estimated seconds of another fit with a tenth of the entries hidden and filled in, from the times of the fit and of its rows with missing entries. */
function checkSeconds({ diagnostics }: Fit, Y: Matrix, filling: number): number {
  const rows = Array.from({ length: Y.rows }, (_, i) => Y.row(i));
  const holed = rows.filter((row) => row.some(Number.isNaN)).length;
  return diagnostics.seconds + (filling * Y.rows * Math.min(1, Y.columns / 10)) / holed;
}

/**
 * Sentence about the coverage of the intervals of filled entries, measured by another fit with some observed entries hidden if that is fast;
 * otherwise the command that measures it.
 */
async function holesNote(
  result: Fit,
  seconds: number,
  { out, parts }: FitArguments,
  { left }: TimeBudget,
  { signal }: Context,
): Promise<string> {
  const later = `latentfield assess ${out} checks the intervals of the missing entries, by another fit`;
  const maxSeconds = Math.min(3 * QUICK.seconds, left());
  if (seconds > QUICK.seconds || result.latents.rows > QUICK.rows || maxSeconds < 2 * seconds + 1) return `${later}.`;
  const began = performance.now();
  try {
    const { holes, notAssessed } = await assess(result, {
      ...{ starts: 0, bootstraps: 0, shuffled: 0, dimensions: [], holes: 1 },
      ...{ fit: { maxSeconds }, own: await partsOf(parts), signal },
    });
    if (holes === undefined)
      return `the intervals of the missing entries are not checked. ${Object.values(notAssessed).join(' ')}`;
    const { coverage, se } = holes.coverage.find(({ level }) => level === 0.9)!;
    const taken = ((performance.now() - began) / 1000).toFixed(1);
    return `a check of the missing entries hid ${holes.entries} observed ones and fitted again in ${taken} s: 90 % intervals contained ${coverage.toFixed(2)} ± ${se.toFixed(2)} of them; the error was ${holes.error.toFixed(2)} deviations of a column.`;
  } catch (error) {
    if (!(error instanceof LatentFieldError || signal?.aborted)) throw error;
    return `the intervals of the missing entries are not checked. ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Worker pool for restarts. */
const workersOf = ({ workers, parts }: FitArguments): Pick<FitOptions, 'workers'> =>
  workers === undefined ? {} : { workers: parts === undefined ? workers : { count: workers, parts } };

/** Colors of the points: the numbers or text of `--color`, otherwise the labels. */
function looksOf(result: Fit, { color, labels }: Table, given: FitArguments, streams: Context): LookOptions {
  if (color instanceof Float64Array) return { color: ofPoints(result, color)!, legendTitle: given.color! };
  const kinds = ofPoints(result, color ?? labels);
  const count = new Set(kinds).size - (kinds?.includes('') ? 1 : 0);
  if (kinds === undefined) return {};
  const name = given.color ?? (given.labels !== undefined && !isFile(given.labels) ? given.labels : 'label');
  if (count <= MOST_LABELS) return { labels: kinds, legendTitle: /^\d+$/.test(name) ? 'label' : name };
  streams.stderr.write(
    `note: ${count} different labels are more than the ${MOST_LABELS} that a picture can distinguish.\n`,
  );
  return {};
}

const outcome = (
  { model, objective, status, message, diagnostics }: Fit,
  files: readonly string[],
  { columns, leftOut }: Table,
) => ({
  model,
  objective,
  status,
  message,
  evaluations: diagnostics.evaluations,
  seconds: diagnostics.seconds,
  files,
  columns,
  leftOut,
});

/** Relevance of each latent dimension, one line per view that has one. */
function relevanceIn(result: Fit): string[] {
  const { relevance } = result as { readonly relevance?: Float64Array | Readonly<Record<string, Float64Array>> };
  if (relevance === undefined) return [];
  const views = relevance instanceof Float64Array ? { '': relevance } : relevance;
  return Object.entries(views).map(([view, values]) => {
    const entries = Array.from(values, (value, d) => `x${d + 1} ${Number(value.toPrecision(3))}`);
    return `relevance of the dimensions${view && ` for ${view}`}: ${entries.join(', ')}`;
  });
}

const kindOfObjective = ({ latentVariances, parameters }: Fit): string =>
  latentVariances !== undefined || Object.keys(parameters).some((path) => path.endsWith('.inducing'))
    ? 'lower bound on the log density'
    : 'log density';

const summary = (result: Fit, files: readonly string[], isVerbose: boolean): string => {
  const { model, latents, objective, status, message, diagnostics, eigenvalues } = result;
  return [
    `${model}: ${latents.rows} points, latent dimension ${latents.columns}`,
    `objective ${objective}${eigenvalues === undefined ? ` (${kindOfObjective(result)})` : ''}`,
    // The reason was printed to stderr.
    ...(status === 'failed' ? [] : [message]),
    ...(isVerbose && diagnostics.criterion !== undefined ? [`ended because ${diagnostics.criterion}`] : []),
    ...relevanceIn(result),
    effort(diagnostics),
    ...files.map((file) => `wrote ${file}`),
    '',
  ].join('\n');
};
