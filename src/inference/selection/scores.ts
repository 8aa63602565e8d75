import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { givenList } from '../../core/options.ts';
import { classesOf, type Labels } from '../../engine/graph/labelGraph.ts';
import type { Projection } from '../../model/posterior.ts';
import { nearestNeighborError, trustworthiness } from '../scores/neighborScores.ts';
import { rowsOf, type Split } from './folds.ts';

/** Members of a fit that a score uses. */
export interface ScoredFit {
  readonly latents: Matrix;
  readonly objective: number;
  project(Y: MatrixLike): Promise<Projection>;
}

/** How well a fit does on a split of the points. */
export interface SelectionScore {
  /** Its name in the table. */
  readonly name: string;
  readonly best: 'largest' | 'smallest';
  /** N, the number of points that are split. */
  readonly points: number;
  /** N labels of which each fold is to hold its share. */
  readonly labels?: ArrayLike<string | number | boolean | null | undefined>;
  of(fit: ScoredFit, split: Split): number | Promise<number>;
}

/**
 * The rate of held-out points whose nearest training point in the latent space carries another label, the held-out points placed by `project`;
 * without folds the leave-one-out rate among the latents. The smallest is best. Points without a label are fitted, and neither count nor tell others' labels.
 *
 * @param observations - N×D
 * @param labels - N labels; a missing one is undefined, null, NaN or ''
 * @throws InvalidInputError when there are not N labels
 * @example
 * ```ts
 * nearestNeighborScore(Y, labels);
 * ```
 */
export function nearestNeighborScore(observations: MatrixLike, labels: Labels): SelectionScore {
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
      const placed = await project(rowsOf(Y, scored));
      const wrong = Array.from(scored).filter((row, i) => {
        const nearest = known[nearestRow(rowsOf(latents, known), placed.latents.row(i))]!;
        return classes[training[nearest]!] !== classes[row];
      });
      return wrong.length / scored.length;
    },
  };
}

/** The number of the row of X nearest to a point; the first of equals. */
function nearestRow(X: Matrix, point: Float64Array): number {
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < X.rows; i++) {
    let distance = 0;
    for (let d = 0; d < X.columns; d++) distance += square(X.at(i, d) - point[d]!);
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  return nearest;
}

/**
 * The mean log density log p(y*) of held-out observations, the integral over their places; without folds the fit's objective. The largest is best. For models whose latents have no normalized
 * density, or are computed from the observations, that is no integral, and the mean is that of log p(y*|x*) at the places.
 *
 * @param observations - N×D
 * @example
 * ```ts
 * heldOutDensity(Y);
 * ```
 */
export function heldOutDensity(observations: MatrixLike): SelectionScore {
  const Y = Matrix.from(observations, 'The observations');
  return {
    name: 'heldOutDensity',
    best: 'largest',
    points: Y.rows,
    of: async ({ objective, project }, { held }) => {
      if (held.length === 0) return objective;
      const { logDensity: integrated, logDensityAtPlace = integrated } = await project(rowsOf(Y, held));
      const logDensity = integrated.every(Number.isNaN) ? logDensityAtPlace : integrated;
      return logDensity.reduce((sum, entry) => sum + entry, 0) / logDensity.length;
    },
  };
}

/**
 * The trustworthiness of the latents of the training points, a criterion without labels. The largest is best.
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
