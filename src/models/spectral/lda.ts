import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions, integerFromOne, type OptionsIn } from '../../core/options.ts';
import { columnsOf } from '../../core/rowMatrices.ts';
import { principalAxes } from '../../engine/dense/principalComponents.ts';
import { product, transposed } from '../../engine/dense/products.ts';
import type { Labels } from '../../engine/graph/index.ts';
import type { Classes } from '../../engine/graph/labelGraph.ts';
import { defineComputedModel } from '../../model/computedModel.ts';
import {
  type ClassDeviations,
  checkedClasses,
  classDeviations,
  type GeneralizedPairs,
  generalizedPairs,
  savedLabels,
  scatter,
  separatingDimensions,
  signedScores,
} from './embedding/classScatter.ts';
import { placedByScores } from './embedding/linearGaussian.ts';
import { checkVaried, embeddingShapes, type SpectralModel, savedSpectral, traceTerm } from './embedding/options.ts';

export interface LdaOptions extends OptionsIn<typeof schema> {}

const fromZeroToOne = "a number from 0 to 1, or 'auto'";
const part = v.pipe(v.number(fromZeroToOne), v.minValue(0, fromZeroToOne), v.maxValue(1, fromZeroToOne));
const schema = v.strictObject({
  /** Number of latent dimensions q, from 1 to the number of classes minus one; default 2, or 1 for two classes. */
  latentDim: v.optional(integerFromOne),
  /** Shrinkage γ from 0 to 1: S_w is replaced by (1 − γ)·S_w + γ·diag(S_w); 'auto' (default): the γ of Ledoit & Wolf. */
  shrinkage: v.optional(v.union([v.literal('auto'), part], fromZeroToOne), 'auto'),
});

/**
 * Linear discriminant analysis: scores (y − mean)ᵀa_c on the directions of largest difference between classes, S_b·a = λ·S_w·a with aᵀS_w·a = 1.
 * S_w is the scatter of points around their class means, and S_b the scatter of these means, each weighted by the number of points in its class, both
 * divided by the number of labeled points.
 *
 * S_w is shrunk toward its diagonal, (1 − γ)·S_w + γ·diag(S_w), which does not depend on the units of the columns. The default γ follows Ledoit &
 * Wolf for standardized residuals; `shrinkage: 0` is Fisher's method. `parameters.shrinkage` is γ, `parameters.components` the directions (D×q),
 * `eigenvalues` the λ. Points without a label are shown, but only contribute to the overall mean.
 *
 * `project` returns the scores of new observations.
 *
 * @summary linear discriminant analysis: directions that separate the labels most, shrunk where columns are many
 * @param Y - N×D observations
 * @param labels - N labels; a missing one is undefined, null, NaN or ''
 * @param options - `latentDim` q, `shrinkage` γ ('auto')
 * @returns a model in closed form for `fit`
 * @throws InvalidInputError for observations that are not finite numbers, fewer than two classes, more dimensions than separate them, and during the
 * fit for a singular S_w with `shrinkage: 0`, or a column that varies between classes but not within
 * @see Fisher 1936; Hastie, Tibshirani & Friedman 2009, §4.3; Ledoit & Wolf 2004
 * @example
 * ```ts
 * const { latents, eigenvalues } = await fit(lda(Y, labels));
 * ```
 */
export function lda(Y: MatrixLike, labels: Labels, options: LdaOptions = {}): SpectralModel {
  const { latentDim, shrinkage } = checkOptions(schema, options, 'lda');
  const points = observationsFrom(Y);
  checkVaried(points, 'lda');
  const classes = checkedClasses(labels, points.rows, 'lda');
  const q = separatingDimensions(latentDim, Math.min(classes.count - 1, points.columns), 'lda');
  return defined({ points, classes, latentDim: q, shrinkage });
}

interface LdaData {
  readonly points: Matrix;
  readonly classes: Classes;
  readonly latentDim: number;
  readonly shrinkage: number | 'auto';
}

const defined = defineComputedModel({
  name: 'lda',
  solve: ({ points, classes, latentDim, shrinkage: asked }: LdaData) => {
    const standardization = standardizationOf(points, true, false);
    const centered = standardized(points, standardization);
    const { count, ...rows } = classDeviations(centered, classes);
    const within = columnVariances(rows.residuals, count);
    const varying = varyingColumns(within, columnVariances(rows.offsets, count));
    const [residuals, offsets] = [rows.residuals, rows.offsets].map((all) => columnsOf(all, varying)) as [
      Matrix,
      Matrix,
    ];
    const deviations = Float64Array.from(varying, (d) => Math.sqrt(within[d]!));
    const shrinkage = asked === 'auto' ? ledoitWolf(inUnits(residuals, deviations)) : asked;
    const pairs = varying.length > count ? pairsInSpan : pairsOfColumns;
    const { values, vectors } = pairs({ count, residuals, offsets, deviations, shrinkage });
    if (latentDim > values.length) throw tooFewDirections(values.length, latentDim);
    const order = Array.from({ length: latentDim }, (_, c) => values.length - 1 - c);
    const axes = Matrix.zeros(points.columns, latentDim);
    varying.forEach((d, k) => {
      order.forEach((from, c) => {
        axes.data[d * latentDim + c] = vectors.at(k, from);
      });
    });
    const eigenvalues = Float64Array.from(order, (c) => values[c]!);
    return {
      latents: signedScores(centered, axes),
      eigenvalues,
      parameters: { components: axes, mean: Array.from(standardization.mean), shrinkage },
      ...traceTerm(eigenvalues, 1),
      message: `Closed form: ${classes.count} classes, shrinkage ${shrinkage.toPrecision(3)}.`,
    };
  },
  shapes: ({ points }, found) =>
    embeddingShapes(points.rows, found, (q) => ({ components: [points.columns, q], mean: [points.columns] })),
  posterior: (found) => placedByScores(found),
  toJSON: ({ points, classes, latentDim, shrinkage }) =>
    savedSpectral('lda', points, { labels: savedLabels(classes), latentDim, shrinkage }),
});

