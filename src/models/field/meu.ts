import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { dividedColumns, type ScaleOption, scaleOption } from '../../core/observations.ts';
import { checkOptions, missingOption, numberAboveZero } from '../../core/options.ts';
import { squaredDifferences } from '../../fields/constraints.ts';
import { connectingPrecision, observedConnectingPrecision } from '../../fields/density/connectingPrecision.ts';
import { maxEntropy } from '../../fields/maxEntropy.ts';
import { embedded, observed } from '../../model/language/variable.ts';
import { latentDimOption, savedSpectral, slackPenaltyOption } from '../spectral/embedding/options.ts';
import {
  type FieldReadOut,
  fieldReadOut,
  fieldReadOutOption,
  readAs,
  withVectors,
} from '../spectral/embedding/readOut.ts';
import { type GraphInput, type GraphOptions, graphOptions, savedInput } from '../spectral/neighborhood/graphInput.ts';
import {
  type Disconnected,
  disconnectedOption,
  type NeighborCount,
  neighborCount,
} from '../spectral/neighborhood/neighborhood.ts';
import { type Candidates, candidatesOf, pointsOf, shownRows } from './candidates.ts';
import { squaredDistances } from './distances.ts';
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

export interface MeuOptions extends GraphOptions {
  /** Number of latent dimensions q, from 1; default 2. */
  readonly latentDim?: number;
  /** k of the symmetrized k-nearest-neighbor graph whose edges have constraints; default 7, or all others of fewer points. */
  readonly neighbors?: number;
  /**
   * γ > 0; default 2D/(N·φ*) with φ* the longest edge of the minimum spanning tree of the edges with constraints, which connects the learned graph in any
   * unit of the observations. A missing entry counts as the reach of its column.
   */
  readonly basePrecision?: number;
  /** C > 0, the bound 4C of all weights; default Infinity, in JSON the string 'Infinity'. */
  readonly slackPenalty?: number | 'Infinity';
  /** Treatment of a neighborhood graph with several components; default 'connect': join them by their shortest edges. */
  readonly disconnected?: Disconnected;
  /** Number of copies c of the field; default the number of columns, and 1 for given distances. */
  readonly copies?: number;
  /** Treatment of missing entries (NaN): 'ignore' maximizes the density of the observed entries; default an error. */
  readonly missing?: 'ignore';
  /**
   * Whether columns are divided by their standard deviations for the distances; 'auto', the default, divides where these differ by more than ten times.
   * Weights, `basePrecision` and `slackPenalty` then refer to the divided columns; results about observations are in their own units.
   */
  readonly scale?: ScaleOption;
  /** How latents are read off the field; default 'kernelPca'. For spectral clustering `{ vectors: k, rows: 'unit' }`. */
  readonly embedding?: 'kernelPca' | 'eigenmap' | FieldReadOut;
  /** Weights to begin with, such as the graph of a fit with another base precision; default none. */
  readonly start?: FieldStart;
}

const schema = v.strictObject({
  ...graphOptions,
  latentDim: latentDimOption,
  neighbors: v.optional(v.any()),
  basePrecision: v.optional(numberAboveZero),
  slackPenalty: slackPenaltyOption,
  disconnected: disconnectedOption,
  copies: v.optional(numberAboveZero),
  missing: missingOption,
  scale: v.optional(scaleOption, 'auto'),
  embedding: fieldReadOutOption,
  start: startOption,
});

/**
 * Maximum entropy unfolding: the Gaussian random field over points of largest entropy whose expected squared distances between
 * neighbors are those observed, with attractive weights: max D/2·log|L(w) + γI| − ½·Σ w_e·‖y_i − y_j‖² over w ≥ 0, and its
 * embedding by kernel PCA of the covariance.
 *
 * `project` joins a new point to its k nearest points by the weights w ≥ 0 that maximize the same objective with one more point, all else held,
 * and places it at x_* = Σ_j w_j·x_j/(Σ_j w_j − μ), μ = 1/eigenvalue − γ, as the eigenvectors' own equation has it; `reconstruct` gives
 * its mean given its neighbors, (γ'·mean + Σ_j w_j·y_j)/(γ' + Σ_j w_j), γ' = γN/(N + 1). Missing entries (NaN) of new points count in neither.
 *
 * With `missing: 'ignore'` the columns of Y, copies of the field, may have missing entries (NaN): the density of the others is maximized, by its
 * gradient D/2·R_e − ½·E[‖y_i − y_j‖² | observed entries] with the curvature of EM; `impute(Y)` then gives the missing ones. Neighbors are those
 * of least mean squared difference over common entries. The density has one maximum without missing entries, which a fit reaches from any start (so
 * `restarts` find nothing else), and may have several with them.
 *
 * Points that are the same (while C = ∞) are tied: they count as one node and have one place.
 *
 * @summary maximum entropy unfolding: keeps distances to neighbors, learns the graph; fills in missing entries
 * @param Y - N×D observations; or `{ graph, squaredDistances }`, distances from elsewhere of pairs of neighbors
 * @param options - see {@link MeuOptions}
 * @returns a model for `fit` and `evaluate`; its fit has `graph`, `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`
 * @throws InvalidInputError for observations that are not finite numbers, points that are all the same, k ≥ N, rows that have no
 * entries in common with k others
 * @see Lawrence 2012, §2 and eq. 3
 * @example
 * ```ts
 * const result = await fit(meu(Y, { latentDim: 2, neighbors: 6 }));
 * result.graph!.weights;
 * ```
 */
