import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkAllPairs, columnMeans } from '../../core/observations.ts';
import { checkOptions, integerFrom, type OptionsIn } from '../../core/options.ts';
import { completed, once, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import { geodesicDistances, type LandmarkDistances, landmarkDistances } from '../../engine/graph/shortestPaths.ts';
import { stage } from '../../model/computation.ts';
import { type ComputedSolution, defineComputedModel } from '../../model/computedModel.ts';
import type { Placement } from '../../model/posterior.ts';
import { doublyCentered, euclideanNote, leadingEmbedding } from './embedding/leadingEmbedding.ts';
import {
  embeddingShapes,
  type GraphEmbedding,
  inputOption,
  latentDimOption,
  type SpectralModel,
  savedSpectral,
  traceTerm,
} from './embedding/options.ts';
import { readAs, readOutOptions, withVectors } from './embedding/readOut.ts';
import { type GraphInput, graphOptions, neighborInput, savedInput } from './neighborhood/graphInput.ts';
import {
  disconnectedOption,
  inputNote,
  type NeighborhoodOptions,
  type NeighborInput,
  neighborhoodFrom,
  neighborhoodOptions,
  neighborLengths,
  type ShownComponent,
  shownComponent,
  sizeOf,
} from './neighborhood/neighborhood.ts';
import { placeByProducts, placedByPaths } from './placement/byProducts.ts';
import { distancesTo, placedRows } from './placement/byWeights.ts';

export interface IsomapOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  ...neighborhoodOptions,
  ...graphOptions,
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  ...readOutOptions,
  /** Form of Y: 'points' (default), or N×N 'distances'. */
  input: inputOption,
  /**
   * Treatment of a disconnected graph: 'connect' its components by the shortest edges between them (default), show only the points of the 'largest',
   * listed in `parameters.points`, or throw an 'error'.
   */
  disconnected: disconnectedOption,
  /**
   * Number of landmarks, more than q and at most N: paths are then measured from these points only, with memory and time proportional to N times
   * their number, and all other points are placed relative to them. Default all points.
   */
  landmarks: v.optional(integerFrom(2)),
});

/**
 * Isomap: classical multidimensional scaling of shortest path lengths along the neighborhood graph, with the distances between points as edge lengths.
 *
 * With `landmarks` only the paths from these are scaled, and every other point is placed by its paths to them: no N×N matrix is formed. Each landmark
 * is the point farthest from all earlier landmarks.
 *
 * `project` places a new point by its shortest paths d_n = min_j(‖y − y_j‖ + G_jn) over its k nearest points j (or those within the radius):
 * x_c = −½·Σ_n x_nc·(d²_n − mean_i G²_in)/λ_c. With `input: 'distances'` it requires n×N distances, from each new point to the N fitted points.
 * Fitted points are mapped to their latents.
 *
 * @summary distances along the neighborhood graph
 * @remarks It needs an N×N matrix. `landmarks: 300` needs N×300.
 * @param Y - N×D points, N×N distances, or a precomputed `{ graph, squaredDistances }`
 * @param options - see {@link IsomapOptions}
 * @returns a model in closed form for `fit`; `eigenvalues` belong to −½·H·G²·H, with G the geodesic distances (between landmarks)
 * @throws InvalidInputError for entries that are not finite, k ≥ N, more than 20 000 points without landmarks, and during the fit for a radius below
 * the distance of the nearest two points, and with `disconnected: 'error'` for a disconnected graph
 * @see Tenenbaum, de Silva & Langford 2000; de Silva & Tenenbaum 2004 (landmarks); Bengio et al. 2004 (new points)
 * @example
 * ```ts
 * const { latents, message } = await fit(isomap(Y, { neighbors: 10 }));
 * ```
 */
export function isomap(Y: MatrixLike, options?: IsomapOptions): SpectralModel;
/** {@link isomap} of a graph alone, whose fits cannot project new observations. */
export function isomap(Y: GraphInput, options?: IsomapOptions): GraphEmbedding;
export function isomap(Y: MatrixLike | GraphInput, options: IsomapOptions = {}): GraphEmbedding {
  const checked = withVectors(checkOptions(schema, options, 'isomap'), options, 'isomap');
  const { latentDim, input, disconnected, landmarks, embedding } = checked;
  const given = neighborInput(Y, checked, 'isomap');
  const N = sizeOf(given);
  const { neighborhood, few } = neighborhoodFrom(checked, 'isomap', given.graph === undefined ? N : Infinity);
  checkLandmarks(landmarks, N, latentDim);
  const shown = once(function* () {
    return shownComponent(yield* neighborLengths(given, neighborhood, 'isomap'), given, disconnected, 'isomap');
  });
  const saved = { ...neighborhood, ...savedInput(Y, checked), latentDim, input, disconnected, landmarks, embedding };
  return readAs(defined({ given, neighborhood, few, shown, latentDim, landmarks, saved }), embedding);
}

