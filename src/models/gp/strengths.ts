import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { Labels } from '../../engine/graph/index.ts';
import { classesOf } from '../../engine/graph/labelGraph.ts';
import { nearestNeighborScore, selectOptions } from '../../inference/index.ts';
import type { Model } from '../../model/model.ts';
import type { ParameterLike } from '../../model/parameter.ts';

/** Multiples of the strength of 'auto' that are tried. */
const MULTIPLES = [0.1, 1, 10, 100];
const FOLDS = 3;
/** Iterations of each fit: enough to compare strengths. */
const ITERATIONS = 100;

/**
 * Chooses the strength of a model of labeled points among multiples of one, by the error of the nearest neighbor of labeled points that are
 * held out in turn. No other points have a say.
 *
 * @param Y - N×D, complete
 * @param make - the model of some points, their labels and a strength
 * @param chosen - the model of all points
 */
export function validatedStrength(
  Y: MatrixLike,
  labels: Labels,
  strength: number,
  make: (Y: Matrix, labels: Labels, strength: number) => Model,
  chosen: (strength: number) => Model,
): NonNullable<Model['choose']> {
  return async ({ seed, signal, maxSeconds }) => {
    const { classes } = classesOf(labels, 'gplrf');
    const rows = Array.from(classes.keys()).filter((i) => classes[i]! >= 0);
    const all = Matrix.from(Y);
    const known = Matrix.from(rows.map((i) => all.row(i)));
    const own = rows.map((i) => classes[i]!);
    const { best, table } = await selectOptions(
      (options: { strength: number }, { take }) => make(take(known), take(own), options.strength),
      { strength: MULTIPLES.map((multiple) => multiple * strength) },
      {
        score: nearestNeighborScore(known, own),
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
      model: chosen(best.strength),
      message: ` Strength ${shown(best.strength)} was chosen among ${tried}.`,
    };
  };
}

const shown = (strength: number) => String(Number(strength.toPrecision(3)));

/** A strength, or 'auto' for the one that goes with the size of the data. */
export type Strength = ParameterLike | 'auto';

/**
 * Strengths that go with the size of the data, so that a prior weighs against a likelihood that is a sum over points and columns:
 *
 * - locality: a sum over points, D
 * - t-SNE: one divergence for all points, N·D
 * - rank: one determinant for all points, N·D/100, at which directions empty while classes stay apart
 *
 * `npm run reproduce -- default-strengths` prints what other multiples show.
 */
const scales = {
  locality: ({ columns }: Matrix) => columns,
  tsne: ({ rows, columns }: Matrix) => rows * columns,
  rank: ({ rows, columns }: Matrix) => (rows * columns) / 100,
};

/**
 * The strength for a prior that draws points of one class together: 9·D/q. The fewer dimensions there are, the more variation of the observations
 * each could explain, and a weak prior draws points of all classes together, where the mapping is nearly linear.
 *
 * @param latentDim - q; D where the model has yet to refuse it as no whole number from 1
 */
export function labelStrength(Y: MatrixLike, latentDim: number): number {
  const { columns } = Matrix.from(Y, 'The observations');
  return latentDim >= 1 ? (9 * columns) / latentDim : columns;
}

/** The strength that goes with the size of the data. */
const autoStrength = (prior: keyof typeof scales, Y: MatrixLike): number =>
  scales[prior](Matrix.from(Y, 'The observations'));

/** The strength that was given, or the one that goes with the size of the data. */
export const strengthFor = (prior: keyof typeof scales, given: Strength | undefined, Y: MatrixLike): ParameterLike =>
  given === undefined || given === 'auto' ? autoStrength(prior, Y) : given;
