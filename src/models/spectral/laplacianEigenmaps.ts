import * as v from 'valibot';
import { exp } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { checkOptions, type OptionsIn } from '../../core/options.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import { degreesOf, type Graph } from '../../engine/graph/graph.ts';
import { edgeWeightOptions } from '../../engine/graph/neighborhoodGraph.ts';
import { bottomOfSparse } from '../../engine/sparse/bottomEigenpairs.ts';
import { sparseLaplacian } from '../../engine/sparse/sparseSymmetric.ts';
import { stage } from '../../model/computation.ts';
import { type ComputedSolution, defineComputedModel } from '../../model/computedModel.ts';
import type { Placement } from '../../model/posterior.ts';
import {
  checkVaried,
  embeddingShapes,
  type GraphEmbedding,
  latentDimOption,
  presetOption,
  type SpectralModel,
  savedSpectral,
  traceTerm,
} from './embedding/options.ts';
import { readAs, readOutOptions, withVectors } from './embedding/readOut.ts';
import { type GraphInput, graphOptions, neighborInput, savedInput } from './neighborhood/graphInput.ts';
import {
  componentsNote,
  disconnectedOption,
  inputNote,
  mutualEdges,
  type NeighborhoodOptions,
  type NeighborInput,
  neighborhoodFrom,
  neighborhoodOptions,
  neighborLengths,
  shownComponent,
  sizeOf,
  subgraph,
} from './neighborhood/neighborhood.ts';
import { distancesTo, placedByWeights } from './placement/byWeights.ts';

export interface LaplacianEigenmapsOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  ...neighborhoodOptions,
  ...graphOptions,
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  ...readOutOptions,
  ...edgeWeightOptions,
  /** True (default) solves Lu = μDu with columns uᵀDu = 1, false Lu = μu with columns uᵀu = 1. */
  normalized: v.optional(v.boolean(), true),
  /** Treatment of a disconnected graph: 'connect' (default), 'largest' or 'error', as for isomap. */
  disconnected: disconnectedOption,
  /**
   * Preset 'lawrence2012', which follows the author's program: weights 'heat' by default, and double weight for mutual edges, whose ends are both
   * among the k nearest neighbors of each other.
   */
  preset: presetOption,
});

/**
 * Laplacian eigenmaps: the bottom eigenvectors of Lu = μDu (or Lu = μu), with L = D − W the Laplacian of the neighborhood graph with weights 1 or
 * exp(−d²/(2·width²)), without the constant eigenvector.
 *
 * `project` connects a new point to its k nearest points and to all points that have it among their k nearest (or to all points within the radius),
 * and places it by the eigenvector equation: x = Σ_j w_j·x_j/((1 − μ)·Σ_j w_j), or Σ_j w_j·x_j/(Σ_j w_j − μ). A row that equals a fitted point is
 * mapped to that point's latents.
 *
 * @summary eigenvectors of the graph Laplacian
 * @param Y - N×D observations, or a precomputed `{ graph, squaredDistances }`
 * @param options - see {@link LaplacianEigenmapsOptions}
 * @returns a model in closed form for `fit`; `eigenvalues` are the μ of the columns
 * @throws InvalidInputError for observations that are not finite numbers, k ≥ N, and during the fit for a radius or width without any neighbors, with
 * `normalized: false` for a point without neighbors, and with `disconnected: 'error'` for a disconnected graph
 * @see Belkin & Niyogi 2003; Bengio et al. 2004 (new points)
 * @example
 * ```ts
 * const { latents } = await fit(laplacianEigenmaps(Y, { neighbors: 8, weights: 'heat', width: 2 }));
 * ```
 */
export function laplacianEigenmaps(Y: MatrixLike, options?: LaplacianEigenmapsOptions): SpectralModel;
/** {@link laplacianEigenmaps} of a graph alone, whose fits cannot project new observations. */
export function laplacianEigenmaps(Y: GraphInput, options?: LaplacianEigenmapsOptions): GraphEmbedding;
export function laplacianEigenmaps(
  Y: MatrixLike | GraphInput,
  options: LaplacianEigenmapsOptions = {},
): GraphEmbedding {
  const checked = withVectors(checkOptions(schema, options, 'laplacianEigenmaps'), options, 'laplacianEigenmaps');
  const { latentDim, width, normalized, disconnected, preset, embedding } = checked;
  const weights = checked.weights ?? (preset === undefined ? 'binary' : 'heat');
  const given = neighborInput(Y, checked, 'laplacianEigenmaps');
  const N = sizeOf(given);
  if (given.input === 'points' && given.graph === undefined) checkVaried(given.points, 'laplacianEigenmaps');
  const { neighborhood, few } = neighborhoodFrom(
    checked,
    'laplacianEigenmaps',
    given.graph === undefined ? N : Infinity,
  );
  const k = preset === undefined ? undefined : neighborhood.neighbors;
  if (preset !== undefined && (k === undefined || given.graph !== undefined)) {
    throw new InvalidInputError(
      "Preset 'lawrence2012' of laplacianEigenmaps counts edges between mutual neighbors twice, which needs lists of neighbors. Give neighbors, or leave the preset out.",
    );
  }
  const saved = {
    ...neighborhood,
    ...savedInput(Y, checked),
    ...{ latentDim, weights, width, normalized, disconnected, preset, embedding },
  };
  return readAs(defined({ given, neighborhood, few, mutual: k, checked: { ...checked, weights }, saved }), embedding);
}

