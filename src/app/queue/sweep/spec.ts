import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import type { MatrixLike } from '../../../core/matrix.ts';
import { integer, integerFrom, limitFromZero, listOf, type OptionsIn, typed } from '../../../core/options.ts';
import { combinationsOf } from '../../../inference/selection/selectOptions.ts';
import type { ReadTableOptions } from '../../io/index.ts';
import { packed } from '../requests.ts';
import { checksumOf } from '../session.ts';

/** Model of a sweep as JSON: its name, fixed options, and lists of options that vary. */
export interface SweptModel extends OptionsIn<typeof sweptModel> {}

/** Limits of each fit of a sweep. */
export interface SweptFit extends OptionsIn<typeof fit> {}

/** Specification of a sweep: plain JSON, except for observations that are passed directly. */
export interface SweepSpec extends OptionsIn<typeof specSchema> {}

/** Scores of a sweep, with the same names as for `select`. */
export type SweepScore = 'nearestNeighbor' | 'density' | 'trustworthiness';
const SWEEP_SCORES: readonly SweepScore[] = ['nearestNeighbor', 'density', 'trustworthiness'];

const options = v.record(v.string(), v.unknown());
const fit = v.strictObject({
  maxIterations: v.optional(integerFrom(0)),
  maxEvaluations: v.optional(integerFrom(1)),
  maxSeconds: v.optional(limitFromZero),
  tolerance: v.optional(limitFromZero),
  restarts: v.optional(integerFrom(0)),
});
const folds = v.pipe(
  integerFrom(0),
  v.check((count) => count !== 1, '0, or a whole number from 2'),
);
const scores = listOf(v.picklist(SWEEP_SCORES, `one of ${SWEEP_SCORES.join(', ')}`));

const sweptModel = v.strictObject({
  model: v.string('the name of a model'),
  options: v.optional(options, {}),
  grid: v.optional(v.record(v.string(), v.pipe(listOf(v.unknown()), v.minLength(1, 'at least one value'))), {}),
});

export const specSchema = v.strictObject({
  /** Models with their grids. */
  models: v.pipe(listOf(sweptModel), v.minLength(1, 'at least one model')),
  /** N×D observations, or the path or URL of a table. */
  data: typed<MatrixLike | string>(),
  /** N labels, or the column of the table with the labels. */
  labels: v.optional(v.union([v.string(), v.number(), listOf(v.string())], 'labels, or the column that contains them')),
  /** Options for reading the table. */
  table: v.optional(typed<ReadTableOptions>(options), {}),
  /** Transport of the table to the workers: as bytes through the queue, or as a file that each of them reads; default the queue for tables up to 16 MB. */
  through: v.optional(v.picklist(['queue', 'file'], "'queue' or 'file'")),
  /** Whether columns are standardized to mean 0 and standard deviation 1. */
  standardize: v.optional(v.boolean('true or false'), false),
  /** Seeds of the fits; default [0]. */
  seeds: v.optional(v.pipe(listOf(integer), v.minLength(1, 'at least one seed')), [0]),
  /** Number of folds that are held out in turn, from 2; default 0, which scores fits of all points. */
  folds: v.optional(folds, 0),
  /** Seed of the folds; default 0. */
  foldSeed: v.optional(integer, 0),
  /** Names of scores; default none, since each fit has its objective. */
  scores: v.optional(scores, []),
  fit: v.optional(fit, {}),
});
export type CheckedSpec = v.InferOutput<typeof specSchema>;

/** One fit of a sweep as sent to a worker. */
export const cellSchema = v.strictObject({
  model: v.string(),
  options,
  seed: integer,
  folds,
  fold: integerFrom(0),
  foldSeed: integer,
  scores,
  standardize: v.boolean(),
  fit,
  /** Checksum of the table. */
  checksum: v.string(),
});
export type Cell = v.InferOutput<typeof cellSchema>;

/** Row of the table: a model with its options and a seed, and one fit per fold. */
export interface SweepLine {
  readonly id: string;
  readonly model: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly cells: readonly { readonly id: string; readonly cell: Cell }[];
}

/**
 * All fits of a sweep, in the order of the grid, with the last option varying fastest. Ids are derived from the inputs of the fit, so that existing
 * results are reused.
 */
export function linesOf(spec: CheckedSpec, checksum: string, version: string): SweepLine[] {
  const { seeds, folds, foldSeed, scores, standardize, fit } = spec;
  const lines = spec.models.flatMap(({ model, options, grid }) =>
    combinationsOf(grid).flatMap((varied) =>
      seeds.map((seed): SweepLine => {
        const given = { ...options, ...varied };
        const cells = Array.from({ length: Math.max(1, folds) }, (_, fold) => {
          const cell: Cell = { model, options: given, seed, folds, fold, foldSeed, scores, standardize, fit, checksum };
          return { id: idOf([cell, version]), cell };
        });
        return { id: idOf(cells.map(({ id }) => id)), model, options: given, seed, cells };
      }),
    ),
  );
  const seen = new Set<string>();
  for (const { id, model, options } of lines) {
    if (seen.has(id)) {
      throw new InvalidInputError(
        `The sweep has ${model} with ${JSON.stringify(options)} twice. Leave out what is repeated in models, grid or seeds.`,
      );
    }
    seen.add(id);
  }
  return lines;
}

const idOf = (what: unknown) => checksumOf(new TextEncoder().encode(packed(what))).slice(0, 32);
