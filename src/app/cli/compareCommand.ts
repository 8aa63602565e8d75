import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { aligned, differInUnits, rowsOf, shuffled } from '../../core/index.ts';
import {
  type Fit,
  fit,
  InvalidInputError,
  LatentFieldError,
  type Matrix,
  nearestNeighborError,
  score,
  seededRandom,
} from '../../index.ts';
import { chosenRows, knownRowsOf, localScores, usualNeighbors } from '../../inference/index.ts';
import { describedModel, type HeldOutScore, kindOf, withKnownRows } from '../../models/index.ts';
import { makeFolder, standardize, writeAtomically } from '../io/index.ts';
import { latentPlot, MOST_LABELS } from '../plot/index.ts';
import { completedTable } from './fitFiles.ts';
import {
  aboveZero,
  addFlags,
  camelCase,
  DIM,
  FORCE,
  type Given,
  JSON_OUTPUT,
  LABELS,
  MISSING,
  SEED,
  STANDARDIZE,
} from './flags.ts';
import { LABELED_MODELS, takesOption } from './modelHelp.ts';
import { meansDistance } from './pictures.ts';
import { preparedTable, reportedTable } from './preparedTable.ts';
import { type Context, checkOutputs, NO_BAR, progressBar, rowsNote } from './streams.ts';
import { COLUMN_FLAGS, GIVEN, TABLE_FLAGS } from './tableFlags.ts';

/** Default models: a linear map, two Gaussian process models, a spectral map of paths along neighbors, and a map of neighbors alone. */
const MODELS = ['ppca', 'gplvm', 'bayesianGplvm', 'isomap', 'tsne'];
const SECONDS = 60;
/**
 * Fraction of the rows that is held out; its maximum number, since each row is a search; the maximum number of held-out rows times all rows, since
 * each search starts from all of them; and the minimum number of rows of a table.
 */
const HELD_OUT = 1 / 3;
const MOST_HELD_OUT = 500;
const MOST_SEARCHED = 1e6;
const LEAST_ROWS = 12;

const FLAGS = [
  ['-o, --out <dir>', '(required) folder for a picture of each map, created if it does not exist'],
  FORCE,
  ['--models <list>', `models, separated by commas (default: ${MODELS.join(',')})`, modelsFrom],
  LABELS,
  DIM,
  STANDARDIZE,
  [
    '--max-seconds <s>',
    `limit on the seconds of all fits together, scores not included (default: ${SECONDS})`,
    aboveZero,
  ],
  SEED,
  MISSING,
  ...COLUMN_FLAGS,
  GIVEN,
  ...TABLE_FLAGS,
  JSON_OUTPUT,
] as const;
type CompareArguments = Given<typeof FLAGS>;

/** `compare DATA` */
export const defineCompare = (command: Command, context: Context): Command =>
  addFlags(command.argument('<data>', "observations, one point per row, as for fit; '-' reads stdin"), ...FLAGS).action(
    async (data: string, given: CompareArguments) => context.exit(await compareTable(data, given, context)),
  );

function modelsFrom(text: string): string[] {
  const names = text.split(',').map((name) => camelCase(name.trim()));
  const labeled = names.find((name) => LABELED_MODELS.includes(name));
  if (labeled !== undefined) {
    throw new InvalidArgumentError(`${labeled} learns from the labels that the comparison uses: leave it out.`);
  }
  return [...new Set(names)];
}

const UNITS_NOTE =
  'note: columns are in units that differ by more than ten times: every map is fitted to columns divided by their standard deviations, and scored on them.\n';

/** Row of the comparison table. */
interface Compared {
  readonly model: string;
  readonly status: string;
  readonly seconds: number;
  /** Score of a fit to the training rows, at entries of held-out ones; undefined for models that cannot impute. */
  readonly heldOut: HeldOutScore | undefined;
  /** Undefined for a table with missing entries that no model fills in. */
  readonly trustworthiness: number | undefined;
  readonly continuity: number | undefined;
  readonly nearestNeighborError: number | undefined;
  readonly file: string;
}

