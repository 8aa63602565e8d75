import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import type { Labels } from '../../engine/graph/index.ts';
import { classesOf } from '../../engine/graph/labelGraph.ts';
import { chosenRows, nearestNeighborScore, selectOptions } from '../../inference/index.ts';
import type { Model } from '../../model/model.ts';
import type { ParameterLike } from '../../model/parameter.ts';
import { imputed } from '../../model/posterior.ts';
import type { Covariates } from './covariates.ts';
import type { ViewOptions } from './process.ts';

/** Multiples of the 'auto' strength that are tried. */
const MULTIPLES = [0.1, 1, 10, 100];
const FOLDS = 3;
/** Iterations of each fit: enough to compare strengths. */
const ITERATIONS = 100;

/**
 * Chooses the strength of a model of labeled points among multiples of the 'auto' strength, by the nearest-neighbor error of labeled points that are
 * held out in turn. Only labeled points are used; missing entries are filled in as for initial latents.
 *
 * @param Y - N×D
 * @param make - builds the model from points, their labels, a strength and their row numbers; all points if these are undefined
 */
export function validatedStrength(
  Y: MatrixLike,
  labels: Labels,
  {
    latentDim,
    missing,
    given,
    offset,
  }: Pick<ViewOptions, 'missing' | 'offset'> & {
    readonly latentDim: number;
    readonly given?: Covariates | undefined;
  },
  make: (Y: MatrixLike, labels: Labels, strength: number, rows?: ArrayLike<number>) => Model,
): NonNullable<Model['choose']> {
  return async ({ seed, signal, maxSeconds }) => {
    const { classes } = classesOf(labels, 'gplrf');
    const rows = Array.from(classes.keys()).filter((i) => classes[i]! >= 0);
    const all = imputed(observationsFrom(Y, missing === 'ignore'), latentDim);
    const complete = rowsOf(all, rows);
    const known = {
      ...(given && { given: given.rows }),
      ...(offset && { offset: Matrix.from(Array.from(offset, (entry) => [entry])) }),
    };
    const own = rows.map((i) => classes[i]!);
    const strength = labelStrength(all, latentDim);
    const { best, table } = await selectOptions(
      (options: { strength: number }, { take }) => make(take(complete), take(own), options.strength, take(rows)),
      { strength: MULTIPLES.map((multiple) => multiple * strength) },
      {
        score: nearestNeighborScore(complete, own, { given: chosenRows(known, rows) }),
        folds: FOLDS,
        seed,
        fit: {
          maxIterations: ITERATIONS,
          ...(maxSeconds !== undefined && { maxSeconds: maxSeconds / (FOLDS * MULTIPLES.length) }),
        },
        ...(signal && { signal }),
      },
    );
    const tried = table.map((row) => `${shown(row.options.strength)} (error ${row.score.toFixed(3)})`).join(', ');
    return {
      model: make(Y, labels, best.strength),
      message: ` Strength ${shown(best.strength)} was chosen among ${tried}.`,
    };
  };
}

const shown = (strength: number) => String(Number(strength.toPrecision(3)));

/** Strength, or 'auto' for one that depends on the size of the data. */
export type Strength = ParameterLike | 'auto';

/**
 * Strengths proportional to the size of the data, so that a prior balances a likelihood that is a sum over points and columns:
 *
 * - locality: a sum over points, D
 * - t-SNE: one divergence for all points, N·D
 * - rank: one determinant for all points, N·D/100, which empties directions while classes stay apart
 *
 * `npm run reproduce -- default-strengths` prints results for other multiples.
 */
const scales = {
  locality: ({ columns }: Matrix) => columns,
  tsne: ({ rows, columns }: Matrix) => rows * columns,
  rank: ({ rows, columns }: Matrix) => (rows * columns) / 100,
};

/**
 * Strength for a prior that attracts points of the same class: 9·D/q. With fewer dimensions, each could explain more variation of the observations,
 * and a weak prior collapses points of all classes, where the mapping is nearly linear.
 */
export const labelStrength = ({ columns }: Matrix, latentDim: number): number => (9 * columns) / latentDim;

/** Specified strength, or the one that depends on the size of the data. */
export const strengthFor = (prior: keyof typeof scales, given: Strength | undefined, Y: Matrix): ParameterLike =>
  given === undefined || given === 'auto' ? scales[prior](Y) : given;
