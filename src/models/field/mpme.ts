import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers, unitsAdvice } from '../../core/observations.ts';
import { checkOptions, givenOptions, numberAboveZero } from '../../core/options.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import { completeGraph, knnGraph } from '../../engine/graph/index.ts';
import { checkNeighbors } from '../../engine/graph/neighborhoodGraph.ts';
import { connectingPrecision } from '../../fields/density/connectingPrecision.ts';
import { checkDistances } from '../../fields/density/constraints.ts';
import { edgeDistances } from '../../fields/density/edgeSquaredDistances.ts';
import { observedSquaredDistances } from '../../fields/observed/commonEntries.ts';
import { covariance } from '../../kernels/covariance.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { latentDimOption, savedSpectral, slackPenaltyOption } from '../spectral/embedding/options.ts';
import { type FieldReadOut, fieldReadOut, fieldReadOutOption, readAs } from '../spectral/embedding/readOut.ts';
import { type GraphInput, type GraphOptions, graphOptions, savedInput } from '../spectral/neighborhood/graphInput.ts';
import { type Disconnected, disconnectedOption } from '../spectral/neighborhood/neighborhood.ts';
import { connected, edgesBeside, edgesFrom, pointsOf, shownRows, tied } from './candidates.ts';
import { type FieldModel, type FieldStart, fieldModel, startOption, type UnplacedFieldModel } from './fieldModel.ts';

export interface MpmeOptions extends GraphOptions {
  /** d, from 1, how many copies of the field there are, and how many eigenvectors are read unless `embedding` says; 2, or its `vectors`, unless given. */
  readonly latentDim?: number;
  /**
   * λ > 0; unless given 2d/(N·φ*), φ* the longest edge of the minimum spanning tree of the candidate edges: the learned graph is then
   * connected, whatever the unit of the observations and C.
   */
  readonly basePrecision?: number;
  /** C > 0, the price of breaking a constraint; Infinity, none may be broken, unless given. In JSON the string 'Infinity' stands for it. */
  readonly slackPenalty?: number | 'Infinity';
  /** φ: 'squared' Euclidean distances (unless given), 'plain' ones, or those of a kernel, k_ii + k_jj − 2k_ij. */
  readonly distances?: 'squared' | 'plain' | Kernel;
  /** Which pairs may have a weight: 'all' (unless given), or those of k nearest neighbors, for more points than all pairs can be held of. */
  readonly neighbors?: number | 'all';
  /** Treatment of candidate edges that leave several components; default 'connect': join them by their shortest edges. */
  readonly disconnected?: Disconnected;
  /** How latents are read off the field; default 'kernelPca'. For spectral clustering `{ vectors: k, rows: 'unit' }`. */
  readonly embedding?: 'kernelPca' | 'eigenmap' | FieldReadOut;
  /** Weights to begin with, such as the graph of a fit at another C, or 4C where they are above it; default none. */
  readonly start?: FieldStart;
}

const schema = v.strictObject({
  ...graphOptions,
  latentDim: latentDimOption,
  basePrecision: v.optional(numberAboveZero),
  slackPenalty: slackPenaltyOption,
  distances: v.optional(v.any(), 'squared'),
  neighbors: v.optional(v.any(), 'all'),
  disconnected: disconnectedOption,
  embedding: fieldReadOutOption,
  start: startOption,
});

/** Points whose pairs, and the dense inverses that go with them, fit into 4 GiB. */
const MOST_POINTS = 6000;

/**
 * Maximum posterior manifold embedding: the graph of all pairs of points learned with the field over them,
 * max d/2·log|L(w) + λI| − ½·Σ_{i<j} w_ij·φ_ij over 0 ≤ w_ij ≤ 4C. Most weights are 0 at the maximum; the rest are the learned
 * neighborhood graph, from whose field the embedding is read. There is one maximum, which a fit reaches from any start: `restarts` find nothing else.
 *
 * Distances are those of the columns as they are: divide columns in different units by their deviations first.
 *
 * Points that are the same (φ = 0 while C = ∞) are tied: they count as one node and have one place. A graph that is empty or falls to pieces,
 * which only a `basePrecision` that is given can bring about, makes the status 'degenerate'. So does a `slackPenalty` so small that all pairs have the
 * same weight 4C.
 *
 * `project` and `reconstruct` take new points as those of `meu` do, but may join them to any points; there is no density, as the field is
 * one of the latents.
 *
 * @param Y - N×D observations; or `{ graph, squaredDistances }`, distances from elsewhere of the pairs that may have a weight
 * @param options - see {@link MpmeOptions}
 * @returns a model for `fit` and `evaluate`; its fit has `graph`, `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`, and a `message` that
 * says how many components the graph has
 * @throws InvalidInputError for observations that are not finite numbers, points that are all the same, as many dimensions as points, more than 6000 points
 * with all pairs
 * @see Mao et al. 2017, eqs. 10–16
 * @example
 * ```ts
 * const result = await fit(mpme(Y, { latentDim: 2, slackPenalty: 10 }));
 * result.graph!.sources.length; // edges of positive weight
 * ```
 */