async function compareTable(data: string, given: CompareArguments, streams: Context): Promise<number> {
  const { models = MODELS, dim = 2, seed = 0, force } = given;
  const out = given.out!;
  for (const name of models) kindOf(name, {});
  const pathOf = (model: string) => join(out, `${model}.svg`);
  checkOutputs(models.map(pathOf), force, [data, given.labels]);
  const table = await reportedTable(data, given, streams, given.given && { given: [...given.given] });
  const known = knownRowsOf(table);
  const takesKnown = (model: string) => known !== undefined && takesOption(model, 'given') !== false;
  // Maps are compared in one unit, so all of them are fitted in it.
  const isUnequal = differInUnits(table.observations);
  const Y =
    given.standardize || isUnequal ? standardize(table.observations).apply(table.observations) : table.observations;
  if (isUnequal && !given.standardize) streams.stderr.write(UNITS_NOTE);
  if (Y.rows < LEAST_ROWS) {
    throw new InvalidInputError(`compare takes at least ${LEAST_ROWS} rows, but '${data}' has ${Y.rows}.`);
  }
  await makeFolder(out);
  const { labels } = table;
  const shown = labels !== undefined && new Set(labels).size <= MOST_LABELS ? labels : undefined;
  const without = known === undefined ? [] : models.filter((model) => !takesKnown(model));
  if (without.length > 0) {
    streams.stderr.write(
      `note: ${without.join(', ')} ${without.length === 1 ? 'has' : 'have'} no covariates, and ${without.length === 1 ? 'is' : 'are'} fitted without them.\n`,
    );
  }
  const [fitted, held] = split(Y.rows, seed);
  const heldRows = rowsOf(Y, held);
  const neighbors = usualNeighbors(Y.rows);
  let ends = performance.now() + 1000 * (given.maxSeconds ?? SECONDS);
  const every = Int32Array.from({ length: Y.rows }, (_, i) => i);
  const hasHoles = Y.data.some(Number.isNaN);
  /** Observations with missing entries filled in by the first model that can. */
  let whole = hasHoles ? undefined : Y;
  const fits: (Omit<Compared, 'trustworthiness' | 'continuity'> & { readonly latents: Matrix })[] = [];
  let left = 2 * models.length;
  /** Fits a model; each fit may use its share of the remaining time. */
  const fitOf = async (model: string, rows: Int32Array): Promise<Fit> => {
    const observations = rowsOf(Y, rows);
    const maxSeconds = Math.max(0, (ends - performance.now()) / 1000 / left--);
    const prepared = preparedTable({ ...table, observations }, { latentDim: dim }, { model });
    const options = withKnownRows(prepared.options, takesKnown(model) ? chosenRows(known, rows) : undefined);
    const described = describedModel(model, observations, undefined, options, {});
    const ownEnd = performance.now() + 1000 * maxSeconds;
    const secondsLeft = () => (ownEnd - performance.now()) / 1000;
    const bar = given.json
      ? NO_BAR
      : progressBar(streams.stderr, { search: described.search, secondsLeft, title: model });
    try {
      return (await fit(described, {
        seed,
        maxSeconds,
        onProgress: bar.update,
        ...(streams.signal && { signal: streams.signal }),
      })) as Fit;
    } finally {
      bar.stop();
    }
  };
  for (const model of models) {
    const began = performance.now();
    const atStart = left;
    try {
      const result = await fitOf(model, every);
      const seconds = (performance.now() - began) / 1000;
      streams.signal?.throwIfAborted();
      const { latents, status } = result;
      if (latents.rows !== Y.rows) throw new InvalidInputError(result.message);
      const fills = 'impute' in result && 'predict' in result && Y.columns > 1;
      /** Scores the first held-out rows. */
      const scoreOf = (fit: Fit, rows: Matrix) =>
        score(fit, rows, {
          seed,
          signal: streams.signal,
          given: takesKnown(model) ? chosenRows(known, held.subarray(0, rows.rows)) : undefined,
        });
      const scored = fills ? await fitOf(model, fitted) : undefined;
      const fittedAt = performance.now();
      if (scored !== undefined && !given.json)
        streams.stderr.write(await rowsNote(heldRows, `${model}: scoring`, (rows) => scoreOf(scored, rows)));
      const heldOut = scored && (await scoreOf(scored, heldRows));
      if (whole === undefined) {
        whole = (await completedTable(result, Y, undefined))?.mean;
        if (whole !== undefined)
          streams.stderr.write(`note: ${model} fills in the missing entries for the scores of neighbors.\n`);
      }
      // The time limit is for fits: scores do not count.
      ends += performance.now() - fittedAt;
      const title = `${model}: ${status}`;
      const plot = {
        latents,
        title,
        equalScales: dim > 1 && meansDistance(result),
        width: 460,
        height: 400,
        ...(shown && { labels: shown }),
      };
      await writeAtomically(pathOf(model), await latentPlot(plot), { replace: force === true });
      fits.push({
        model,
        status,
        seconds,
        heldOut,
        latents,
        nearestNeighborError: labels && nearestNeighborError(latents, labels),
        file: pathOf(model),
      });
    } catch (error) {
      if (!(error instanceof LatentFieldError)) throw error;
      streams.stderr.write(`note: ${model} is left out. ${error.message}\n`);
    }
    left = atStart - 2;
  }
  const rows = fits.map(({ latents, ...row }): Compared => {
    const overall = whole && localScores(whole, latents, { neighbors }).overall;
    return { ...row, trustworthiness: overall?.trustworthiness, continuity: overall?.continuity };
  });
  const best = rows.reduce<HeldOutScore | undefined>(
    (most, { heldOut }) => (heldOut && !(most && most.logDensity >= heldOut.logDensity) ? heldOut : most),
    undefined,
  );
  streams.stdout.write(
    given.json ? `${JSON.stringify({ rows: rows.map(jsonOf) })}\n` : textOf(rows, best, held.length),
  );
  return rows.length > 0 ? 0 : 1;
}

