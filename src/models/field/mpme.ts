import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { unitsAdvice } from '../../core/observations.ts';
import { checkOptions, givenOptions, numberAboveZero } from '../../core/options.ts';
import { checkNeighbors } from '../../engine/graph/neighborhoodGraph.ts';
import { squaredDifferences } from '../../fields/constraints.ts';
import { connectingPrecision } from '../../fields/density/connectingPrecision.ts';
import { maxEntropy } from '../../fields/maxEntropy.ts';
import { embedded } from '../../model/language/variable.ts';
import { latentDimOption, savedSpectral, slackPenaltyOption } from '../spectral/embedding/options.ts';
import { type FieldReadOut, fieldReadOut, fieldReadOutOption, readAs } from '../spectral/embedding/readOut.ts';
import { type GraphInput, type GraphOptions, graphOptions, savedInput } from '../spectral/neighborhood/graphInput.ts';
import { type Disconnected, disconnectedOption } from '../spectral/neighborhood/neighborhood.ts';
import { candidatesOf, pointsOf, shownRows } from './candidates.ts';
import { type Distances, distancesOf } from './distances.ts';
import {
  checkDimensions,
  type FieldModel,
  type FieldStart,
  fieldModel,
  overTable,
  startingAt,
  startOption,
  type UnplacedFieldModel,
} from './fieldModel.ts';

export interface MpmeOptions extends GraphOptions {
  /**
   * Number of latent dimensions d, from 1: the copies of the field, and the eigenvectors that are read off unless `embedding` has a number; default 2, or
   * the `vectors` of `embedding`.
   */
  readonly latentDim?: number;
  /**
   * λ > 0; default 2d/(N·φ*) with φ* the longest edge of the minimum spanning tree of the candidate edges, which connects the learned graph in any unit of
   * the observations and for any C.
   */
  readonly basePrecision?: number;
  /** C > 0, the price of breaking a constraint; default Infinity, in JSON the string 'Infinity': none may be broken. */
  readonly slackPenalty?: number | 'Infinity';
  /** φ: 'squared' Euclidean distances (default), 'plain' ones, or the distances of a kernel, k_ii + k_jj − 2k_ij. */
  readonly distances?: Distances;
  /** Pairs that may have a weight: 'all' (default), or a number of nearest neighbors, where all pairs are too many for memory. */
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
 * @summary maximum entropy over all pairs: learns a sparse graph among all points
 * @remarks There are N² pairs. `neighbors: 20` joins neighbors only.
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
  // The start of the search is not needed once it has ended.
  const { start, ...saved } = checkOptions(schema, asked, 'mpme');
  const { slackPenalty: slack } = saved;
  const { method, readOut } = fieldReadOut(saved.embedding);
  const copies = asked.latentDim ?? readOut.vectors ?? saved.latentDim;
  const dim = readOut.vectors ?? copies;
  const points = pointsOf(Y);
  const neighbors = neighborsFrom(saved, points);
  const distances = distancesOf(saved.distances, 'mpme');
  const unbounded = { name: 'mpme', isUnbounded: slack === Infinity };
  const candidates = candidatesOf(Y, points, { ...saved, neighbors }, distances, unbounded);
  const { graph, squaredDistances: expected, shown } = candidates;
  checkDimensions('mpme', graph.size, dim);
  const rows = points && shownRows(points, shown);
  const variables = () => {
    const field = maxEntropy({
      base: saved.basePrecision ?? connectingPrecision(graph, expected, copies),
      copies,
      slack,
      expect: { weights: squaredDifferences(graph, expected) },
      ...startingAt(start, graph, slack, 'mpme'),
      ...(rows && { newRows: { neighbors, observations: rows, distancesTo: distances.to(rows) } }),
    });
    const { density, points: listed } = overTable(field, { shown });
    return { x: embedded(density, { dim, by: method }), ...listed };
  };
  const advice = points === undefined || saved.squaredDistances !== undefined ? '' : unitsAdvice(points);
  const model = fieldModel('mpme', variables, {
    note: candidates.notes + advice,
    toJSON: () =>
      savedSpectral('mpme', points ?? Matrix.zeros(0, 0), { ...saved, latentDim: copies, ...savedInput(Y, saved) }),
  });
  return readAs(model, readOut) as UnplacedFieldModel;
}

function neighborsFrom({ neighbors, graph }: { neighbors: unknown; graph?: unknown }, points: Matrix | undefined) {
  if (neighbors === 'all') {
    if (points !== undefined && graph === undefined) checkSize(points.rows);
    return 'all';
  }
  if (points !== undefined) return checkNeighbors(neighbors as number, points.rows, 'mpme');
  throw new InvalidInputError("mpme of a graph takes its edges for candidates: leave 'neighbors' out.");
}

/** Points whose pairs, and the dense inverses that go with them, fit into 4 GiB. */
const MOST_POINTS = 6000;

function checkSize(points: number): void {
  if (points <= MOST_POINTS) return;
  const pairs = (points * (points - 1)) / 2;
  throw new InvalidInputError(
    `mpme over all pairs takes up to ${MOST_POINTS} points, but ${points} have ${pairs} pairs, which cannot be held in memory. ` +
      'Take neighbors: 20, so that only pairs of near neighbors may have a weight, or fewer points.',
  );
}