export function meu(Y: MatrixLike, options?: MeuOptions): FieldModel;
export function meu(distances: GraphInput, options?: MeuOptions): UnplacedFieldModel;
export function meu(Y: MatrixLike | GraphInput, options: MeuOptions = {}): UnplacedFieldModel {
  // The start of the search is not needed once it has ended.
  const { start, ...saved } = withVectors(checkOptions(schema, options, 'meu'), options, 'meu');
  const { slackPenalty: slack, latentDim: dim } = saved;
  const { method: by, readOut } = fieldReadOut(saved.embedding);
  const raw = pointsOf(Y, saved.missing === 'ignore', saved.scale === true);
  const { points, deviation, unitsNote } = columnsOf(raw, saved);
  const copies = copiesOf(saved.copies, points);
  const { k: neighbors, note } = neighborsFrom(saved.neighbors, points);
  const unbounded = { name: 'meu', isUnbounded: slack === Infinity };
  const candidates = candidatesOf(Y, points, { ...saved, neighbors }, squaredDistances, unbounded);
  const { graph, squaredDistances: expected, shown, notes } = candidates;
  checkDimensions('meu', graph.size, dim);
  const rows = points && shownRows(points, shown);
  const variables = () => {
    const field = maxEntropy({
      base: saved.basePrecision ?? baseOf(candidates, rows, copies),
      copies,
      slack,
      expect: { weights: squaredDifferences(graph, expected) },
      ...startingAt(start, graph, slack, 'meu'),
      newRows: { neighbors },
    });
    const { density, points: listed } = overTable(field, { shown, deviation });
    if (rows === undefined) return { x: embedded(density, { dim, by }), ...listed };
    const y = observed(rows, { density, missing: 'ignore', center: false });
    return { y, x: embedded(y, { dim, by }), ...listed };
  };
  const model = fieldModel('meu', variables, {
    note: (saved.graph === undefined ? note : '') + notes + unitsNote,
    toJSON: () => savedSpectral('meu', raw ?? Matrix.zeros(0, 0), { ...saved, ...savedInput(Y, saved) }),
  });
  return readAs(model, readOut) as UnplacedFieldModel;
}

/** A base precision at which the learned graph is connected. */
function baseOf({ graph, squaredDistances: expected }: Candidates, rows: Matrix | undefined, copies: number): number {
  if (rows?.data.some(Number.isNaN)) return observedConnectingPrecision(rows, graph);
  return connectingPrecision(graph, expected, copies);
}

/** Observations as distances are taken of them. */
function columnsOf(
  points: Matrix | undefined,
  { scale, squaredDistances }: { scale: ScaleOption; squaredDistances?: unknown },
) {
  if (points !== undefined && squaredDistances === undefined) return dividedColumns(points, scale);
  if (scale !== true) return { points, deviation: undefined, unitsNote: '' };
  throw new InvalidInputError(
    'meu was given distances from elsewhere, which no scale of columns changes: leave scale out.',
  );
}

function copiesOf(copies: number | undefined, points: Matrix | undefined): number {
  if (points === undefined) return copies ?? 1;
  if (copies === undefined) return points.columns;
  throw new InvalidInputError(
    `The copies of the field are the ${points.columns} columns of the observations: leave 'copies' out.`,
  );
}

function neighborsFrom(given: unknown, points: Matrix | undefined): NeighborCount {
  if (points !== undefined) return neighborCount(given, points.rows, 'meu');
  if (given === undefined) return neighborCount(given, Infinity, 'meu');
  throw new InvalidInputError("meu of a graph takes its edges for neighbors: leave 'neighbors' out.");
}
