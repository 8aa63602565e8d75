import { exp, log, pow, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { ObservationsLike } from '../../core/namedTable.ts';
import { checkGiven, givenOptions } from '../../core/options.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import { countGiven } from '../../core/wording.ts';
import { classesOf, type Labels } from '../../engine/graph/labelGraph.ts';
import { nearestNeighbors } from '../../engine/neighbors/index.ts';
import type { ProjectOptions } from '../../model/abilities.ts';
import type { FittedModel } from '../../model/fit.ts';
import type { Projection } from '../../model/posterior.ts';
import { nearestDistance } from '../places/starts.ts';

export interface PredictLabelsOptions extends ProjectOptions {
  /** Labels of the fitted points, N; default the labels of the table that the fit remembers. Missing labels are undefined, null, NaN or ''. */
  readonly labels?: Labels | undefined;
}

/** Labels of new rows with their probabilities. */
export interface LabelPrediction {
  /** Most probable label of each row. */
  readonly labels: readonly string[];
  /** All labels: the column names of `probabilities`. */
  readonly classes: readonly string[];
  /** n×C; each row adds up to 1. */
  readonly probabilities: Matrix;
  /** Positions of the rows on the map. */
  readonly latents: Matrix;
  /** Bandwidth h of the kernel on the map. */
  readonly bandwidth: number;
  /** Leave-one-out prediction of each labeled point: the mean log probability of its label, and the share of points whose most probable label is wrong. */
  readonly leaveOneOut: { readonly logScore: number; readonly error: number; readonly points: number };
}

/** Weight of the overall label shares relative to the weights of nearby points. */
const PRIOR = 0.1;
/** Number of neighbors among which the nearest distinct one is searched. */
const NEIGHBORS = 4;
/** Candidate bandwidths, in median distances of nearest neighbors. */
const BANDWIDTHS = Array.from({ length: 12 }, (_, k) => 0.5 * pow(2, k / 2));

/**
 * Predicts labels of new rows from labeled points near their position on the map: with w_i = exp(−½·Σ_d (x_d − x_id)²/(h² + s_d)) and s the variances
 * of the position, if the fit has any, p(c) = (Σ_{i in c} w_i + a·π_c)/(Σ_i w_i + a), π_c the share of c among all points and a = 0.1, so that
 * positions far from all points have these shares. The bandwidth h maximizes the leave-one-out log probability of the labels.
 *
 * @param fit - a fit that can project new rows
 * @param Y - n×D new observations, or a table of them
 * @throws InvalidInputError for a fit that cannot project rows or has no labels, and for fewer than two labels
 * @see Hastie, Tibshirani & Friedman 2009, §6.6 (kernel density classification)
 * @example
 * ```ts
 * const map = await fit(pca(Y, { latentDim: 2 }));
 * const { classes, probabilities } = await predictLabels(map, Ynew, { labels });
 * ```
 */
export async function predictLabels(
  fit: Pick<FittedModel, 'model' | 'latents' | 'table'> & {
    readonly project?: ((Y: never, options?: ProjectOptions) => Promise<Projection>) | undefined;
  },
  Y: ObservationsLike,
  options: PredictLabelsOptions = {},
): Promise<LabelPrediction> {
  checkGiven(fit, 'predictLabels', 'a fit', (own) => own.latents instanceof Matrix);
  const { labels: asked, ...settings } = givenOptions(options, 'predictLabels');
  const given = asked ?? fit.table?.labels;
  if (given === undefined) {
    throw new InvalidInputError(
      `This fit of ${fit.model} has no labels. Give \`labels\`, one for each fitted point, or fit with a table that has some.`,
    );
  }
  const { latents } = fit;
  const { classes: own, count } = classesOf(given, 'predictLabels');
  if (own.length !== latents.rows) {
    throw new InvalidInputError(
      `The fit has ${latents.rows} points, but ${countGiven(own.length, 'label')}. Give one label for each, '' where it is missing.`,
    );
  }
  if (count < 2)
    throw new InvalidInputError(`predictLabels takes two different labels at least, but there is ${count}.`);
  if (fit.project === undefined) {
    throw new InvalidInputError(`This fit of ${fit.model} places no new rows, so it cannot predict their labels.`);
  }
  const places = await fit.project(Y as never, settings);
  const classes = new Array<string>(count);
  own.forEach((c, i) => {
    if (c >= 0) classes[c] = String(given[i]).trim();
  });
  const shares = new Float64Array(count);
  const labeled = Array.from(own.keys()).filter((i) => own[i]! >= 0);
  for (const i of labeled) shares[own[i]!]! += 1 / labeled.length;

  /** Label probabilities at a position, computed from all labeled points except one. */
  const at = (x: Float64Array, h: number, spread?: Float64Array, but = -1): Float64Array => {
    const sums = shares.map((share) => PRIOR * share);
    let total = PRIOR;
    for (const i of labeled) {
      if (i === but) continue;
      let apart = 0;
      for (let d = 0; d < x.length; d++) apart += square(x[d]! - latents.at(i, d)) / (h * h + (spread?.[d] ?? 0));
      const weight = exp(-0.5 * apart);
      sums[own[i]!]! += weight;
      total += weight;
    }
    return sums.map((sum) => sum / total);
  };
  const leftOut = (h: number) => {
    let [logScore, wrong] = [0, 0];
    for (const i of labeled) {
      const p = at(latents.row(i), h, undefined, i);
      logScore += log(p[own[i]!]!) / labeled.length;
      if (likeliest(p) !== own[i]) wrong++;
    }
    return { logScore, error: wrong / labeled.length, points: labeled.length };
  };
  const near = Math.min(NEIGHBORS, labeled.length - 1);
  const unit = nearestDistance(nearestNeighbors(rowsOf(latents, labeled), near).distances, near);
  const tried = BANDWIDTHS.map((factor) => ({ h: factor * unit, ...leftOut(factor * unit) }));
  const { h, ...leaveOneOut } = tried.reduce((best, one) => (one.logScore > best.logScore ? one : best));
  const X = places.latents;
  const probabilities = Matrix.zeros(X.rows, count);
  const found = Array.from({ length: X.rows }, (_, i) => {
    const p = at(X.row(i), h, places.latentVariances?.row(i));
    probabilities.data.set(p, i * count);
    return classes[likeliest(p)]!;
  });
  return Object.freeze({ labels: found, classes, probabilities, latents: X, bandwidth: h, leaveOneOut });
}

const likeliest = (p: Float64Array): number => p.indexOf(p.reduce((most, own) => Math.max(most, own)));
