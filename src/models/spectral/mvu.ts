import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { checkOptions, integerFromOne, numberAboveZero } from '../../core/options.ts';
import { supportGraph } from '../../engine/graph/graph.ts';
import type { GraphLearning } from '../../model/abilities.ts';
import { defineComputedModel, type Found } from '../../model/computedModel.ts';
import type { Placement } from '../../model/posterior.ts';
import {
  checkVaried,
  type GraphEmbedding,
  inputOption,
  latentDimOption,
  type SpectralModel,
  savedSpectral,
} from './embedding/options.ts';
import {
  type GraphInput,
  type GraphOptions,
  graphOptions,
  neighborInput,
  savedInput,
} from './neighborhood/graphInput.ts';
import {
  type Disconnected,
  disconnectedOption,
  type NeighborhoodOptions,
  type NeighborInput,
  neighborhoodFrom,
  neighborhoodOptions,
} from './neighborhood/neighborhood.ts';
import { placedByLearnedKernel } from './placement/byProducts.ts';
import { type UnfoldingChoices, unfoldedEmbedding, unfoldingGraph } from './unfolding/unfoldedEmbedding.ts';
import type { UnfoldingConstraints } from './unfolding/unfoldingProblem.ts';

export interface MvuOptions extends NeighborhoodOptions, GraphOptions {
  /** Number of latent dimensions q, from 1; default 2. */
  readonly latentDim?: number;
  /**
   * 'inequality' (unless given): distances along edges are at most those observed; 'equality': they are those observed; 'slack': they
   * are at a squared penalty.
   */
  readonly constraints?: UnfoldingConstraints;
  /** ν > 0 of 'slack', in the unit 1/(mean squared length of the edges); N² unless given, at which an edge of a chain stretches by a few percent. */
  readonly slackPenalty?: number;
  /** Whether points with a neighbor in common are joined too, so that angles between edges are kept as well; off unless turned on. */
  readonly commonNeighbors?: boolean;
  /** Columns of the factor Y to begin with, from q; default 6. Columns are added where that is too few. */
  readonly rank?: number;
  /** Form of Y: 'points' (default), or N×N 'distances'. */
  readonly input?: 'points' | 'distances';
  /** About a graph that is not connected, which has no largest variance: 'connect' (unless given), 'largest' or 'error', as for isomap. */
  readonly disconnected?: Disconnected;
}

const schema = v.strictObject({
  ...neighborhoodOptions,
  ...graphOptions,
  latentDim: latentDimOption,
  constraints: v.optional(
    v.picklist(['equality', 'inequality', 'slack'], "'equality', 'inequality' or 'slack'"),
    'inequality',
  ),
  slackPenalty: v.optional(numberAboveZero),
  commonNeighbors: v.optional(v.boolean(), false),
  rank: v.optional(integerFromOne),
  input: inputOption,
  disconnected: disconnectedOption,
});

/**
 * Maximum variance unfolding (semidefinite embedding): max tr K over K ⪰ 0, K1 = 0 with K_ii + K_jj − 2K_ij = d_ij² ('equality') or
 * ≤ d_ij² ('inequality') along the edges of the graph of neighbors, or less ν·Σ(K_ii + K_jj − 2K_ij − d_ij²)² ('slack'); the embedding
 * is by the top eigenvectors of K.
 *
 * K = YYᵀ with few columns in Y, by the method of multipliers, L-BFGS and truncated Newton steps. The multipliers w prove that the optimum is a global one
 * when the smallest eigenvalue of their Laplacian L(w) on centered vectors is 1, which `message` says beside the gap to the bound they
 * prove; columns are added to Y until they do. They are `parameters.multipliers`, and `graph` has the edges where they are not 0,
 * with their modulus as weight.
 *
 * `project` takes K for a new point to be what the weights of locally linear embedding make of its k nearest points (or those within the radius):
 * x = Σ_j w_j·x_j. With `input: 'distances'` it takes n×N distances, from each new point to the N points of the fit. A row that is a point of
 * the fit lands on its latents.
 *
 * With 'equality' the multipliers have no bound where neighborhoods are rigid, such as cliques of more than D + 1 points: the
 * conditions then hold to a few digits only, and the fit says 'failed'. 'inequality' and 'slack' always have an optimum. Points at distance 0 along
 * edges are one node of the program.
 *
 * @summary maximum variance unfolding
 * @remarks They are many for this model. `isomap` with `landmarks: 300` lays a sheet flat too.
 * @param Y - N×D points, N×N distances, or `{ graph, squaredDistances }` from elsewhere
 * @param options - see {@link MvuOptions}
 * @returns a model for `fit`; `eigenvalues` are those of K, the objective is that of the maximization, and
 * `diagnostics.kktResidual` the largest relative violation of the optimality conditions, that of the dual included
 * @throws InvalidInputError for entries that are not finite, k ≥ N, and, when it is fitted, a radius below the distance of the nearest two
 * points, and with `disconnected: 'error'` a graph that is not connected
 * @see Weinberger & Saul 2004; Weinberger, Packer & Saul 2005 (inequality); Weinberger, Sha, Zhu & Saul 2007 (slack); Burer &
 * Monteiro 2003 (factorization)
 * @example
 * ```ts
 * const { latents, message } = await fit(mvu(Y, { neighbors: 6 }));
 * ```
 */
export function mvu(Y: MatrixLike, options?: MvuOptions): SpectralModel<GraphLearning>;
/** The same of a graph alone, whose fits have no observations to compare new ones with. */
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
      'mvu joins common neighbors by the distances between them, which a graph alone does not have. Give points or distances beside it.',
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
  /** Options as they are saved. */
  readonly saved: object;
}

const defined = defineComputedModel({
  name: 'mvu',
  solve: ({ given, neighborhood, choices }: MvuData, context) =>
    unfoldedEmbedding(given, neighborhood, choices, context),
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

function placementOf({ latents, parameters: { points } }: Found, { given, neighborhood }: MvuData): Placement {
  return {
    acceptsMissing: false,
    observedColumns: given.points.columns,
    place: (rows) => {
      const shown = Int32Array.from((points as readonly number[] | undefined) ?? Array(given.points.rows).keys());
      return placedByLearnedKernel(latents, shown, given, rows, neighborhood);
    },
  };
}
