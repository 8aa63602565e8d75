import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { unitsAdvice } from '../../core/observations.ts';
import { checkOptions, givenOptions, numberAboveZero, type OptionsIn, typed } from '../../core/options.ts';
import { checkNeighbors } from '../../engine/graph/neighborhoodGraph.ts';
import { differencesAlong } from '../../fields/constraints.ts';
import { connectingPrecision } from '../../fields/density/connectingPrecision.ts';
import { maxEntropy } from '../../fields/maxEntropy.ts';
import { embedded } from '../../model/language/variable.ts';
import { latentDimOption, savedSpectral, slackPenaltyOption } from '../spectral/embedding/options.ts';
import { fieldReadOut, fieldReadOutOption, readAs } from '../spectral/embedding/readOut.ts';
import { type GraphInput, graphOptions, savedInput } from '../spectral/neighborhood/graphInput.ts';
import { disconnectedOption } from '../spectral/neighborhood/neighborhood.ts';
import { candidatesOf, pointsOf, shownRows } from './candidates.ts';
import { type Distances, distancesOf } from './distances.ts';
import {
  checkDimensions,
  type FieldModel,
  fieldModel,
  overTable,
  startingAt,
  startOption,
  type UnplacedFieldModel,
} from './fieldModel.ts';

export interface MpmeOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  ...graphOptions,
  /**
   * Number of latent dimensions d, from 1: the number of copies of the field, and of eigenvectors unless `embedding` sets it; default 2, or the
   * `vectors` of `embedding`.
   */
  latentDim: latentDimOption,
  /**
   * λ > 0; default 2d/(N·φ*) with φ* the longest edge of the minimum spanning tree of the candidate edges, which keeps the learned graph connected in
   * any unit of the observations and for any C.
   */
  basePrecision: v.optional(numberAboveZero),
  /** C > 0, the cost of violating a constraint; default Infinity, in JSON the string 'Infinity': no violations. */
  slackPenalty: slackPenaltyOption,
  /** Distance φ: 'squared' Euclidean distances (default), 'plain' Euclidean ones, or the distances of a kernel, k_ii + k_jj − 2k_ij. */
  distances: v.optional(typed<Distances>(), 'squared'),
  /** Candidate pairs: 'all' (default), or a number of nearest neighbors, if all pairs are too many for memory. */
  neighbors: v.optional(typed<number | 'all'>(), 'all'),
  /** Treatment of candidate edges with several components; default 'connect': join them by their shortest edges. */
  disconnected: disconnectedOption,
  /** Method of reading latents off the field; default 'kernelPca'. For spectral clustering `{ vectors: k, rows: 'unit' }`. */
  embedding: fieldReadOutOption,
  /** Initial weights, such as the graph of a fit with another C, truncated at 4C; default none. */
  start: startOption,
});

/**
 * Maximum posterior manifold embedding: learns a graph over all pairs of points together with the field over them,
 * max d/2·log|L(w) + λI| − ½·Σ_{i<j} w_ij·φ_ij over 0 ≤ w_ij ≤ 4C. Most weights are 0 at the maximum; the others form the learned neighborhood graph,
 * whose field determines the embedding. There is a single maximum, which a fit reaches from any start, so `restarts` are useless.
 *
 * Columns are not scaled: divide columns in different units by their standard deviations first.
 *
 * Equal points (φ = 0 with C = ∞) are tied: they count as one node and share one position. An empty or disconnected graph, which only an explicit
 * `basePrecision` can cause, has the status 'degenerate'. So does a `slackPenalty` so small that all pairs have the same weight 4C.
 *
 * `project` and `reconstruct` work as for `meu`, but may connect new points to any points; there is no density, since the field is over the latents.
 *
 * @summary maximum entropy over all pairs: learns a sparse graph among all points
 * @remarks There are N² pairs. `neighbors: 20` joins neighbors only.
 * @param Y - N×D observations; or `{ graph, squaredDistances }`, precomputed distances of the candidate pairs
 * @param options - see {@link MpmeOptions}
 * @returns a model for `fit` and `evaluate`; its fit has `graph`, `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`, and a `message` with
 * the number of components of the graph
 * @throws InvalidInputError for observations that are not finite numbers, points that are all equal, as many dimensions as points, and more than 6000
 * points with all pairs
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
  const input = savedInput(Y, saved);
  const rows = points && shownRows(points, shown);
  const variables = () => {
    const field = maxEntropy({
      base: saved.basePrecision ?? connectingPrecision(graph, expected, copies),
      copies,
      slack,
      expect: { weights: differencesAlong(graph, expected) },
      ...startingAt(start, graph, slack, 'mpme'),
      ...(rows && { newRows: { neighbors, observations: rows, distancesTo: distances.to(rows) } }),
    });
    const { density, points: listed } = overTable(field, { shown });
    return { x: embedded(density, { dim, by: method }), ...listed };
  };
  const advice = points === undefined || saved.squaredDistances !== undefined ? '' : unitsAdvice(points);
  const model = fieldModel('mpme', variables, {
    note: candidates.notes + advice,
    toJSON: () => savedSpectral('mpme', points ?? Matrix.zeros(0, 0), { ...saved, latentDim: copies, ...input }),
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

/** Maximum number of points with all pairs, such that pairs and dense inverses fit into 4 GiB. */
const MOST_POINTS = 6000;

function checkSize(points: number): void {
  if (points <= MOST_POINTS) return;
  const pairs = (points * (points - 1)) / 2;
  throw new InvalidInputError(
    `mpme over all pairs takes up to ${MOST_POINTS} points, but ${points} have ${pairs} pairs, too many for memory. ` +
      'Take neighbors: 20, so that only pairs of near neighbors may have a weight, or fewer points.',
  );
}
