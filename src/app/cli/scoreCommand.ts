import type { Command } from 'commander';
import {
  continuity,
  type Fit,
  InvalidInputError,
  type Matrix,
  nearestNeighbourError,
  trustworthiness,
} from '../../index.ts';
import { readFit } from './fitFiles.ts';
import { PARTS_FLAG, type PartsArguments, wholeFrom } from './flags.ts';
import type { Context } from './streams.ts';
import { addTableFlags, fittedTable, isFile, readPointLabels, type TableArguments } from './tableFlags.ts';
import { ofPoints, rowsOfPoints, selectRows } from './tableReport.ts';

interface ScoreArguments extends TableArguments, PartsArguments {
  readonly labels?: string;
  readonly data?: string;
  readonly neighbours?: number;
  readonly json?: boolean;
}

/** Default number of neighbours, if there are enough points. */
const NEIGHBOURS = 10;

/** `score DIR` */
export function defineScore(command: Command, context: Context): void {
  command
    .argument('<dir>', 'folder of a fit')
    .option(
      '--data <file>',
      'the table that was fitted, for trustworthiness and continuity; columns are matched by name',
    )
    .option(
      '--labels <file|column>',
      'labels, for the nearest-neighbour error: a file with one a row, or a column of --data by name or number from 0',
    )
    .option('--neighbours <k>', `neighbours of trustworthiness and continuity (default: ${NEIGHBOURS})`, wholeFrom(1))
    .option(...PARTS_FLAG)
    .option('--json', 'print one JSON object');
  addTableFlags(command, { choosesColumns: false }).action(async (folder: string, given: ScoreArguments) => {
    const scores = await scoresOf(folder, given, context);
    context.stdout.write(given.json ? `${JSON.stringify(scores)}\n` : summary(scores));
  });
}

interface Scores {
  readonly model: string;
  readonly objective: number;
  readonly status: string;
  readonly points: number;
  /** Number of labelled points. */
  readonly labelled?: number;
  readonly nearestNeighbourError?: number;
  readonly neighbours?: number;
  readonly trustworthiness?: number;
  readonly continuity?: number;
}

async function scoresOf(folder: string, given: ScoreArguments, streams: Context): Promise<Scores> {
  const { data, labels, neighbours } = given;
  if (labels !== undefined && data === undefined && !isFile(labels)) {
    throw new InvalidInputError(
      `There is no file '${labels}' of labels. Give one, or --data with a column of that name.`,
    );
  }
  if (neighbours !== undefined && data === undefined) {
    throw new InvalidInputError('--neighbours is for trustworthiness and continuity, which take --data.');
  }
  const { fit, record } = await readFit(folder, given);
  const { model, objective, status, latents } = fit;
  const fitted =
    data === undefined ? undefined : await fittedTable(data, record, { ...given, missing: 'ignore' }, streams);
  const count = fitted?.observations.rows ?? latents.rows;
  const ofPoints = fitted?.table.labels ?? (labels && (await readPointLabels(labels, count, true)));
  return {
    model,
    objective,
    status,
    points: latents.rows,
    ...(fitted === undefined || isHoled(fitted.observations, streams)
      ? {}
      : neighbourhoodScores(fit, fitted.observations, neighbours)),
    ...(ofPoints ? labelScores(fit, ofPoints) : {}),
  };
}

/** True if the table has missing entries, so that neighbours among its rows are unknown. */
function isHoled({ data }: Matrix, { stderr }: Context): boolean {
  const holes = data.reduce((count, entry) => count + (Number.isNaN(entry) ? 1 : 0), 0);
  if (holes > 0) {
    stderr.write(`note: the data have ${holes} missing entries, so trustworthiness and continuity are left out.\n`);
  }
  return holes > 0;
}

function neighbourhoodScores(fit: Fit, table: Parameters<typeof rowsOfPoints>[1], given: number | undefined) {
  const observations = rowsOfPoints(fit, table);
  const neighbours = given ?? Math.max(1, Math.min(NEIGHBOURS, Math.ceil(observations.rows / 2) - 1));
  return {
    neighbours,
    trustworthiness: trustworthiness(observations, fit.latents, neighbours),
    continuity: continuity(observations, fit.latents, neighbours),
  };
}

function labelScores(fit: Fit, given: readonly string[]) {
  const labels = ofPoints(fit, given)!;
  const labelled = Array.from(labels.keys()).filter((i) => labels[i] !== '');
  if (labelled.length < 2) {
    throw new InvalidInputError(`A nearest-neighbour error takes 2 labelled points, but there are ${labelled.length}.`);
  }
  const error = nearestNeighbourError(
    selectRows(fit.latents, labelled),
    labelled.map((i) => labels[i]!),
  );
  return { labelled: labelled.length, nearestNeighbourError: error };
}

function summary({ model, objective, status, points, ...scores }: Scores): string {
  const { labelled, nearestNeighbourError: error, neighbours, trustworthiness, continuity } = scores;
  const lines = [`${model}: ${points} points, ${status}`, `objective ${objective}`];
  if (error !== undefined && labelled !== undefined) {
    const wrong = Math.round(error * labelled);
    lines.push(
      `nearest-neighbour error ${error} (${wrong} of ${labelled} labelled points take another label from the nearest other one among the latents)`,
    );
  }
  if (neighbours !== undefined) {
    lines.push(`trustworthiness ${trustworthiness} (${neighbours} neighbours)`);
    lines.push(`continuity ${continuity} (${neighbours} neighbours)`);
  }
  return `${lines.join('\n')}\n`;
}
