import * as v from 'valibot';
import { InvalidInputError, LatentFieldError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import {
  checkGiven,
  checkOptions,
  functionOf,
  integerFrom,
  type OptionsIn,
  seedOption,
  signalOption,
} from '../../core/options.ts';
import type { Fit } from '../../model/fit.ts';
import type { Model } from '../../model/model.ts';
import { callersFunction } from '../fit/callersFunction.ts';
import { fit } from '../fit/fit.ts';
import type { FitOptions } from '../fit/fitOptions.ts';
import { rowsOf, type SelectionScore, type Split, splitsOf } from './scores.ts';

/** Lists of values by option; every combination is tried. */
export type OptionGrid<O> = { readonly [K in keyof O]: readonly O[K][] };

/** Subset of the points that a model is fitted to. */
export interface TrainingPart {
  /** Row numbers in the whole table, ascending. */
  readonly rows: Int32Array;
  /** Selects these rows from a table or list of all points. */
  take<T>(table: T): T;
}

/** Options of {@link selectOptions}. */
export interface SelectionSettings extends OptionsIn<typeof schema> {}

/** Result of one combination of options. */
export interface SelectionRow<O> {
  readonly options: O;
  /** Mean over the folds; NaN if a fit failed. */
  readonly score: number;
  /** Score of each fold. */
  readonly scores: readonly number[];
  /** Total seconds of all its fits. */
  readonly seconds: number;
  /** Reason why a fit failed, if one did. */
  readonly failure?: string;
}

/** Result of {@link selectOptions}. */
export interface Selection<O> {
  /** Options with the best score; the first if tied. */
  readonly best: O;
  /** Table with a row for every combination, in the order of the grid, with the last option varying fastest. */
  readonly table: readonly SelectionRow<O>[];
}

const schema = v.strictObject({
  /** The score to maximize: `nearestNeighborScore`, `heldOutDensity`, `trustworthinessScore`, or a custom one. */
  score: v.custom<SelectionScore>(
    (value) => typeof value === 'object' && value !== null && 'of' in value && 'points' in value,
    'a score, such as nearestNeighborScore(Y, labels)',
  ),
  /** Number of parts into which the points are divided, each held out in turn: from 2, or 0 to score fits of all points; default 5. */
  folds: v.optional(
    v.pipe(
      integerFrom(0),
      v.check((folds) => folds !== 1, '0, or a whole number from 2'),
    ),
    5,
  ),
  /** Seed of the folds and of the fits; default 0. */
  seed: seedOption,
  /** Number of fits that run at the same time, each in a separate worker; by default one fit after another without workers. */
  workers: v.optional(integerFrom(1)),
  /** Options of each fit. */
  fit: v.optional(
    v.custom<FitOptions>((value) => typeof value === 'object' && value !== null, 'options of fit'),
    {},
  ),
  /** Signal that aborts the search, which then rejects with the signal's reason. */
  signal: signalOption,
  /** Function that is called after each fit with the number of completed fits and their total, and awaited. */
  onProgress: v.optional(functionOf<(done: number, total: number) => unknown>()),
});

/**
 * Chooses options of a model by cross-validation: every combination of the grid is fitted to all folds but one and scored on that one, for each fold
 * in turn. Only the points passed are used.
 *
 * @param make - builds the model with these options on the points selected by `take`, or returns a promise of it, if its start is fitted first
 * @param grid - lists of values by option
 * @param settings - see {@link SelectionSettings}
 * @returns the best options, and the table of all combinations
 * @throws InvalidInputError for an empty grid, more folds than points, or an unknown setting
 * @throws LatentFieldError if every combination failed, with the first reason
 * @see Hastie, Tibshirani & Friedman 2009, §7.10
 * @example
 * ```ts
 * const { best, table } = await selectOptions(
 *   ({ strength }, { take }) => gplrf(take(Y), take(labels), { latentDim: 2, strength }),
 *   { strength: [1, 10, 100] },
 *   { score: nearestNeighborScore(Y, labels), folds: 3, seed: 1 },
 * );
 * ```
 */
export async function selectOptions<O extends object>(
  make: (options: O, part: TrainingPart) => Model | PromiseLike<Model>,
  grid: OptionGrid<O>,
  settings: SelectionSettings,
): Promise<Selection<O>> {
  const { folds, seed, workers, signal, onProgress, ...checked } = checkOptions(schema, settings, 'selectOptions');
  const { score } = settings;
  if (folds > score.points) {
    throw new InvalidInputError(`${score.points} points cannot be divided into ${folds} folds. Ask for fewer.`);
  }
  const combinations = combinationsOf(grid);
  const splits = splitsOf(score.points, folds, seed, score.labels);
  const options: FitOptions = { seed, ...checked.fit, ...(signal && { signal }), ...(workers && { workers: 1 }) };
  const tasks = combinations.flatMap((_, c) => splits.map((split, s) => ({ c, s, split })));
  const outcomes = combinations.map(() => splits.map((): Outcome => ({ score: Number.NaN, seconds: 0 })));
  const report = onProgress && callersFunction('onProgress', onProgress, signal);
  let done = 0;
  const work = async () => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      signal?.throwIfAborted();
      const { c, s, split } = task;
      outcomes[c]![s] = await outcomeOf(make, combinations[c]!, split, score, options);
      signal?.throwIfAborted();
      done++;
      await report?.(done, combinations.length * splits.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers ?? 1, tasks.length) }, work));
  return selectionOf(combinations, outcomes, score);
}