/** Mean square of each column over n points. */
function columnVariances({ data, columns }: Matrix, n: number): Float64Array {
  const variances = new Float64Array(columns);
  data.forEach((entry, k) => {
    variances[k % columns]! += square(entry) / n;
  });
  return variances;
}

/** Columns that vary within classes; constant columns do not contribute to any direction. */
function varyingColumns(within: Float64Array, between: Float64Array): number[] {
  const varying: number[] = [];
  within.forEach((inside, d) => {
    const outside = between[d]!;
    if (inside > 1e-24 * (inside + outside)) varying.push(d);
    else if (outside > 0) {
      throw new InvalidInputError(
        `Column index ${d} of the observations differs between the classes of lda and does not vary within any, so it alone separates them, and S_w is singular. Leave that column out.`,
      );
    }
  });
  return varying;
}

const inUnits = (X: Matrix, units: Float64Array): Matrix => X.map((entry, _, d) => entry / units[d]!);

/** Residuals and offsets (the rows whose scatters are S_w and S_b) in varying columns, with their standard deviations within classes. */
interface VaryingRows extends ClassDeviations {
  readonly deviations: Float64Array;
  readonly shrinkage: number;
}

/** Generalized eigenpairs of S_b and the shrunk S_w. */
function pairsOfColumns({ count, residuals, offsets, shrinkage }: VaryingRows): GeneralizedPairs {
  const D = residuals.columns;
  const shrunk = scatter(residuals, count).map((entry, i, j) => (i === j ? entry : (1 - shrinkage) * entry));
  const pairs = generalizedPairs(scatter(offsets, count), shrunk);
  if (pairs.values.length < D) throw singular(pairs.values.length, D, shrinkage);
  return pairs;
}

/**
 * Generalized eigenpairs of S_b and the shrunk S_w without D×D matrices, except those with λ = 0 outside the span of the rows. After standardization
 * the shrunk S_w is (1 − γ)·S_w + γI, which maps the span of residuals and offsets to itself: all directions with λ > 0 lie in it.
 */
function pairsInSpan({ count, residuals, offsets, deviations, shrinkage }: VaryingRows): GeneralizedPairs {
  const D = deviations.length;
  const rows = Matrix.zeros(residuals.rows + offsets.rows, D);
  rows.data.set(inUnits(residuals, deviations).data);
  rows.data.set(inUnits(offsets, deviations).data, residuals.data.length);
  const { scores, axes } = principalAxes(rows, Math.min(rows.rows, D));
  const r = scores.columns;
  const part = (begin: number, end: number) => new Matrix(scores.data.slice(begin * r, end * r), end - begin, r);
  const shrunk = scatter(part(0, residuals.rows), count).map(
    (entry, i, j) => (1 - shrinkage) * entry + (i === j ? shrinkage : 0),
  );
  const { values, vectors } = generalizedPairs(scatter(part(residuals.rows, rows.rows), count), shrunk);
  if (values.length < (shrinkage > 0 ? r : D)) throw singular(values.length, D, shrinkage);
  const directions = product(axes, vectors);
  return { values, vectors: directions.map((entry, d) => entry / deviations[d]!) };
}

/**
 * Shrinkage γ that brings (1 − γ)·S + γ·I closest to the covariance on average, for standardized residuals Z (n×D): β/δ with
 * δ = ‖S − I‖²/D and β = (Σ_n ‖z_n‖⁴/n − ‖S‖²)/(D·n), at most 1.
 *
 * @see Ledoit & Wolf 2004, §3.2
 */
function ledoitWolf(Z: Matrix): number {
  const { rows: n, columns: D } = Z;
  // ‖ZᵀZ‖ = ‖ZZᵀ‖: the smaller matrix is formed.
  const across = transposed(Z);
  const S = (D > n ? product(Z, across) : product(across, Z)).data.map((entry) => entry / n);
  const squares = S.reduce((sum, entry) => sum + square(entry), 0);
  let fourth = 0;
  for (let i = 0; i < n; i++) fourth += square(Z.row(i).reduce((sum, z) => sum + z * z, 0)) / n;
  const delta = (squares - D) / D;
  const beta = (fourth - squares) / (D * n);
  return delta > beta ? Math.max(0, beta / delta) : 1;
}

function singular(rank: number, columns: number, shrinkage: number): InvalidInputError {
  const remedy =
    shrinkage > 0
      ? `even at shrinkage ${shrinkage.toPrecision(3)}. Label more points of each class, or take fewer columns, such as principal components.`
      : 'at shrinkage 0. Give shrinkage a number above 0, such as 0.1, or take fewer columns, such as principal components.';
  return new InvalidInputError(
    `S_w of lda is singular: points vary within classes in ${rank} of ${columns} directions, ${remedy}`,
  );
}

function tooFewDirections(found: number, asked: number): InvalidInputError {
  return new InvalidInputError(
    `${asked} dimensions were requested from lda, but labeled points vary in ${found} direction${found === 1 ? '' : 's'} only. Choose a smaller \`latentDim\`.`,
  );
}
