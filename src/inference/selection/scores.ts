import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkOptions, givenList, typed } from '../../core/options.ts';
import { seededRandom, shuffled } from '../../core/random.ts';
import { rowsOf as ofMatrix } from '../../core/rowMatrices.ts';
import { classesOf, type Labels } from '../../engine/graph/labelGraph.ts';
import { nearestRow } from '../../engine/neighbors/nearest.ts';
import type { KnownRowsOptions } from '../../model/abilities.ts';
import type { Projection } from '../../model/posterior.ts';
import { chosenRows } from '../fit/knownRows.ts';
import { nearestNeighborError, trustworthiness } from '../scores/neighborScores.ts';

/** Members of a fit that a score uses. */
export interface ScoredFit {
  readonly latents: Matrix;
  readonly objective: number;
  project(Y: MatrixLike, options?: KnownRowsOptions): Promise<Projection>;
}

/** Score of a fit on a split of the points. */
export interface SelectionScore {
  /** Name in the table. */
  readonly name: string;
  readonly best: 'largest' | 'smallest';
  /** N, the number of points to split. */
  readonly points: number;
  /** N labels for stratified folds. */
  readonly labels?: ArrayLike<string | number | boolean | null | undefined>;
  of(fit: ScoredFit, split: Split): number | Promise<number>;
}

const schema = v.strictObject({ given: v.optional(typed<KnownRowsOptions['given']>()) });

/**
 * Rate of held-out points whose nearest training point in the latent space has another label, with held-out points placed by `project`; without
 * folds, the leave-one-out rate among the latents. Smaller is better. Points without a label are fitted but ignored by the score.
 *
 * @param observations - N×D
 * @param labels - N labels; a missing one is undefined, null, NaN or ''
 * @param options - `given`, covariates of the observations, N×p, or covariates and offset by name, for models that have them
 * @throws InvalidInputError if the number of labels is not N
 * @example
 * ```ts
 * nearestNeighborScore(Y, labels);
 * ```
 */
export function nearestNeighborScore(
  observations: MatrixLike,
  labels: Labels,
  options: KnownRowsOptions = {},
): SelectionScore {
  const { given } = checkOptions(schema, options, 'nearestNeighborScore');
  const Y = Matrix.from(observations, 'The observations');
  const own = givenList(labels, 'nearestNeighborScore', 'a list with one label for each observation');
  if (own.length !== Y.rows) {
    throw new InvalidInputError(
      `nearestNeighborScore needs one label for each of ${Y.rows} observations, but ${own.length} were given.`,
    );
  }
  const { classes } = classesOf(own, 'nearestNeighborScore');
  const isLabeled = (i: number) => classes[i]! >= 0;
  return {
    name: 'nearestNeighborError',
    best: 'smallest',
    points: Y.rows,
    labels: own,
    of: async ({ latents, project }, { training, held }) => {
      if (held.length === 0) return nearestNeighborError(latents, own);
      const [scored, known] = [
        held.filter(isLabeled),
        Int32Array.from(training.keys()).filter((i) => isLabeled(training[i]!)),
      ];
      if (scored.length === 0 || known.length === 0) return 0;
      const placed = await project(rowsOf(Y, scored), { given: chosenRows(given, scored) });
      const wrong = Array.from(scored).filter((row, i) => {
        const nearest = known[nearestRow(rowsOf(latents, known), placed.latents.row(i))]!;
        return classes[training[nearest]!] !== classes[row];
      });
      return wrong.length / scored.length;
    },
  };
}

/**
 * Mean log density log p(y*) of held-out observations, integrated over their latent positions; without folds, the fit's objective. Larger is better.
 * If the latents have no normalized density, or are computed from the observations, it is the mean of log p(y*|x*) at the positions.
 *
 * @param observations - N×D
 * @param options - `given`, covariates of the observations, N×p, or covariates and offset by name, for models that have them
 * @example
 * ```ts
 * heldOutDensity(Y);
 * ```
 */
export function heldOutDensity(observations: MatrixLike, options: KnownRowsOptions = {}): SelectionScore {
  const { given } = checkOptions(schema, options, 'heldOutDensity');
  const Y = Matrix.from(observations, 'The observations');
  return {
    name: 'heldOutDensity',
    best: 'largest',
    points: Y.rows,
    of: async ({ objective, project }, { held }) => {
      if (held.length === 0) return objective;
      const { logDensity: integrated, logDensityAtPlace = integrated } = await project(rowsOf(Y, held), {
        given: chosenRows(given, held),
      });
      const logDensity = integrated.every(Number.isNaN) ? logDensityAtPlace : integrated;
      return logDensity.reduce((sum, entry) => sum + entry, 0) / logDensity.length;
    },
  };
}

/**
 * Trustworthiness of the latents of the training points, a criterion without labels. Larger is better.
 *
 * @param observations - N×D
 * @param neighbors - k, from 1
 * @example
 * ```ts
 * trustworthinessScore(Y, 5);
 * ```
 */
export function trustworthinessScore(observations: MatrixLike, neighbors: number): SelectionScore {
  const Y = Matrix.from(observations, 'The observations');
  return {
    name: 'trustworthiness',
    best: 'largest',
    points: Y.rows,
    of: ({ latents }, { training }) => trustworthiness(rowsOf(Y, training), latents, neighbors),
  };
}

/** Division of the points into a training set and a held-out set for scoring. */
export interface Split {
  /** Training rows, ascending. */
  readonly training: Int32Array;
  /** Held-out rows, ascending; empty without folds. */
  readonly held: Int32Array;
}

/** Selected rows of a table, which can be a matrix, rows of numbers, or a list with one entry per point. */
export function rowsOf<T>(table: T, rows: Int32Array): T;
export function rowsOf(table: unknown, rows: Int32Array): unknown {
  if (table instanceof Matrix) return ofMatrix(table, rows);
  if (Array.isArray(table)) return Array.from(rows, (row) => table[row]);
  if (ArrayBuffer.isView(table) && 'filter' in table) {
    const wanted = table as unknown as Float64Array;
    return Reflect.construct(wanted.constructor as typeof Float64Array, [Array.from(rows, (row) => wanted[row]!)]);
  }
  throw new InvalidInputError('Rows can be taken of a Matrix, an array or a typed array with one entry a point only.');
}

/**
 * Divides the points 0 … N − 1 into folds of nearly equal size, at random from a seed; with labels, each fold contains nearly the same share of each
 * label. Returns one split per fold, with that fold held out.
 *
 * @param labels - N labels, or undefined
 */
export function splitsOf(
  points: number,
  folds: number,
  seed: number,
  labels?: ArrayLike<string | number | boolean | null | undefined>,
): Split[] {
  const all = Int32Array.from({ length: points }, (_, i) => i);
  if (folds === 0) return [{ training: all, held: new Int32Array(0) }];
  // Points of one label are dealt to the folds in turn, and the next label continues where the last one ended.
  const classes = new Map<unknown, number[]>();
  for (const i of shuffled(points, seededRandom(seed))) {
    const label = labels?.[i];
    const members = classes.get(label);
    if (members === undefined) classes.set(label, [i]);
    else members.push(i);
  }
  const foldOf = new Int32Array(points);
  [...classes.values()].flat().forEach((i, place) => {
    foldOf[i] = place % folds;
  });
  return Array.from({ length: folds }, (_, fold) => ({
    training: all.filter((i) => foldOf[i] !== fold),
    held: all.filter((i) => foldOf[i] === fold),
  }));
}
