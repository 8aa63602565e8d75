import type { Command } from 'commander';
import { InvalidInputError, type Matrix, selectOptions } from '../../index.ts';
import {
  chosenRows,
  heldOutDensity,
  type KnownRows,
  knownRowsOf,
  nearestNeighborScore,
  type SelectionScore,
  trustworthinessScore,
  usualNeighbors,
} from '../../inference/index.ts';
import { describedModel, kindOf, type ModelOptions, withKnownRows } from '../../models/index.ts';
import {
  addFlags,
  camelCase,
  chosen,
  fromZero,
  type Given,
  JSON_OUTPUT,
  MAX_ITERATIONS,
  MODEL_FLAGS,
  partsOf,
  SEED,
  wholeFrom,
} from './flags.ts';
import { readGivenJson, readModelOptions } from './jsonOptions.ts';
import { checkCovariates, checkOffset, modelTable } from './preparedTable.ts';
import type { Context } from './streams.ts';
import { COLUMN_FLAGS, GIVEN, OFFSETS, TABLE_FLAGS } from './tableFlags.ts';

/** Flags that are options of `selectOptions` of the same name, and of its fits. */
const SELECTION_FLAGS = [
  ['--folds <k>', 'folds of the cross-validation; 0 scores fits of all points (default: 5)', wholeFrom(0)],
  SEED,
  ['--workers <n>', 'fits that run at the same time (default: 1)', wholeFrom(1)],
] as const;
const MAX_SECONDS = ['--max-seconds-per-fit <s>', 'limit on the seconds of each fit', fromZero] as const;
const FLAGS = [
  ['-m, --model <name>', '(required) the model', camelCase],
  ['--grid <json|file>', '(required) lists of values by option: \'{"latentDim":[1,2,3]}\', or a file with them'],
  [
    '--score <name>',
    'score of each fit (default: nearest-neighbor where there are labels, otherwise density)',
    ['nearestNeighbor', 'density', 'trustworthiness'],
  ],
  ...MODEL_FLAGS,
  ...SELECTION_FLAGS,
  MAX_ITERATIONS,
  MAX_SECONDS,
  JSON_OUTPUT,
  ...COLUMN_FLAGS,
  GIVEN,
  ...OFFSETS,
  ...TABLE_FLAGS,
] as const;
type SelectArguments = Given<typeof FLAGS>;

/** `select DATA` */
export const defineSelect = (command: Command, context: Context): Command =>
  addFlags(command.argument('<data>', "observations, one point per row; '-' reads stdin"), ...FLAGS).action(
    (data: string, given: SelectArguments) => select(data, given, context),
  );

async function select(data: string, given: SelectArguments, streams: Context): Promise<void> {
  const { signal } = streams;
  const { maxSecondsPerFit: maxSeconds } = given;
  const model = given.model!;
  const own = await partsOf(given.parts);
  if (given.parts !== undefined && given.workers !== undefined) {
    throw new InvalidInputError('Workers of select do not know the parts of --parts. Leave --workers out.');
  }
  kindOf(model, own);
  const grid = await gridOf(given.grid!);
  const fixed = await readModelOptions(given.options, { ...given, model });
  checkCovariates({ ...given, model }, fixed);
  checkOffset({ ...given, model }, fixed);
  const { table, observations: Y, options } = await modelTable(data, fixed, { ...given, model }, streams);
  const known = knownRowsOf(table);
  const score = scoreOf(given.score, Y, table.labels, known);
  if (!given.json) streams.stderr.write(`score: ${score.name}; the ${score.best} is best\n`);
  const selection = await selectOptions<Record<string, unknown>>(
    (chosen, { rows, take }) =>
      describedModel(
        model,
        take(Y),
        table.labels && take(table.labels),
        withKnownRows({ ...options, ...chosen } as ModelOptions, chosenRows(known, rows)),
        own,
      ),
    grid,
    {
      score,
      ...chosen(given, ...SELECTION_FLAGS),
      ...(signal && { signal }),
      fit: { ...chosen(given, MAX_ITERATIONS), ...(maxSeconds !== undefined && { maxSeconds }) },
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

function scoreOf(
  name: string | undefined,
  Y: Matrix,
  labels: readonly string[] | undefined,
  given: KnownRows | undefined,
): SelectionScore {
  const chosen = name ?? (labels === undefined ? 'density' : 'nearestNeighbor');
  if (chosen === 'density') return heldOutDensity(Y, { given });
  if (chosen === 'trustworthiness') return trustworthinessScore(Y, usualNeighbors(Y.rows));
  if (labels !== undefined) return nearestNeighborScore(Y, labels, { given });
  throw new InvalidInputError('The score nearest-neighbor takes --labels.');
}
