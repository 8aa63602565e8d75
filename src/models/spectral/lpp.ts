import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import {
  checkAllPairs,
  observationsFrom,
  standardizationOf,
  standardized,
  unitsAdvice,
} from '../../core/observations.ts';
import { checkOptions, integerFromOne, numberFromZero, type OptionsIn, typed } from '../../core/options.ts';
import { completed } from '../../core/progressiveWork.ts';
import { columnsOf } from '../../core/rowMatrices.ts';
import { principalAxes } from '../../engine/dense/principalComponents.ts';
import { product, transposed } from '../../engine/dense/products.ts';
import { edgesOfPairs, type Graph, pairKey } from '../../engine/graph/graph.ts';
import { type EdgeWeights, knnGraph, type Labels, labelGraph } from '../../engine/graph/index.ts';
import { type Classes, members } from '../../engine/graph/labelGraph.ts';
import { edgeWeightOptions } from '../../engine/graph/neighborhoodGraph.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { type ComputationStep, stage } from '../../model/computation.ts';
import { type ComputedSolution, defineComputedModel } from '../../model/computedModel.ts';
import { checkedClasses, generalizedPairs, savedLabels, signedScores } from './embedding/classScatter.ts';
import { featureSpace, placedByFeatures } from './embedding/featureSpace.ts';
import { placedByScores } from './embedding/linearGaussian.ts';
import {
  checkVaried,
  embeddingShapes,
  latentDimOption,
  type SpectralEmbedding,
  type SpectralModel,
  savedSpectral,
  traceTerm,
} from './embedding/options.ts';
import { kernelFor } from './kernelPca.ts';
import {
  componentsNote,
  type NeighborhoodOptions,
  neighborhoodFrom,
  neighborhoodGraph,
  neighborhoodOptions,
} from './neighborhood/neighborhood.ts';

/** Options shared by both projections. */
const projectionOptions = {
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  /** Factor ≥ 0 of the mean diagonal of YᵀDY that is added to its diagonal; default 0. */
  regularization: v.optional(numberFromZero, 0),
  /** Kernel whose feature space is projected; by default, the observations themselves are projected. */
  kernel: v.optional(typed<Kernel>()),
};
const schema = v.strictObject({ ...neighborhoodOptions, ...edgeWeightOptions, ...projectionOptions });
const labeledSchema = v.strictObject({
  ...projectionOptions,
  /** Number of nearest points of its class that each point is connected to; by default all of them. */
  neighbors: v.optional(integerFromOne),
});

export interface LppOptions extends OptionsIn<typeof schema> {}

export interface SlppOptions extends OptionsIn<typeof labeledSchema> {}

/**
 * Locality preserving projections: Laplacian eigenmaps by a linear map. The scores (y − mean)ᵀa_c on the q smallest pairs of YᵀLYa = μ·YᵀDYa
 * with aᵀYᵀDYa = 1, Y centered, with L = D − W the Laplacian of the neighborhood graph with weights 1 or exp(−d²/(2·width²)).
 *
 * If points vary in fewer directions than there are columns, only these directions are used (the principal components of the paper), which `message`
 * reports. `parameters.components` are the directions a (D×q), `eigenvalues` the μ. `project` returns the scores of new observations.
 *
 * With a `kernel` it is kernel LPP, KLKα = μ·KDKα for the centered kernel matrix of all points: x_c(y) = Σ_i α_ic·(k(y, y_i) − mean_j k(y_j, y_i)), and
 * `parameters.coefficients` are the α (N×q). Neighbors are computed from the observations. If the features of all points are linearly independent,
 * any coordinates are a projection of them: without `regularization` the result then equals Laplacian eigenmaps.
 *
 * @summary locality preserving projections: Laplacian eigenmaps by a linear map
 * @param Y - N×D observations
 * @param options - `latentDim` q (2), `neighbors` k (7) or `radius`, `weights` ('binary'), `width` (1), `regularization` (0), `kernel`
 * @returns a model in closed form for `fit`
 * @throws InvalidInputError for observations that are not finite numbers, k ≥ N, a radius without any neighbors, and more dimensions than directions
 * of variation
 * @see He & Niyogi 2003, §5.1 (kernel LPP)
 * @example
 * ```ts
 * const { latents } = await fit(lpp(Y, { neighbors: 8 }));
 * ```
 */
