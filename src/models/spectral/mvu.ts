import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { checkOptions, integerFromOne, numberAboveZero, type OptionsIn } from '../../core/options.ts';
import { supportGraph } from '../../engine/graph/graph.ts';
import type { GraphLearning } from '../../model/abilities.ts';
import { type ComputedSolution, defineComputedModel } from '../../model/computedModel.ts';
import type { Placement } from '../../model/posterior.ts';
import {
  checkVaried,
  embeddingShapes,
  type GraphEmbedding,
  inputOption,
  latentDimOption,
  type SpectralModel,
  savedSpectral,
} from './embedding/options.ts';
import { type GraphInput, graphOptions, neighborInput, savedInput } from './neighborhood/graphInput.ts';
import {
  disconnectedOption,
  type NeighborhoodOptions,
  type NeighborInput,
  neighborhoodFrom,
  neighborhoodOptions,
  sizeOf,
} from './neighborhood/neighborhood.ts';
import { placedByLearnedKernel } from './placement/byProducts.ts';
import { type UnfoldingChoices, unfoldedEmbedding, unfoldingGraph } from './unfolding/unfoldedEmbedding.ts';

export interface MvuOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  ...neighborhoodOptions,
  ...graphOptions,
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  /**
   * 'inequality' (default): distances along edges are at most the observed ones; 'equality': they equal the observed ones; 'slack': they equal them
   * up to a squared penalty.
   */
  constraints: v.optional(
    v.picklist(['equality', 'inequality', 'slack'], "'equality', 'inequality' or 'slack'"),
    'inequality',
  ),
  /** Penalty ν > 0 of 'slack', in the unit 1/(mean squared length of the edges); default N², with which an edge of a chain stretches by a few percent. */
  slackPenalty: v.optional(numberAboveZero),
  /** Whether points with a common neighbor are connected too, so that angles between edges are preserved; default false. */
  commonNeighbors: v.optional(v.boolean(), false),
  /** Initial number of columns of the factor Y, from q; default 6. Columns are added if they do not suffice. */
  rank: v.optional(integerFromOne),
  /** Form of Y: 'points' (default), or N×N 'distances'. */
  input: inputOption,
  /** Treatment of a disconnected graph, whose variance is unbounded: 'connect' (default), 'largest' or 'error', as for isomap. */
  disconnected: disconnectedOption,
});

/**
 * Maximum variance unfolding (semidefinite embedding): max tr K over K ⪰ 0, K1 = 0 with K_ii + K_jj − 2K_ij = d_ij² ('equality') or
 * ≤ d_ij² ('inequality') along the edges of the neighborhood graph, or minus the penalty ν·Σ(K_ii + K_jj − 2K_ij − d_ij²)² ('slack'); the embedding
 * uses the top eigenvectors of K.
 *
 * K = YYᵀ with few columns in Y, by the method of multipliers, L-BFGS and truncated Newton steps. The multipliers w prove that the optimum is global
 * if the smallest eigenvalue of their Laplacian L(w) on centered vectors is 1, which `message` reports with the gap to the bound that they prove;
 * columns are added to Y until they do. They are returned as `parameters.multipliers`, and `graph` contains the edges with nonzero multipliers, with
 * their modulus as weight.
 *
 * `project` extends K to a new point by the weights of locally linear embedding on its k nearest points (or all points within the radius): x = Σ_j
 * w_j·x_j. With `input: 'distances'` it requires n×N distances, from each new point to the N fitted points. A row that equals a fitted point is
 * mapped to that point's latents.
 *
 * With 'equality' the multipliers are unbounded for rigid neighborhoods, such as cliques of more than D + 1 points: the conditions are then satisfied
 * only to a few digits, and the status is 'failed'. 'inequality' and 'slack' always have an optimum. Points connected by edges of length 0 form one
 * node of the program.
 *
 * @summary maximum variance unfolding
 * @remarks They are many for this model. `isomap` with `landmarks: 300` also flattens a sheet.
 * @param Y - N×D points, N×N distances, or a precomputed `{ graph, squaredDistances }`
 * @param options - see {@link MvuOptions}
 * @returns a model for `fit`; `eigenvalues` belong to K, the objective is the maximized one, and `diagnostics.kktResidual` is the largest relative
 * violation of the optimality conditions, including dual feasibility
 * @throws InvalidInputError for entries that are not finite, k ≥ N, and during the fit for a radius below the distance of the nearest two points, and
 * with `disconnected: 'error'` for a disconnected graph
 * @see Weinberger & Saul 2004; Weinberger, Packer & Saul 2005 (inequality); Weinberger, Sha, Zhu & Saul 2007 (slack); Burer &
 * Monteiro 2003 (factorization)
 * @example
 * ```ts
 * const { latents, message } = await fit(mvu(Y, { neighbors: 6 }));
 * ```
 */