interface Outcome {
  readonly score: number;
  readonly seconds: number;
  readonly failure?: string;
}

/** Score of one fit. A fit that fails with one of the library's errors becomes a row of the table and does not end the search. */
async function outcomeOf<O>(
  make: (options: O, part: TrainingPart) => Model | PromiseLike<Model>,
  options: O,
  split: Split,
  score: SelectionScore,
  fitOptions: FitOptions,
): Promise<Outcome> {
  try {
    const model = await make(options, { rows: split.training, take: (table) => rowsOf(table, split.training) });
    const result: Fit = await fit(model, fitOptions);
    const { seconds } = result.diagnostics;
    if (result.status === 'failed') return { score: Number.NaN, seconds, failure: result.message };
    const cannot = async () => {
      throw new InvalidInputError(`The model '${model.name}' does not place new observations, which this score needs.`);
    };
    const value = await score.of({ project: cannot, ...result }, split);
    return Number.isFinite(value)
      ? { score: value, seconds }
      : { score: Number.NaN, seconds, failure: `Its score is ${value}.` };
  } catch (error) {
    if (!(error instanceof LatentFieldError)) throw error;
    return { score: Number.NaN, seconds: 0, failure: error.message };
  }
}

function selectionOf<O>(
  combinations: readonly O[],
  outcomes: readonly (readonly Outcome[])[],
  { best, name }: SelectionScore,
): Selection<O> {
  const table = combinations.map((options, c): SelectionRow<O> => {
    const ofFolds = outcomes[c]!;
    const scores = ofFolds.map((outcome) => outcome.score);
    const failure = ofFolds.find((outcome) => outcome.failure !== undefined)?.failure;
    return {
      options,
      score: scores.reduce((sum, entry) => sum + entry, 0) / scores.length,
      scores,
      seconds: ofFolds.reduce((sum, outcome) => sum + outcome.seconds, 0),
      ...(failure !== undefined && { failure }),
    };
  });
  const sign = best === 'largest' ? 1 : -1;
  let chosen: SelectionRow<O> | undefined;
  for (const row of table) {
    if (Number.isNaN(row.score)) continue;
    if (chosen === undefined || sign * row.score > sign * chosen.score) chosen = row;
  }
  if (chosen === undefined) {
    throw new LatentFieldError(`No combination of options has a ${name}. The first failed: ${table[0]!.failure}`);
  }
  return { best: chosen.options, table };
}

/** All combinations of a grid, with the last option varying fastest. */
export function combinationsOf<O extends object>(grid: OptionGrid<O>): O[] {
  checkGiven(
    grid,
    'selectOptions',
    'lists of values by option',
    (given) => typeof given === 'object' && given !== null,
  );
  let combinations: Partial<O>[] = [{}];
  for (const [name, values] of Object.entries(grid) as [keyof O & string, readonly O[keyof O][]][]) {
    if (!Array.isArray(values) || values.length === 0) {
      throw new InvalidInputError(
        `The grid of selectOptions needs a list of values for '${name}', but ${describe(values)} was given.`,
      );
    }
    combinations = combinations.flatMap((options) => values.map((value) => ({ ...options, [name]: value })));
  }
  return combinations as O[];
}
