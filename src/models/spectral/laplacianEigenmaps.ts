import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { checkOptions } from '../../core/options.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import type { EdgeWeights } from '../../numerics/graph/index.ts';
import { checkNeighbours } from '../../numerics/graph/neighbourhoodGraph.ts';
import { bottomOfSparse, type SparseTerms } from '../../numerics/sparse/bottomOfSparse.ts';
import { closedFormModel, traceTerm } from './embedding/closedForm.ts';
import { latentDimOption, numberAboveZero, savedSpectral } from './embedding/options.ts';
import { type Preset, presetOption } from './embedding/preset.ts';
import type { GraphEmbedding, SpectralModel } from './embedding/spectralModel.ts';
import {
  type GraphInput,
  type GraphOptions,
  graphOptions,
  neighbourInput,
  savedInput,
} from './neighbourhood/graphInput.ts';
import { mutualEdges } from './neighbourhood/mutualEdges.ts';
import {
  componentsNote,
  type NeighbourhoodOptions,
  neighbourhoodFrom,
  neighbourhoodOptions,
} from './neighbourhood/neighbourhood.ts';
import { neighbourLengths, sizeOf } from './neighbourhood/neighbourLengths.ts';
import { type Disconnected, disconnectedOption, shownComponent } from './neighbourhood/shownComponent.ts';
import { subgraph } from './neighbourhood/subgraph.ts';
import { placedByWeights } from './placement/byWeights.ts';
import { distancesTo, rowsOf } from './placement/newRows.ts';

export interface LaplacianEigenmapsOptions extends NeighbourhoodOptions, GraphOptions, EdgeWeights {
  /** q, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** Whether Lu = μDu is solved, columns uᵀDu = 1 (on unless turned off), or Lu = μu, columns uᵀu = 1. */
  readonly normalized?: boolean;
  /** About a graph that is not connected: 'connect' (unless given), 'largest' or 'error', as for isomap. */
  readonly disconnected?: Disconnected;
  /**
   * 'lawrence2012', as the author's program: weights 'heat' unless given, and those of mutual edges, whose ends are each among the k nearest of the
   * other, count twice.
   */
  readonly preset?: Preset;
}

const schema = v.strictObject({
  ...neighbourhoodOptions,
  ...graphOptions,
  latentDim: latentDimOption,
  weights: v.optional(v.picklist(['binary', 'heat'], "'binary' or 'heat'")),
  width: v.optional(numberAboveZero, 1),
  normalized: v.optional(v.boolean(), true),
  disconnected: disconnectedOption,
  preset: presetOption,
});

/**
 * Laplacian eigenmaps: the bottom eigenvectors of Lu = μDu (or Lu = μu), L = D − W the Laplacian of the graph of neighbours with
 * weights 1 or exp(−d²/(2·width²)); the constant one is left out.
 *
 * `project` joins a new point to its k nearest points and to those that it is one of the k nearest of (or to those within the radius), and places
 * it by the eigenvectors' own equation: x = Σ_j w_j·x_j/((1 − μ)·Σ_j w_j), or Σ_j w_j·x_j/(Σ_j w_j − μ). A row that is a point of the fit
 * lands on its latents.
 *
 * @param Y - N×D observations, or `{ graph, squaredDistances }` from elsewhere
 * @param options - see {@link LaplacianEigenmapsOptions}
 * @returns a model in closed form for `fit`; `eigenvalues` are the μ of the columns
 * @throws InvalidInputError for observations that are not finite numbers, k ≥ N, and, when it is fitted, a radius or width
 * at which no two points are neighbours, unless `normalized` is off, at which one has none, and with `disconnected: 'error'` a graph that is not connected
 * @see Belkin & Niyogi 2003; Bengio et al. 2004 (new points)
 * @example
 * ```ts
 * const { latents } = await fit(laplacianEigenmaps(Y, { neighbours: 8, weights: 'heat', width: 2 }));
 * ```
 */