interface EigenmapsData {
  readonly given: NeighborInput;
  readonly neighborhood: NeighborhoodOptions;
  /** Sentence about the number of neighbors. */
  readonly few: string;
  /** Number k of neighbors, if edges between points that are both among the k nearest of each other count twice. */
  readonly mutual: number | undefined;
  readonly checked: v.InferOutput<typeof schema> & { readonly weights: 'binary' | 'heat' };
  /** Options in their saved form. */
  readonly saved: object;
}

const defined = defineComputedModel({
  name: 'laplacianEigenmaps',
  solve: function* (data: EigenmapsData) {
    const { given, checked } = data;
    const { graph, shown, note } = yield* stage('neighbors', weightedGraph(data));
    const degrees = degreesOf(graph);
    checkDegrees(graph, degrees, shown, checked);
    const metric = checked.normalized ? degrees : undefined;
    const bottom = bottomOfSparse(sparseLaplacian(graph, degrees), checked.latentDim, { metric });
    const { values: eigenvalues, vectors: latents } = yield* stage('eigenvectors', bottom);
    return {
      latents,
      eigenvalues,
      ...traceTerm(eigenvalues, -1),
      ...(shown.length < sizeOf(given) && { parameters: { points: Array.from(shown) } }),
      message: `Closed form.${data.few}${note}${componentsNote(graph)}${inputNote(given)}`,
    };
  },
  shapes: ({ given }, found) => embeddingShapes(sizeOf(given), found),
  posterior: (found, data) => (data.given.input === 'graph' ? {} : { placement: placementOf(found, data) }),
  toJSON: ({ given, saved }) => savedSpectral('laplacianEigenmaps', given.points, saved),
});

/** Weighted graph of the shown points. */
function* weightedGraph({
  given,
  neighborhood,
  mutual: k,
  checked,
}: EigenmapsData): ProgressiveWork<{ readonly graph: Graph; readonly shown: Int32Array; readonly note: string }> {
  const near = yield* neighborLengths(given, neighborhood, 'laplacianEigenmaps');
  const { graph, points, note } = shownComponent(near, given, checked.disconnected, 'laplacianEigenmaps');
  const lengths = points.length === sizeOf(given) ? graph : subgraph(graph, points);
  const isMutual = k === undefined ? [] : mutualEdges(given.points, k, lengths, points);
  const weightAt = (length: number, e: number) => (isMutual[e] ? 2 : 1) * weightOf(length, checked);
  return { graph: { ...lengths, weights: lengths.weights.map(weightAt) }, shown: points, note };
}

function checkDegrees(
  graph: Graph,
  degrees: Float64Array,
  shown: Int32Array,
  { normalized, width }: EigenmapsData['checked'],
): void {
  if (!degrees.some((degree) => degree > 0)) {
    throw new InvalidInputError(
      `All ${graph.sources.length} edges of laplacianEigenmaps have weight 0, as neighbors are too far apart for a heat kernel of width ${width}. Take a larger width.`,
    );
  }
  const alone = degrees.findIndex((degree) => !(degree > 0));
  if (alone < 0 || !normalized) return;
  throw new InvalidInputError(
    `Point index ${shown[alone]} has no neighbor of positive weight, so it has no place in the embedding. Take a larger radius or width, or more neighbors.`,
  );
}

function placementOf(
  { latents, eigenvalues, parameters: { points: part } }: ComputedSolution,
  { given: { points }, neighborhood, mutual, checked: { weights, width, normalized } }: EigenmapsData,
): Placement {
  return {
    observedColumns: points.columns,
    place: (rows) => {
      const shown = part === undefined ? points : rowsOf(points, part as readonly number[]);
      const distancesOf = distancesTo({ points: shown, input: 'points' });
      const choices = { ...neighborhood, weights, width, doubled: mutual !== undefined };
      return placedByWeights({ latents, eigenvalues, normalized }, shown, rows, distancesOf, choices);
    },
  };
}

function weightOf(length: number, { weights, width }: EigenmapsData['checked']): number {
  return weights === 'binary' ? 1 : exp(-(length * length) / (2 * width * width));
}