/** Numbers of training rows and held-out rows, drawn at random. */
function split(points: number, seed: number): [Int32Array, Int32Array] {
  const order = Int32Array.from(shuffled(points, seededRandom(seed)));
  const most = Math.min(MOST_HELD_OUT, Math.ceil(MOST_SEARCHED / points));
  const count = Math.min(most, Math.round(HELD_OUT * points));
  return [order.slice(count).sort(), order.slice(0, count).sort()];
}

const jsonOf = ({ heldOut, ...row }: Compared) => ({
  ...row,
  ...(heldOut && {
    heldOut: {
      entries: heldOut.entries,
      logDensity: heldOut.logDensity,
      se: heldOut.logDensitySe,
      coverage90: heldOut.coverage.find(({ level }) => level === 0.9)!.coverage,
    },
  }),
});

function textOf(rows: readonly Compared[], best: HeldOutScore | undefined, held: number): string {
  const fixed = (value: number | undefined) => value?.toFixed(3) ?? '–';
  const hasLabels = rows.some((row) => row.nearestNeighborError !== undefined);
  const head = [
    'model',
    'status',
    'seconds',
    'held out',
    'behind',
    'coverage of 90 %',
    'trustworthiness',
    'continuity',
  ];
  const lines = rows.map((row) => {
    const { heldOut } = row;
    const behind = heldOut?.behind(best!);
    return [
      row.model,
      row.status,
      row.seconds.toFixed(1),
      heldOut ? `${fixed(heldOut.logDensity)} ± ${fixed(heldOut.logDensitySe)}` : '–',
      behind ? `${fixed(behind.mean)} ± ${fixed(behind.se)}` : '–',
      heldOut ? fixed(heldOut.coverage.find(({ level }) => level === 0.9)!.coverage) : '–',
      fixed(row.trustworthiness),
      fixed(row.continuity),
      ...(hasLabels ? [fixed(row.nearestNeighborError!)] : []),
      row.file,
    ];
  });
  const all = [[...head, ...(hasLabels ? ['label error'] : []), 'picture'], ...lines];
  const meaning = [
    `held out: mean log density of hidden entries of ${held} rows, drawn at random, in nats, by a fit to the others; – where a model fills in none`,
    'behind: how much less than the best, with its standard error over rows',
  ];
  return `${[...aligned(all, 'left'), '', ...meaning].join('\n')}\n`;
}