export function laplacianEigenmaps(Y: MatrixLike, options?: LaplacianEigenmapsOptions): SpectralModel;
/** The same of a graph alone, whose fits have no observations to compare new ones with. */
export function laplacianEigenmaps(Y: GraphInput, options?: LaplacianEigenmapsOptions): GraphEmbedding;
export function laplacianEigenmaps(
  Y: MatrixLike | GraphInput,
  options: LaplacianEigenmapsOptions = {},
): GraphEmbedding {
  const checked = checkOptions(schema, options, 'laplacianEigenmaps');
  const { latentDim, width, normalized, disconnected, preset } = checked;
  const weights = checked.weights ?? (preset === undefined ? 'binary' : 'heat');
  const neighbourhood = neighbourhoodFrom(checked, 'laplacianEigenmaps');
  const given = neighbourInput(Y, checked, 'laplacianEigenmaps');
  const { points } = given;
  const N = sizeOf(given);
  if (neighbourhood.neighbours !== undefined && given.graph === undefined) {
    checkNeighbours(neighbourhood.neighbours, N, 'laplacianEigenmaps');
  }
  const k = preset === undefined ? undefined : neighbourhood.neighbours;
  if (preset !== undefined && (k === undefined || given.graph !== undefined)) {
    throw new InvalidInputError(
      "Preset 'lawrence2012' of laplacianEigenmaps counts edges between mutual neighbours twice, which a radius or a graph does not tell. Give neighbours, or leave the preset out.",
    );
  }
  return closedFormModel({
    name: 'laplacianEigenmaps',
    embed: () => {
      const near = neighbourLengths(given, neighbourhood, 'laplacianEigenmaps');
      const { graph: joined, points: shown, note } = shownComponent(near, given, disconnected, 'laplacianEigenmaps');
      const lengths = shown.length === N ? joined : subgraph(joined, shown);
      const isMutual = k === undefined ? [] : mutualEdges(points, k, lengths, shown);
      const weightAt = (length: number, e: number) => (isMutual[e] ? 2 : 1) * weightOf(length, weights, width);
      const graph = { ...lengths, weights: lengths.weights.map(weightAt) };
      const degrees = degreesOf(graph);
      if (!degrees.some((degree) => degree > 0)) {
        throw new InvalidInputError(
          `All ${graph.sources.length} edges of laplacianEigenmaps have weight 0, as neighbours are too far apart for a heat kernel of width ${width}. Take a larger width.`,
        );
      }
      const alone = degrees.findIndex((degree) => !(degree > 0));
      if (alone >= 0 && normalized) {
        throw new InvalidInputError(
          `Point ${shown[alone]} has no neighbour of positive weight, so it has no place in the embedding. Take a larger radius or width, or more neighbours.`,
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
        ...(shown.length < N && { parameters: { points: Array.from(shown) } }),
        message: `Closed form.${note}${componentsNote(graph)}`,
      };
    },
    abilities: ({ latents, eigenvalues, points: part }) => ({
      ...(given.input !== 'graph' && {
        placement: {
          acceptsMissing: false as const,
          observedColumns: points.columns,
          place: (rows: Matrix) => {
            const shown = part === undefined ? points : rowsOf(points, part as readonly number[]);
            return placedByWeights(
              { latents: latents as Matrix, eigenvalues: eigenvalues as readonly number[], normalized },
              shown,
              rows,
              distancesTo({ points: shown, input: 'points' }),
              { ...neighbourhood, weights, width, doubled: preset !== undefined },
            );
          },
        },
      }),
    }),
    toJSON: () =>
      savedSpectral('laplacianEigenmaps', points, {
        ...neighbourhood,
        ...savedInput(Y, checked),
        latentDim,
        weights,
        width,
        normalized,
        disconnected,
        preset,
      }),
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

function weightOf(length: number, weights: 'binary' | 'heat', width: number): number {
  return weights === 'binary' ? 1 : Math.exp(-(length * length) / (2 * width * width));
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