interface IsomapData {
  readonly given: NeighborInput;
  readonly neighborhood: NeighborhoodOptions;
  /** Sentence about the number of neighbors. */
  readonly few: string;
  /** Graph along which the paths run, computed once. */
  readonly shown: () => ProgressiveWork<ShownComponent>;
  readonly latentDim: number;
  readonly landmarks: number | undefined;
  /** Options in their saved form. */
  readonly saved: object;
}

const defined = defineComputedModel({
  name: 'isomap',
  solve: function* ({ given, few, shown, latentDim, landmarks }: IsomapData) {
    const { graph, points, note } = yield* stage('neighbors', shown());
    const { chosen, squared } = yield* stage('shortest paths', squaredPaths(graph, points, landmarks));
    const meanSquares = columnMeans(squared);
    const embedding = leadingEmbedding(doublyCentered(squared, -0.5), latentDim, 'isomap');
    const embedded = yield* stage('eigenvectors', embedding);
    const { eigenvalues, smallest } = embedded;
    const latents =
      chosen === undefined
        ? embedded.latents
        : placedRows(chosen.fromAll, latentDim, (row, _, place) => {
            const squares = row.map((length) => length * length);
            placeByProducts({ latents: embedded.latents, eigenvalues, meanSquares }, squares, place);
          }).latents;
    return {
      latents,
      eigenvalues,
      parameters: {
        meanSquaredDistances: Array.from(meanSquares),
        ...(chosen !== undefined && { landmarks: Array.from(chosen.landmarks) }),
        ...(points.length < sizeOf(given) && { points: Array.from(points) }),
      },
      ...traceTerm(eigenvalues, 1),
      message: `Closed form${chosen === undefined ? '' : ` by the paths from ${chosen.landmarks.length} landmarks`}.${few}${note}${euclideanNote(smallest, eigenvalues[0]!)}${inputNote(given)}`,
    };
  },
  shapes: ({ given }, found) => {
    const shapes = embeddingShapes(sizeOf(given), found);
    const { landmarks } = found.parameters as { landmarks?: readonly number[] };
    return { ...shapes, meanSquaredDistances: [landmarks?.length ?? shapes.latents[0]!] };
  },
  posterior: (found, data) => (data.given.input === 'graph' ? {} : { placement: placementOf(found, data) }),
  toJSON: ({ given, saved }) => savedSpectral('isomap', given.points, saved),
});

/** Squared lengths of the paths between all shown points, or between landmarks among them. */
function* squaredPaths(
  graph: Graph,
  points: Int32Array,
  landmarks: number | undefined,
): ProgressiveWork<{ readonly chosen: LandmarkDistances | undefined; readonly squared: Matrix }> {
  const chosen =
    landmarks === undefined ? undefined : yield* landmarkDistances(graph, points, Math.min(landmarks, points.length));
  const squared = chosen?.between ?? submatrix(yield* geodesicDistances(graph), points);
  squareEntries(squared);
  return { chosen, squared };
}

function placementOf(
  { latents, eigenvalues, parameters: { meanSquaredDistances, landmarks, points: part } }: ComputedSolution,
  { given, neighborhood, shown: search }: IsomapData,
): Placement {
  return {
    observedColumns: given.points.columns,
    place: (rows) => {
      const shown = Int32Array.from((part as readonly number[] | undefined) ?? Array(sizeOf(given)).keys());
      const targets = landmarks === undefined ? shown : Int32Array.from(landmarks as readonly number[]);
      const paths = {
        graph: completed(search()).graph,
        shown,
        targets,
        latents: targetRows(latents, shown, targets),
        eigenvalues,
        meanSquares: meanSquaredDistances as readonly number[],
      };
      return placedByPaths(paths, rows, distancesTo(given), neighborhood);
    },
  };
}

function checkLandmarks(landmarks: number | undefined, N: number, q: number): void {
  if (landmarks === undefined) {
    checkAllPairs('isomap without landmarks', N, 'Give landmarks, such as 300.');
    return;
  }
  if (landmarks > q && landmarks <= N) return;
  throw new InvalidInputError(
    `isomap takes from ${q + 1} (latentDim + 1) to ${N} landmarks among ${N} points, but ${landmarks} were given.`,
  );
}

function squareEntries({ data }: Matrix): void {
  data.forEach((entry, index) => {
    data[index] = entry * entry;
  });
}

/** Latents of the targets of paths, from the latents of all shown points. */
function targetRows(latents: Matrix, shown: Int32Array, targets: Int32Array): Matrix {
  if (targets === shown) return latents;
  const place = new Map(Array.from(shown, (i, row) => [i, row]));
  return rowsOf(
    latents,
    targets.map((i) => place.get(i)!),
  );
}

function submatrix(matrix: Matrix, kept: Int32Array): Matrix {
  if (kept.length === matrix.rows) return matrix;
  return Matrix.zeros(kept.length, kept.length).map((_, a, b) => matrix.at(kept[a]!, kept[b]!));
}
