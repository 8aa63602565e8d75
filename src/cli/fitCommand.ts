import { type Command, InvalidArgumentError } from 'commander';
import { type Fit, fit } from '../index.ts';
import { MOST_LABELS } from '../plot/index.ts';
import { prepareFolder, writeFit } from './fitFiles.ts';
import { readLabelledTable } from './labelledTable.ts';
import { readModelOptions } from './modelOptions.ts';
import { createModel, MODEL_NAMES } from './models.ts';
import { NO_BAR, progressBar } from './progress.ts';
import type { Streams } from './streams.ts';

interface FitArguments {
  readonly model: string;
  readonly dim?: number;
  readonly labels?: string;
  readonly options?: string;
  readonly maxIterations: number;
  readonly seed: number;
  readonly out: string;
  readonly json?: boolean;
}

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
    .option('--labels <file|column>', 'labels: a file with one a row, or a column of DATA by name or index from 0')
    .option('--options <file.json>', 'options of the model as a JSON object')
    .option('--max-iterations <n>', 'iterations at most', wholeFrom(0), 1000)
    .option('--seed <s>', 'seed of everything random', wholeFrom(Number.NEGATIVE_INFINITY), 0)
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
  const { matrix, labels } = await readLabelledTable(data, given.labels);
  const model = createModel(given.model, matrix, await readModelOptions(given.options, given.dim));
  await prepareFolder(given.out);
  const bar = given.json ? NO_BAR : progressBar(streams.stderr, given.maxIterations);
  let result: Fit;
  try {
    result = await fit(model, {
      maxIterations: given.maxIterations,
      seed: given.seed,
      onProgress: bar.update,
      ...(signal === undefined ? {} : { signal }),
    });
  } finally {
    bar.stop();
  }
  const files = await writeFit(given.out, result, drawable(labels, streams));
  streams.stdout.write(given.json ? `${JSON.stringify(outcome(result, files))}\n` : summary(result, files));
  if (result.status === 'failed') streams.stderr.write(`error: ${result.message}\n`);
  return result.status === 'failed' ? 1 : 0;
}

/** Labels if a picture can tell them apart. */
function drawable(labels: readonly string[] | undefined, streams: Streams): readonly string[] | undefined {
  const kinds = new Set(labels).size;
  if (kinds <= MOST_LABELS) return labels;
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

const summary = ({ model, latents, objective, message, diagnostics }: Fit, files: readonly string[]): string =>
  [
    `${model}: ${latents.rows} points, latent dimension ${latents.columns}`,
    `objective ${objective} (log density)`,
    message,
    `${diagnostics.evaluations} evaluations in ${diagnostics.seconds.toFixed(1)} s`,
    ...files.map((file) => `wrote ${file}`),
    '',
  ].join('\n');

const wholeFrom = (smallest: number) => (text: string) => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= smallest) return value;
  throw new InvalidArgumentError(`It must be a whole number${Number.isFinite(smallest) ? ` from ${smallest}` : ''}.`);
};