export function mvu(Y: MatrixLike, options?: MvuOptions): SpectralModel<GraphLearning>;
/** {@link mvu} of a graph alone, whose fits cannot project new observations. */
export function mvu(Y: GraphInput, options?: MvuOptions): GraphEmbedding<GraphLearning>;
export function mvu(Y: MatrixLike | GraphInput, options: MvuOptions = {}): GraphEmbedding<GraphLearning> {
  const checked = checkOptions(schema, options, 'mvu');
  const { neighbors: _, radius: __, graph: ___, squaredDistances: ____, ...rest } = checked;
  const { latentDim, constraints, slackPenalty } = rest;
  const given = neighborInput(Y, checked, 'mvu');
  const { points } = given;
  if (given.input === 'points') checkVaried(points, 'mvu');
  const { neighborhood, few } = neighborhoodFrom(checked, 'mvu', given.graph === undefined ? points.rows : Infinity);
  if (rest.commonNeighbors && given.input === 'graph') {
    throw new InvalidInputError(
      'mvu joins common neighbors by the distances between them, which a graph alone does not contain. Pass points or distances as well.',
    );
  }
  if (slackPenalty !== undefined && constraints !== 'slack') {
    throw new InvalidInputError(
      `mvu takes a slackPenalty with constraints 'slack' only, but they are '${constraints}'.`,
    );
  }
  if (checked.rank !== undefined && checked.rank < latentDim) {
    throw new InvalidInputError(`mvu takes a rank from latentDim = ${latentDim}, but it is ${checked.rank}.`);
  }
  const saved = { ...neighborhood, ...savedInput(Y, checked), ...rest };
  return defined({ given, neighborhood, choices: { ...rest, few }, saved });
}

interface MvuData {
  readonly given: NeighborInput;
  readonly neighborhood: NeighborhoodOptions;
  readonly choices: UnfoldingChoices;
  /** Options in their saved form. */
  readonly saved: object;
}

const defined = defineComputedModel({
  name: 'mvu',
  solve: ({ given, neighborhood, choices }: MvuData, context) =>
    unfoldedEmbedding(given, neighborhood, choices, context),
  shapes: ({ given }, found) => embeddingShapes(sizeOf(given), found),
  posterior: (found, data) => {
    const { given, neighborhood, choices } = data;
    return {
      ...(given.input !== 'graph' && { placement: placementOf(found, data) }),
      graph: supportGraph(
        unfoldingGraph(given, neighborhood, choices).graph,
        found.parameters.multipliers as readonly number[],
      ),
    };
  },
  toJSON: ({ given, saved }) => savedSpectral('mvu', given.points, saved),
});

function placementOf(
  { latents, parameters: { points } }: ComputedSolution,
  { given, neighborhood }: MvuData,
): Placement {
  return {
    observedColumns: given.points.columns,
    place: (rows) => {
      const shown = Int32Array.from((points as readonly number[] | undefined) ?? Array(given.points.rows).keys());
      return placedByLearnedKernel(latents, shown, given, rows, neighborhood);
    },
  };
}
