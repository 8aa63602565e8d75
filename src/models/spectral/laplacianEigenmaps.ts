import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import type { EdgeWeights } from '../../numerics/graph/index.ts';
import { checkNeighbours } from '../../numerics/graph/neighbourhoodGraph.ts';
import { bottomOfSparse, type SparseTerms } from '../../numerics/sparse/bottomOfSparse.ts';
import { closedFormModel, traceTerm } from './embedding/closedForm.ts';
import { latentDimOption, numberAboveZero, savedSpectral } from './embedding/options.ts';
import type { SpectralModel } from './embedding/spectralModel.ts';
import {
  componentsNote,
  type NeighbourhoodOptions,
  neighbourhoodFrom,
  neighbourhoodGraph,
  neighbourhoodOptions,
} from './neighbourhood/neighbourhood.ts';
import { placedByWeights } from './placement/byWeights.ts';
import { distancesTo } from './placement/newRows.ts';

export interface LaplacianEigenmapsOptions extends NeighbourhoodOptions, EdgeWeights {
  /** q, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** Whether Lu = μDu is solved, columns uᵀDu = 1 (on unless turned off), or Lu = μu, columns uᵀu = 1. */
  readonly normalized?: boolean;
}

const schema = v.strictObject({
  ...neighbourhoodOptions,
  latentDim: latentDimOption,
  weights: v.optional(v.picklist(['binary', 'heat'], "'binary' or 'heat'"), 'binary'),
  width: v.optional(numberAboveZero, 1),
  normalized: v.optional(v.boolean(), true),
});

/**
 * Laplacian eigenmaps: the bottom eigenvectors of Lu = μDu (or Lu = μu), L = D − W the Laplacian of the graph of neighbours with
 * weights 1 or exp(−d²/(2·width²)); the constant one is left out.
 *
 * `project` joins a new point to its k nearest points and to those that it is one of the k nearest of (or to those within the radius), and places
 * it by the eigenvectors' own equation: x = Σ_j w_j·x_j/((1 − μ)·Σ_j w_j), or Σ_j w_j·x_j/(Σ_j w_j − μ). A row that is a point of the fit
 * lands on its latents.
 *
 * @param Y - N×D observations
 * @param options - see {@link LaplacianEigenmapsOptions}
 * @returns a model in closed form for `fit`; `eigenvalues` are the μ of the columns
 * @throws InvalidInputError for observations that are not finite numbers, k ≥ N, and, when it is fitted, a radius or width
 * at which no two points are neighbours, and, unless `normalized` is off, at which one has none
 * @see Belkin & Niyogi 2003; Bengio et al. 2004 (new points)
 * @example
 * ```ts
 * const { latents } = await fit(laplacianEigenmaps(Y, { neighbours: 8, weights: 'heat', width: 2 }));
 * ```
 */
export function laplacianEigenmaps(Y: MatrixLike, options: LaplacianEigenmapsOptions = {}): SpectralModel {
  const { latentDim, weights, width, normalized, ...rest } = checkOptions(schema, options, 'laplacianEigenmaps');
  const neighbourhood = neighbourhoodFrom(rest, 'laplacianEigenmaps');
  const points = observationsFrom(Y);
  if (neighbourhood.neighbours !== undefined)
    checkNeighbours(neighbourhood.neighbours, points.rows, 'laplacianEigenmaps');
  return closedFormModel({
    name: 'laplacianEigenmaps',
    embed: () => {
      const graph = neighbourhoodGraph(points, neighbourhood, 'laplacianEigenmaps', { weights, width });
      const degrees = degreesOf(graph);
      if (!degrees.some((degree) => degree > 0)) {
        throw new InvalidInputError(
          `All ${graph.sources.length} edges of laplacianEigenmaps have weight 0, as neighbours are too far apart for a heat kernel of width ${width}. Take a larger width.`,
        );
      }
      const alone = degrees.findIndex((degree) => !(degree > 0));
      if (alone >= 0 && normalized) {
        throw new InvalidInputError(
          `Point ${alone} has no neighbour of positive weight, so it has no place in the embedding. Take a larger radius or width, or more neighbours.`,
        );
      }
      const { values: eigenvalues, vectors: latents } = bottomOfSparse(
        laplacianTerms(graph, degrees),
        latentDim,
        normalized ? degrees : undefined,
      );
      return {
        latents,
        eigenvalues,
        ...traceTerm(eigenvalues, -1),
        message: `Closed form.${componentsNote(graph)}`,
      };
    },
    abilities: ({ latents, eigenvalues }) => ({
      placement: {
        acceptsMissing: false,
        observedColumns: points.columns,
        place: (given) =>
          placedByWeights(
            { latents: latents as Matrix, eigenvalues: eigenvalues as readonly number[], normalized },
            points,
            given,
            distancesTo({ points, input: 'points' }),
            { ...neighbourhood, weights, width },
          ),
      },
    }),
    toJSON: () =>
      savedSpectral('laplacianEigenmaps', points, { ...neighbourhood, latentDim, weights, width, normalized }),
  });
}

function degreesOf({ size, sources, targets, weights }: Graph): Float64Array {
  const degrees = new Float64Array(size);
  weights.forEach((weight, e) => {
    degrees[sources[e]!]! += weight;
    degrees[targets[e]!]! += weight;
  });
  return degrees;
}

function laplacianTerms({ size, sources, targets, weights }: Graph, degrees: Float64Array): SparseTerms {
  const diagonal = Array.from({ length: size }, (_, i) => i);
  return {
    size,
    rows: Int32Array.from([...diagonal, ...targets]),
    columns: Int32Array.from([...diagonal, ...sources]),
    values: Float64Array.from([...degrees, ...weights.map((weight) => -weight)]),
  };
}
