import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { connectedComponents } from '../../core/graph/connectedComponents.ts';
import { edgesOfPairs, pairKey } from '../../core/graph/edges.ts';
import type { Graph } from '../../core/graph/graph.ts';
import { checkNeighbours } from '../../core/graph/neighbourhoodGraph.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { Model } from '../../core/model.ts';
import { checkOptions } from '../../core/options.ts';
import { edgeDistances } from '../../priors/constraints/edgeSquaredDistances.ts';
import { closedFormModel, traceTerm } from './closedForm.ts';
import { distancesFrom } from './distanceInput.ts';
import { geodesicDistances } from './geodesicDistances.ts';
import { doublyCentred, euclideanNote, leadingEmbedding } from './leadingEmbedding.ts';
import {
  type NeighbourhoodOptions,
  neighbourhoodFrom,
  neighbourhoodGraph,
  neighbourhoodOptions,
} from './neighbourhood.ts';
import { inputOption, latentDimOption, savedSpectral } from './options.ts';

export interface IsomapOptions extends NeighbourhoodOptions {
  /** q, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** What Y is: 'points' (unless given), or N×N 'distances'. */
  readonly input?: 'points' | 'distances';
  /**
   * What to do about a graph that is not connected: 'error' (unless given), or 'largest', to show the points of its largest component
   * alone, which `parameters.points` then lists.
   */
  readonly disconnected?: 'error' | 'largest';
}

const schema = v.strictObject({
  ...neighbourhoodOptions,
  latentDim: latentDimOption,
  input: inputOption,
  disconnected: v.optional(v.picklist(['error', 'largest'], "'error' or 'largest'"), 'error'),
});

/**
 * Isomap: classical multidimensional scaling of the lengths of shortest paths along the graph of neighbours, whose edges are as long
 * as the points are apart.
 *
 * @param Y - N×D points, or N×N distances
 * @param options - see {@link IsomapOptions}
 * @returns a model in closed form for `fit`; `eigenvalues` are those of −½·H·G²·H, G the geodesic distances
 * @throws InvalidInputError for entries that are not finite, k ≥ N, and, when it is fitted, a graph that is not connected
 * @see Tenenbaum, de Silva & Langford 2000
 * @example
 * ```ts
 * const { latents, message } = await fit(isomap(Y, { neighbours: 10 }));
 * ```
 */
export function isomap(Y: MatrixLike, options: IsomapOptions = {}): Model {
  const checked = checkOptions(schema, options, 'isomap');
  const neighbourhood = neighbourhoodFrom(checked, 'isomap');
  const { latentDim, input, disconnected } = checked;
  const { points, distances } = distancesFrom(Y, input, 'isomap');
  if (neighbourhood.neighbours !== undefined) checkNeighbours(neighbourhood.neighbours, points.rows, 'isomap');
  return closedFormModel({
    name: 'isomap',
    embed: () => {
      const graph = input === 'points' ? pointGraph(points, neighbourhood) : distanceGraph(distances(), neighbourhood);
      const { labels, sizes } = connectedComponents(graph);
      const shown = sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size)));
      if (sizes.length > 1 && disconnected === 'error') throw notConnected(sizes, sizes[shown]!, graph.size);
      const kept = Int32Array.from(labels.keys()).filter((i) => labels[i] === shown);
      const squared = submatrix(geodesicDistances(graph), kept);
      squared.data.forEach((distance, index) => {
        squared.data[index] = distance * distance;
      });
      const { latents, eigenvalues, smallest } = leadingEmbedding(doublyCentred(squared, -0.5), latentDim, 'isomap');
      return {
        latents,
        eigenvalues,
        ...(sizes.length > 1 && { parameters: { points: Array.from(kept) } }),
        ...traceTerm(eigenvalues, 1),
        message:
          sizes.length === 1
            ? `Closed form.${euclideanNote(smallest, eigenvalues[0]!)}`
            : `Closed form for the ${kept.length} of ${graph.size} points in the largest of ${sizes.length} components, listed in parameters.points.`,
      };
    },
    toJSON: () => savedSpectral('isomap', points, { ...neighbourhood, latentDim, input, disconnected }),
  });
}

function pointGraph(points: Matrix, neighbourhood: NeighbourhoodOptions): Graph {
  const graph = neighbourhoodGraph(points, neighbourhood);
  return { ...graph, weights: edgeDistances(points, graph).map(Math.sqrt) };
}

/** The graph of neighbours by distances, ties by index. */
function distanceGraph(distances: Matrix, { neighbours, radius }: NeighbourhoodOptions): Graph {
  const { rows: N } = distances;
  if (radius !== undefined && !(radius > 0)) {
    throw new InvalidInputError(`isomap takes a radius above 0, but ${describe(radius)} was given.`);
  }
  const keys: number[] = [];
  for (let i = 0; i < N; i++) {
    const others = Array.from({ length: N }, (_, j) => j).filter((j) => j !== i);
    const near =
      radius === undefined
        ? others.sort((a, b) => distances.at(i, a) - distances.at(i, b) || a - b).slice(0, neighbours)
        : others.filter((j) => distances.at(i, j) <= radius);
    for (const j of near) keys.push(pairKey(i, j, N));
  }
  return { size: N, ...edgesOfPairs(Float64Array.from(keys), N, (i, j) => distances.at(i, j)) };
}

function submatrix(matrix: Matrix, kept: Int32Array): Matrix {
  if (kept.length === matrix.rows) return matrix;
  const result = Matrix.zeros(kept.length, kept.length);
  kept.forEach((i, a) => {
    kept.forEach((j, b) => {
      result.data[a * kept.length + b] = matrix.at(i, j);
    });
  });
  return result;
}

function notConnected(sizes: Int32Array, largest: number, size: number): InvalidInputError {
  return new InvalidInputError(
    `The graph of neighbours has ${sizes.length} components, the largest of ${largest} of ${size} points, so isomap has no distance between ` +
      "some points. Take more neighbours or a larger radius, or disconnected: 'largest'.",
  );
}