export function lpp(Y: MatrixLike, options: LppOptions = {}): SpectralModel {
  const checked = checkOptions(schema, options, 'lpp');
  const points = observationsFrom(Y);
  checkVaried(points, 'lpp');
  const { neighborhood, few } = neighborhoodFrom(checked, 'lpp', points.rows);
  const { latentDim, weights = 'binary', width, regularization: ridge } = checked;
  const kernel = kernelOf(checked.kernel, points, 'lpp');
  const saved = { ...neighborhood, latentDim, weights, width, regularization: ridge, kernel };
  const choices = { latentDim, ridge, kernel };
  return ofNeighbors({ points, neighborhood, few, choices, edges: { weights, width }, saved });
}

/**
 * Supervised locality preserving projections: `lpp` for the graph that connects points of the same class by edges of weight 1, either all of them, or
 * each to its k nearest in the class. Points without a label have no edges and are shown by their scores. With a `kernel`, supervised kernel LPP.
 *
 * @summary locality preserving projections of the graph of labels
 * @param Y - N×D observations
 * @param labels - N labels; a missing one is undefined, null, NaN or ''
 * @param options - `latentDim` q (2), `neighbors` k (all of the class), `regularization` (0), `kernel`
 * @returns a model in closed form for `fit`; `eigenvalues` are the μ
 * @throws InvalidInputError as for `lpp`, and for fewer than two classes
 * @see He, Yan, Hu, Niyogi & Zhang 2005; Zhong et al. 2010, §2.2 (the graph of labels)
 * @example
 * ```ts
 * const { latents } = await fit(slpp(Y, labels));
 * ```
 */
export function slpp(Y: MatrixLike, labels: Labels, options: SlppOptions = {}): SpectralModel {
  const { latentDim, neighbors, regularization: ridge, kernel: given } = checkOptions(labeledSchema, options, 'slpp');
  const points = observationsFrom(Y);
  checkVaried(points, 'slpp');
  const classes = checkedClasses(labels, points.rows, 'slpp');
  const kernel = kernelOf(given, points, 'slpp');
  return ofClasses({ points, classes, neighbors, choices: { latentDim, ridge, kernel } });
}

/** Kernel whose feature space is projected, if any. */
function kernelOf(given: unknown, points: Matrix, name: string): Kernel | undefined {
  if (given === undefined) return undefined;
  checkAllPairs(name, points.rows, "Leave 'kernel' out, or take fewer points.");
  return kernelFor(points, given, name);
}

interface Choices {
  readonly latentDim: number;
  readonly ridge: number;
  readonly kernel: Kernel | undefined;
}

/** Points and the kind of their axes. */
interface Axes {
  readonly points: Matrix;
  readonly choices: Choices;
}

interface LppData {
  readonly points: Matrix;
  readonly neighborhood: NeighborhoodOptions;
  /** Sentence about k. */
  readonly few: string;
  readonly choices: Choices;
  readonly edges: EdgeWeights;
  /** Options in their saved form. */
  readonly saved: object;
}

const ofNeighbors = defineComputedModel({
  name: 'lpp',
  solve: function* ({ points, neighborhood, few, choices, edges }: LppData) {
    const graph = yield* stage('neighbors', neighborhoodGraph(points, neighborhood, 'lpp', edges));
    return yield* projected(points, graph, choices, 'lpp', `${few}${componentsNote(graph)}${unitsAdvice(points)}`);
  },
  shapes: shapesOfAxes,
  posterior: placement,
  toJSON: ({ points, saved }) => savedSpectral('lpp', points, saved),
});

interface SlppData {
  readonly points: Matrix;
  readonly classes: Classes;
  readonly neighbors: number | undefined;
  readonly choices: Choices;
}

const ofClasses = defineComputedModel({
  name: 'slpp',
  solve: ({ points, classes, neighbors: k, choices }: SlppData) => {
    const labels = savedLabels(classes);
    const graph = k === undefined ? labelGraph(labels) : nearInClass(points, classes, k);
    return completed(projected(points, graph, choices, 'slpp', ` ${classes.count} classes.`)) as SpectralEmbedding;
  },
  shapes: shapesOfAxes,
  posterior: placement,
  toJSON: ({ points, classes, neighbors, choices: { latentDim, ridge, kernel } }) =>
    savedSpectral('slpp', points, {
      labels: savedLabels(classes),
      neighbors,
      latentDim,
      regularization: ridge,
      kernel,
    }),
});

