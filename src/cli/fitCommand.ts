import { type Command, Option } from 'commander';
import { adam, type EngineChoice, type Fit, type FitOptions, fit, lbfgs, lbfgsb, type Solver, scg } from '../index.ts';
import { MOST_LABELS } from '../plot/index.ts';
import { prepareFolder, writeFit } from './fitFiles.ts';
import { fromZero, missingFlag, wholeFrom } from './flags.ts';
import { readLabelledTable } from './labelledTable.ts';
import { type FlaggedOptions, readModelOptions } from './modelOptions.ts';
import { createModel, LABELLED_MODELS, MODEL_NAMES, takesLabels } from './models.ts';
import { NO_BAR, progressBar } from './progress.ts';
import { labelsOfPoints } from './shownPoints.ts';
import type { Streams } from './streams.ts';

/** Options of `fit` that have flags of the same name. */
const FIT_FLAGS = [
  'maxIterations',
  'maxEvaluations',
  'maxSeconds',
  'tolerance',
  'seed',
  'restarts',
  'engine',
  'threads',
  'workers',
  'checkpoint',
  'checkpointInterval',
  'resume',
] as const;

interface FitArguments extends FlaggedOptions, Pick<FitOptions, (typeof FIT_FLAGS)[number]> {
  readonly model: string;
  readonly labels?: string;
  readonly options?: string;
  readonly solver?: string;
  readonly out: string;
  readonly json?: boolean;
}

const SOLVERS: Readonly<Record<string, () => Solver>> = { lbfgs, lbfgsb, scg, adam };
const ENGINES: readonly EngineChoice[] = ['auto', 'wasm', 'native', 'typescript'];

/** Adds `fit DATA` to the program; `exit` receives the exit code of a fit that came to an end. */
export function addFitCommand(
  program: Command,
  streams: Streams,
  signal: AbortSignal | undefined,
  exit: (code: number) => void,
): void {
  program
    .command('fit')
    .description('fit a model to a table of numbers; write latents.csv, fit.json, trace.csv and plot.svg')
    .argument('<data>', 'observations, one point a row: .csv, .tsv or .npy')
    .requiredOption('--model <name>', `the model: ${MODEL_NAMES.join(', ')}`)
    .option('--dim <q>', 'number of latent dimensions (default: 2)', wholeFrom(1))
    .option('--kernel <text>', 'covariance of the mapping, such as "rbf(lengthscale=[1,2]) + bias(0.1)"')
    .option(
      '--labels <file|column>',
      `labels: a file with one a row, or a column of DATA by name or index from 0; needed by ${LABELLED_MODELS.join(', ')}, where some may be missing`,
    )
    .addOption(missingFlag())
    .option('--options <file.json>', 'options of the model as a JSON object')
    .option('--max-iterations <n>', 'iterations at most, from each start (default: 1000)', wholeFrom(0))
    .option('--max-evaluations <n>', 'evaluations at most, from each start (default: no limit)', wholeFrom(1))
    .option(
      '--max-seconds <s>',
      'seconds at most, after which the best so far is written (default: no limit)',
      fromZero,
    )
    .addOption(
      new Option('--solver <name>', 'solver (default: the one that suits the model)').choices(Object.keys(SOLVERS)),
    )
    .option('--tolerance <t>', 'largest entry of the gradient at convergence (default: 1e-5 for most models)', fromZero)
    .option('--seed <s>', 'seed of everything random (default: 0)', wholeFrom(Number.NEGATIVE_INFINITY))
    .option('--restarts <n>', 'further starts, of which the best is kept (default: 0)', wholeFrom(0))
    .addOption(new Option('--engine <name>', 'linear algebra (default: auto)').choices(ENGINES))
    .option('--threads <n>', 'threads for the linear algebra in WebAssembly (default: 1)', wholeFrom(1))
    .option('--workers <n>', 'threads that share the starts, each with its own (default: none)', wholeFrom(1))
    .option('--checkpoint <file>', 'save the state of the fit there now and then')
    .option('--checkpoint-interval <s>', 'seconds between two saves (default: 10)', fromZero)
    .option('--resume <file>', 'go on from such a file; seed and restarts are then its own')
    .requiredOption('--out <dir>', 'folder for the results, made if need be')
    .option('--json', 'print the outcome as one JSON object')
    .action(async (data: string, given: FitArguments) => exit(await fitTable(data, given, streams, signal)));
}

async function fitTable(
  data: string,
  given: FitArguments,
  streams: Streams,
  signal: AbortSignal | undefined,
): Promise<number> {
  const options = await readModelOptions(given.options, given);
  const missing = { allowMissing: options.missing === 'ignore', allowMissingLabels: takesLabels(given.model) };
  const { observations, labels } = await readLabelledTable(data, given.labels, missing);
  const model = createModel(given.model, observations, labels, options);
  await prepareFolder(given.out);
  const bar = given.json ? NO_BAR : progressBar(streams.stderr, given.maxIterations ?? 1000);
  let result: Fit;
  try {
    result = await fit(model, {
      ...Object.fromEntries(FIT_FLAGS.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])),
      ...(given.solver === undefined ? {} : { solver: SOLVERS[given.solver]!() }),
      onProgress: bar.update,
      ...(signal === undefined ? {} : { signal }),
    });
  } finally {
    bar.stop();
  }
  const files = await writeFit(given.out, result, drawable(labelsOfPoints(result, labels), streams));
  streams.stdout.write(given.json ? `${JSON.stringify(outcome(result, files))}\n` : summary(result, files));
  if (result.status === 'failed') streams.stderr.write(`error: ${result.message}\n`);
  return result.status === 'failed' ? 1 : 0;
}

/** Labels if a picture can tell them apart. */
function drawable(labels: readonly string[] | undefined, streams: Streams): readonly string[] | undefined {
  const kinds = new Set(labels).size;
  if (kinds <= MOST_LABELS) return labels?.map((label) => label || '(none)');
  streams.stderr.write(
    `note: ${kinds} different labels are more than the ${MOST_LABELS} that plot.svg can tell apart.\n`,
  );
  return undefined;
}

const outcome = ({ model, objective, status, message, diagnostics }: Fit, files: readonly string[]) => ({
  model,
  objective,
  status,
  message,
  evaluations: diagnostics.evaluations,
  seconds: diagnostics.seconds,
  files,
});

const summary = (
  { model, latents, objective, message, diagnostics, eigenvalues }: Fit,
  files: readonly string[],
): string =>
  [
    `${model}: ${latents.rows} points, latent dimension ${latents.columns}`,
    `objective ${objective}${eigenvalues === undefined ? ' (log density)' : ''}`,
    message,
    `${diagnostics.evaluations} evaluations in ${diagnostics.seconds.toFixed(1)} s`,
    ...files.map((file) => `wrote ${file}`),
    '',
  ].join('\n');
