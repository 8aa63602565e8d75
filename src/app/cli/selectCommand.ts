import type { Command } from 'commander';
import {
  describedModel,
  heldOutDensity,
  InvalidInputError,
  kindOf,
  type Matrix,
  type ModelOptions,
  nearestNeighborScore,
  type SelectionScore,
  selectOptions,
  trustworthinessScore,
} from '../../index.ts';
import {
  camelCase,
  checkRequired,
  fromZero,
  missingFlag,
  PARTS_FLAG,
  type PartsArguments,
  partsOf,
  wholeFrom,
} from './flags.ts';
import { type FlaggedOptions, readGivenJson, readModelOptions } from './jsonOptions.ts';
import { checkTakesMissing } from './modelHelp.ts';
import { preparedTable } from './preparedTable.ts';
import type { Context } from './streams.ts';
import { addTableFlags, readLabeledTable, type TableArguments, tableOptions } from './tableFlags.ts';
import { tableReport } from './tableReport.ts';

interface SelectArguments extends FlaggedOptions, TableArguments, PartsArguments {
  readonly grid: string;
  readonly score?: string;
  readonly labels?: string;
  readonly options?: string;
  readonly standardize?: boolean;
  readonly scale?: boolean;
  readonly folds?: number;
  readonly seed?: number;
  readonly workers?: number;
  readonly maxIterations?: number;
  readonly maxSeconds?: number;
  readonly json?: boolean;
}

/** `select DATA` */
export function defineSelect(command: Command, context: Context): void {
  command
    .argument('<data>', "observations, one point a row; '-' reads stdin")
    .option('-m, --model <name>', '(required) the model', camelCase)
    .option(
      '--grid <json|file>',
      '(required) lists of values by option: \'{"latentDim":[1,2,3]}\', or a file with them',
    )
    .option('--score <name>', 'nearestNeighbor (default where there are labels), density, or trustworthiness')
    .option('--labels <file|column>', 'labels: a file with one per row, or a column of DATA')
    .option('--options <json|file>', 'the options that do not vary')
    .option('-d, --dim <q>', 'number of latent dimensions (default: 2)', wholeFrom(1))
    .option('--kernel <text>', 'covariance of the mapping')
    .option('--standardize', 'bring each column to mean 0 and standard deviation 1')
    .option('--no-scale', 'leave columns as they are, even if their deviations differ by more than ten times')
    .addOption(missingFlag())
    .option('--folds <k>', 'folds of the cross-validation; 0 scores fits of all points (default: 5)', wholeFrom(0))
    .option('-s, --seed <s>', 'seed of the folds and the fits (default: 0)', wholeFrom(Number.NEGATIVE_INFINITY))
    .option('--workers <n>', 'fits that run at the same time (default: 1)', wholeFrom(1))
    .option('--max-iterations <n>', 'limit on the iterations of each fit', wholeFrom(0))
    .option('--max-seconds <s>', 'limit on the seconds of each fit', fromZero)
    .option(...PARTS_FLAG)
    .option('--json', 'print one JSON object');
  addTableFlags(command, { choosesColumns: true }).action((data: string, given: SelectArguments) =>
    select(data, given, context),
  );
}

async function select(data: string, given: SelectArguments, streams: Context): Promise<void> {
  const { signal } = streams;
  checkRequired(given, ['--model <name>', '--grid <json|file>']);
  const { model, folds, seed, workers, maxIterations, maxSeconds } = given;
  const own = await partsOf(given.parts);
  if (given.parts !== undefined && workers !== undefined) {
    throw new InvalidInputError('Workers of select do not know the parts of --parts. Leave --workers out.');
  }
  kindOf(model, own);
  const grid = await gridOf(given.grid);
  const fixed = await readModelOptions(given.options, given);
  if (given.missing === 'ignore') checkTakesMissing(model);
  const table = await readLabeledTable(data, given.labels, {
    ...tableOptions(given),
    allowMissing: given.missing !== 'error',
  });
  if (!given.json)
    streams.stderr.write(
      tableReport(data, table)
        .map((line) => `${line}\n`)
        .join(''),
    );
  const { observations: Y, options, notes } = preparedTable(table, fixed, given);
  streams.stderr.write(notes.map((line) => `${line}\n`).join(''));
  const score = scoreOf(given.score, Y, table.labels);
  if (!given.json) streams.stderr.write(`score: ${score.name}, of which the ${score.best} is best\n`);
  const selection = await selectOptions<Record<string, unknown>>(
    (chosen, { take }) =>
      describedModel(
        model,
        take(Y),
        table.labels && take(table.labels),
        { ...options, ...chosen } as ModelOptions,
        own,
      ),
    grid,
    {
      score,
      ...Object.fromEntries(
        Object.entries({ folds, seed, workers, signal }).filter(([, value]) => value !== undefined),
      ),
      fit: Object.fromEntries(Object.entries({ maxIterations, maxSeconds }).filter(([, value]) => value !== undefined)),
      onProgress: (done, total) => {
        if (!given.json) streams.stderr.write(`${done} of ${total} fits\n`);
      },
    },
  );
  streams.stdout.write(
    given.json
      ? `${JSON.stringify({ model, score: score.name, ...selection })}\n`
      : [
          ...selection.table.map(
            ({ options, score, failure }) => `${score} ${JSON.stringify(options)}${failure ? ` ${failure}` : ''}`,
          ),
          `best ${JSON.stringify(selection.best)}`,
          '',
        ].join('\n'),
  );
}

async function gridOf(text: string): Promise<Record<string, unknown[]>> {
  const grid = await readGivenJson(text, '--grid', 'grid');
  const isGrid = typeof grid === 'object' && grid !== null && Object.values(grid).every(Array.isArray);
  if (isGrid) return grid as Record<string, unknown[]>;
  throw new InvalidInputError('--grid takes lists of values by option, such as {"latentDim": [1, 2, 3]}.');
}

/** Number of neighbors for trustworthiness, if there are enough points. */
const NEIGHBORS = 10;

function scoreOf(name: string | undefined, Y: Matrix, labels: readonly string[] | undefined): SelectionScore {
  const chosen = name ?? (labels === undefined ? 'density' : 'nearestNeighbor');
  if (chosen === 'density') return heldOutDensity(Y);
  if (chosen === 'trustworthiness') {
    return trustworthinessScore(Y, Math.max(1, Math.min(NEIGHBORS, Math.floor(Y.rows / 4))));
  }
  if (chosen !== 'nearestNeighbor') {
    throw new InvalidInputError(`There is no score '${name}'. Known are nearestNeighbor, density, trustworthiness.`);
  }
  if (labels !== undefined) return nearestNeighborScore(Y, labels);
  throw new InvalidInputError('The score nearestNeighbor takes --labels.');
}