/** Shapes of a fit's axes, or of its coefficients in the feature space. */
function shapesOfAxes({ points: { rows: N, columns: D }, choices }: Axes, found: ComputedSolution) {
  const isLinear = choices.kernel === undefined;
  return embeddingShapes(N, found, (q) =>
    isLinear ? { components: [D, q], mean: [D] } : { coefficients: [N, q], means: [N] },
  );
}

/** Places new rows by the axes of a fit, or by its coefficients in the feature space. */
function placement(found: ComputedSolution, { points, choices: { kernel } }: Axes) {
  return kernel === undefined ? placedByScores(found) : placedByFeatures(found, { points, kernel });
}

/** Graph that connects each point to its k nearest neighbors in the same class. */
function nearInClass(points: Matrix, classes: Classes, k: number): Graph {
  const N = points.rows;
  const keys = members(classes).flatMap((own) => {
    if (own.length < 2) return [];
    const rows = Matrix.from(own.map((i) => points.row(i)));
    const { sources, targets } = knnGraph(rows, Math.min(k, own.length - 1));
    return Array.from(sources, (a, e) => pairKey(own[a]!, own[targets[e]!]!, N));
  });
  return { size: N, ...edgesOfPairs(Float64Array.from(keys), N, () => 1) };
}

function* projected(
  points: Matrix,
  { sources, targets, weights }: Graph,
  { latentDim: q, ridge, kernel }: Choices,
  name: string,
  note: string,
): Generator<ComputationStep, SpectralEmbedding, void> {
  yield { kind: 'pause', stage: 'eigenvectors' };
  const { coordinates: centered, kept } =
    kernel === undefined ? observedSpace(points, ridge > 0) : featureSpace(kernel, points);
  const D = centered.columns;
  /** Columns over which the diagonal of YᵀDY is averaged. */
  const all = kernel === undefined ? points.columns : D;
  const LY = Matrix.zeros(points.rows, D);
  const DY = Matrix.zeros(points.rows, D);
  weights.forEach((weight, e) => {
    const [i, j] = [sources[e]! * D, targets[e]! * D];
    for (let d = 0; d < D; d++) {
      const [a, b] = [centered.data[i + d]!, centered.data[j + d]!];
      LY.data[i + d]! += weight * (a - b);
      LY.data[j + d]! += weight * (b - a);
      DY.data[i + d]! += weight * a;
      DY.data[j + d]! += weight * b;
    }
  });
  const across = transposed(centered);
  const metric = product(across, DY);
  let trace = 0;
  for (let d = 0; d < D; d++) trace += metric.at(d, d);
  for (let d = 0; d < D; d++) metric.data[d * (D + 1)]! += (ridge * trace) / all;
  const { values, vectors } = generalizedPairs(product(across, LY), metric);
  const rank = values.length;
  if (q > rank) {
    throw new InvalidInputError(
      `${q} dimensions were requested from ${name}, but the joined points vary in ${rank} direction${rank === 1 ? '' : 's'} only. Choose a smaller \`latentDim\`.`,
    );
  }
  const axes = columnsOf(
    vectors,
    Array.from({ length: q }, (_, c) => c),
  );
  const eigenvalues = values.slice(0, q);
  const directions =
    rank < all ? ` The joined points vary in ${rank} of ${all} directions, which the map is from.` : '';
  return {
    latents: signedScores(centered, axes),
    eigenvalues,
    parameters: kept(axes),
    ...traceTerm(eigenvalues, -1),
    message: `Closed form.${note}${directions}`,
  };
}

/**
 * Coordinates of centered observations to project, like the coordinates of a feature space: the columns themselves, or the principal directions if
 * there may be more columns than directions of variation, since a ridge alone would count outside them.
 */
function observedSpace(points: Matrix, isRidged: boolean) {
  const standardization = standardizationOf(points, true, false);
  const centered = standardized(points, standardization);
  const mean = Array.from(standardization.mean);
  const { rows: N, columns: D } = points;
  if (!isRidged && D < N) return { coordinates: centered, kept: (axes: Matrix) => ({ components: axes, mean }) };
  const { scores, axes: basis } = principalAxes(centered, Math.min(N - 1, D));
  return { coordinates: scores, kept: (axes: Matrix) => ({ components: product(basis, axes), mean }) };
}
