import * as v from 'valibot';
import { InvalidInputError, LatentFieldError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { checkOptions, integerFrom, seedOption, signalOption } from '../../core/options.ts';
import type { Fit } from '../../model/fit.ts';
import type { Model } from '../../model/model.ts';
import { fit } from '../fit/fit.ts';
import type { FitOptions } from '../fit/fitOptions.ts';
import { callersFunction } from '../fit/inputChecks.ts';
import { rowsOf, type Split, splitsOf } from './folds.ts';
import type { SelectionScore } from './scores.ts';

/** Lists of values by option: every combination is tried. */
export type OptionGrid<O> = { readonly [K in keyof O]: readonly O[K][] };

/** The part of the points that a model is fitted to. */
export interface TrainingPart {
  /** Their rows in the whole table, ascending. */
  readonly rows: Int32Array;
  /** The same rows of a table or list of all points. */
  take<T>(table: T): T;
}

/** Options of {@link selectOptions}. */
export interface SelectionSettings {
  /** The score to maximize: `nearestNeighborScore`, `heldOutDensity`, `trustworthinessScore`, or a custom one. */
  readonly score: SelectionScore;
  /** How many parts the points are divided into, each held out in turn: from 2, or 0 to score the fits of all points; default 5. */
  readonly folds?: number | undefined;
  /** Seed of the folds and of the fits; default 0. */
  readonly seed?: number | undefined;
  /** How many fits are under way at a time, each in a worker of its own; none, one after another, unless given. */
  readonly workers?: number | undefined;
  /** Options of each fit. */
  readonly fit?: FitOptions | undefined;
  /** Aborting it ends the search with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each fit with how many are done, and of how many, and awaited. */
  readonly onProgress?: ((done: number, total: number) => unknown) | undefined;
}

/** The outcome of one combination of options. */
export interface SelectionRow<O> {
  readonly options: O;
  /** Mean over the folds; NaN where a fit failed. */
  readonly score: number;
  /** The score of each fold. */
  readonly scores: readonly number[];
  /** The seconds of all its fits. */
  readonly seconds: number;
  /** Why a fit failed, where one did. */
  readonly failure?: string;
}

/** The outcome of {@link selectOptions}. */
export interface Selection<O> {
  /** The options of best score; the first of equals. */
  readonly best: O;
  /** A row for every combination, in the order of the grid, the last option varying fastest. */
  readonly table: readonly SelectionRow<O>[];
}

const schema = v.strictObject({
  score: v.custom<SelectionScore>(
    (value) => typeof value === 'object' && value !== null && 'of' in value && 'points' in value,
    'a score, such as nearestNeighborScore(Y, labels)',
  ),
  folds: v.optional(
    v.pipe(
      integerFrom(0),
      v.check((folds) => folds !== 1, '0, or a whole number from 2'),
    ),
    5,
  ),
  seed: seedOption,
  workers: v.optional(integerFrom(1)),
  fit: v.optional(
    v.custom<FitOptions>((value) => typeof value === 'object' && value !== null, 'options of fit'),
    {},
  ),
  signal: signalOption,
  onProgress: v.optional(
    v.custom<(done: number, total: number) => unknown>((value) => typeof value === 'function', 'a function'),
  ),
});

/**
 * Chooses options of a model by cross-validation inside the given points: every combination of the grid is fitted to all folds but one and
 * scored on that one, each fold in turn. No point outside the given ones has a say.
 *
 * @param make - the model with these options of the points that `take` gives
 * @param grid - lists of values by option
 * @param settings - see {@link SelectionSettings}
 * @returns the best options, and the table of all
 * @throws InvalidInputError for an empty grid, more folds than points, or an unknown setting
 * @throws LatentFieldError when every combination failed, with the first reason
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
  make: (options: O, part: TrainingPart) => Model,
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

/** The score of one fit. A fit that fails with a reason of the library's is a row of the table, not the end of the search. */
async function outcomeOf<O>(
  make: (options: O, part: TrainingPart) => Model,
  options: O,
  split: Split,
  score: SelectionScore,
  fitOptions: FitOptions,
): Promise<Outcome> {
  try {
    const model = make(options, { rows: split.training, take: (table) => rowsOf(table, split.training) });
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

/** All combinations of a grid, the last option varying fastest. */
export function combinationsOf<O extends object>(grid: OptionGrid<O>): O[] {
  if (typeof grid !== 'object' || grid === null) {
    throw new InvalidInputError(`selectOptions takes lists of values by option, but ${describe(grid)} was given.`);
  }
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
