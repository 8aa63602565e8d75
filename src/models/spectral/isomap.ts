import * as v from 'valibot';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkOptions } from '../../core/options.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import { checkNeighbours } from '../../numerics/graph/neighbourhoodGraph.ts';
import { closedFormModel, traceTerm } from './embedding/closedForm.ts';
import { doublyCentred, euclideanNote, leadingEmbedding } from './embedding/leadingEmbedding.ts';
import { inputOption, latentDimOption, savedSpectral } from './embedding/options.ts';
import type { SpectralModel } from './embedding/spectralModel.ts';
import { distancesFrom } from './neighbourhood/distanceInput.ts';
import { geodesicDistances } from './neighbourhood/geodesicDistances.ts';
import { type NeighbourhoodOptions, neighbourhoodFrom, neighbourhoodOptions } from './neighbourhood/neighbourhood.ts';
import { neighbourLengths } from './neighbourhood/neighbourLengths.ts';
import { disconnectedOption, shownComponent } from './neighbourhood/shownComponent.ts';
import { placedByPaths } from './placement/byPaths.ts';
import { columnMeans } from './placement/byProducts.ts';
import { distancesTo } from './placement/newRows.ts';

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
  disconnected: disconnectedOption,
});

/**
 * Isomap: classical multidimensional scaling of the lengths of shortest paths along the graph of neighbours, whose edges are as long
 * as the points are apart.
 *
 * `project` places a new point by its shortest paths d_n = min_j(‖y − y_j‖ + G_jn) over its k nearest points j (or those within the radius):
 * x_c = −½·Σ_n x_nc·(d²_n − mean_i G²_in)/λ_c. With `input: 'distances'` it takes n×N distances, from each new point to the N points of the
 * fit. Points of the fit land on their latents.
 *
 * @param Y - N×D points, or N×N distances
 * @param options - see {@link IsomapOptions}
 * @returns a model in closed form for `fit`; `eigenvalues` are those of −½·H·G²·H, G the geodesic distances
 * @throws InvalidInputError for entries that are not finite, k ≥ N, and, when it is fitted, a radius below the distance of the
 * nearest two points and a graph that is not connected
 * @see Tenenbaum, de Silva & Langford 2000; Bengio et al. 2004 (new points)
 * @example
 * ```ts
 * const { latents, message } = await fit(isomap(Y, { neighbours: 10 }));
 * ```
 */
export function isomap(Y: MatrixLike, options: IsomapOptions = {}): SpectralModel {
  const checked = checkOptions(schema, options, 'isomap');
  const neighbourhood = neighbourhoodFrom(checked, 'isomap');
  const { latentDim, input, disconnected } = checked;
  const { points } = distancesFrom(Y, input, 'isomap');
  if (neighbourhood.neighbours !== undefined) checkNeighbours(neighbourhood.neighbours, points.rows, 'isomap');
  let made: Graph | undefined;
  const graphOf = () => {
    made ??= neighbourLengths({ points, input }, neighbourhood, 'isomap');
    return made;
  };
  return closedFormModel({
    name: 'isomap',
    embed: () => {
      const graph = graphOf();
      const { points: kept, components } = shownComponent(graph, disconnected, 'isomap');
      const squared = submatrix(geodesicDistances(graph), kept);
      squared.data.forEach((distance, index) => {
        squared.data[index] = distance * distance;
      });
      const meanSquares = columnMeans(squared);
      const { latents, eigenvalues, smallest } = leadingEmbedding(doublyCentred(squared, -0.5), latentDim, 'isomap');
      return {
        latents,
        eigenvalues,
        parameters: {
          meanSquaredDistances: Array.from(meanSquares),
          ...(components > 1 && { points: Array.from(kept) }),
        },
        ...traceTerm(eigenvalues, 1),
        message:
          components === 1
            ? `Closed form.${euclideanNote(smallest, eigenvalues[0]!)}`
            : `Closed form for the ${kept.length} of ${graph.size} points in the largest of ${components} components, listed in parameters.points.`,
      };
    },
    abilities: ({ latents, eigenvalues, meanSquaredDistances, points: shown }) => ({
      placement: {
        acceptsMissing: false,
        observedColumns: points.columns,
        place: (given) =>
          placedByPaths(
            {
              graph: graphOf(),
              shown: Int32Array.from((shown as readonly number[] | undefined) ?? Array(points.rows).keys()),
              latents: latents as Matrix,
              eigenvalues: eigenvalues as readonly number[],
              meanSquares: meanSquaredDistances as readonly number[],
            },
            given,
            distancesTo({ points, input }),
            neighbourhood,
          ),
      },
    }),
    toJSON: () => savedSpectral('isomap', points, { ...neighbourhood, latentDim, input, disconnected }),
  });
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