export function mpme(Y: MatrixLike, options?: MpmeOptions): FieldModel;
export function mpme(distances: GraphInput, options?: MpmeOptions): UnplacedFieldModel;
export function mpme(Y: MatrixLike | GraphInput, options: MpmeOptions = {}): UnplacedFieldModel {
  const asked = givenOptions(options, 'mpme');
  const checked = checkOptions(schema, asked, 'mpme');
  // The start of the search is not needed once it has ended.
  const { start: _, ...saved } = checked;
  const { slackPenalty, disconnected } = checked;
  const { method, readOut } = fieldReadOut(checked.embedding);
  const copies = asked.latentDim ?? readOut.vectors ?? checked.latentDim;
  const distances = checked.distances as MpmeOptions['distances'];
  const given = pointsOf(Y);
  const neighbors = neighborsFrom(checked.neighbors, given?.rows);
  if (given !== undefined && neighbors === 'all' && checked.graph === undefined) checkSize(given.rows);
  const edges =
    given === undefined ? edgesFrom(Y as GraphInput, 'mpme') : candidatesOf(given, neighbors, distances, checked);
  const distance = (i: number, j: number) => distanceBetween(given!, i, j, distances);
  const candidates = tied(connected(edges, disconnected, 'mpme', given, distance), slackPenalty, copies);
  const points = given === undefined ? undefined : shownRows(given, candidates.shown);
  const connecting = () => connectingPrecision(candidates.graph, candidates.squaredDistances, copies);
  const model = fieldModel({
    ...checked,
    ...candidates,
    embedding: method,
    latentDim: readOut.vectors ?? copies,
    basePrecision: checked.basePrecision ?? connecting(),
    connectingPrecision: connecting,
    name: 'mpme',
    copies,
    neighbors,
    density: false,
    unitsNote: given === undefined || checked.squaredDistances !== undefined ? '' : unitsAdvice(given),
    ...(points !== undefined && { observations: points, distancesTo: distancesTo(points, distances) }),
    toJSON: () =>
      savedSpectral('mpme', given ?? Matrix.zeros(0, 0), { ...saved, latentDim: copies, ...savedInput(Y, checked) }),
  });
  return readAs(model, readOut);
}

function neighborsFrom(given: unknown, points: number | undefined): number | 'all' {
  if (given === 'all') return 'all';
  if (points === undefined) {
    throw new InvalidInputError("mpme of a graph takes its edges for candidates: leave 'neighbors' out.");
  }
  return checkNeighbors(given as number, points, 'mpme');
}

function checkSize(points: number): void {
  if (points <= MOST_POINTS) return;
  const pairs = (points * (points - 1)) / 2;
  throw new InvalidInputError(
    `mpme over all pairs takes up to ${MOST_POINTS} points, but ${points} have ${pairs} pairs, which cannot be held in memory. ` +
      'Take neighbors: 20, so that only pairs of near neighbors may have a weight, or fewer points.',
  );
}

function candidatesOf(
  points: Matrix,
  neighbors: number | 'all',
  distances: MpmeOptions['distances'],
  given: GraphOptions,
) {
  if (given.graph !== undefined) {
    return edgesBeside(points, given, 'mpme', (i, j) => distanceBetween(points, i, j, distances));
  }
  const graph = neighbors === 'all' ? completeGraph(points.rows) : knnGraph(points, neighbors);
  return { graph, squaredDistances: checkDistances(edgeLengths(points, graph, distances), graph, 'mpme', false) };
}

/** The squared distance that rounding may leave between equal points, relative to their variances. */
const ROUNDING = 1e-12;

/** φ of every edge. */
function edgeLengths(points: Matrix, graph: Graph, distances: MpmeOptions['distances']): Float64Array {
  if (distances === 'squared') return edgeDistances(points, graph);
  if (distances === 'plain') return edgeDistances(points, graph).map(Math.sqrt);
  if (typeof distances !== 'object') {
    throw new InvalidInputError(
      `Option 'distances' of mpme must be 'squared', 'plain' or a kernel, but ${describe(distances)} was given.`,
    );
  }
  const K = covariance(distances, points);
  const { sources, targets } = graph;
  return Float64Array.from(sources, (i, e) => distanceIn(K, i, targets[e]!));
}

function distanceIn(K: Matrix, i: number, j: number): number {
  const distance = K.at(i, i) + K.at(j, j) - 2 * K.at(i, j);
  // Below 0 by more than rounding, the kernel is none, which the layer says.
  return Math.abs(distance) <= ROUNDING * (K.at(i, i) + K.at(j, j)) ? Math.max(0, distance) : distance;
}

function distanceBetween(points: Matrix, i: number, j: number, distances: MpmeOptions['distances']): number {
  const pair = Matrix.from([points.row(i), points.row(j)]);
  const edge = { size: 2, sources: Int32Array.of(0), targets: Int32Array.of(1), weights: Float64Array.of(1) };
  return edgeLengths(pair, edge, distances)[0]!;
}

/** φ between a new row and every point. */
function distancesTo(points: Matrix, distances: MpmeOptions['distances']): (row: Float64Array) => Float64Array {
  const squared = observedSquaredDistances(points);
  if (typeof distances !== 'object') {
    return distances === 'plain' ? (row) => squared(row).map(Math.sqrt) : squared;
  }
  let variances: Float64Array | undefined;
  return (row) => {
    const point = checkNumbers(new Matrix(row, 1, row.length), 'A row to place by the distances of a kernel');
    variances ??= Float64Array.from({ length: points.rows }, (_, j) => {
      const own = new Matrix(points.row(j), 1, points.columns);
      return covariance(distances, own).data[0]!;
    });
    const own = covariance(distances, point).data[0]!;
    return covariance(distances, point, points).data.map((across, j) => Math.max(0, own + variances![j]! - 2 * across));
  };
}
