import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { dividedColumns, type ScaleOption, scaleOption } from '../../core/observations.ts';
import { checkOptions, missingOption, numberAboveZero, type OptionsIn, typed } from '../../core/options.ts';
import { differencesAlong } from '../../fields/constraints.ts';
import { connectingPrecision, observedConnectingPrecision } from '../../fields/density/connectingPrecision.ts';
import { maxEntropy } from '../../fields/maxEntropy.ts';
import { embedded, observed } from '../../model/language/variable.ts';
import type { LearnedField } from '../../model/posterior.ts';
import { latentDimOption, savedSpectral, slackPenaltyOption } from '../spectral/embedding/options.ts';
import { fieldReadOut, fieldReadOutOption, readAs, withVectors } from '../spectral/embedding/readOut.ts';
import { type GraphInput, graphOptions, savedInput } from '../spectral/neighborhood/graphInput.ts';
import { disconnectedOption, type NeighborCount, neighborCount } from '../spectral/neighborhood/neighborhood.ts';
import { type Candidates, candidatesOf, pointsOf, shownRows, subgraph } from './candidates.ts';
import { squaredDistances } from './distances.ts';
import {
  checkDimensions,
  type FieldModel,
  fieldModel,
  overTable,
  startingAt,
  startOption,
  type UnplacedFieldModel,
} from './fieldModel.ts';

export interface MeuOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  ...graphOptions,
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  /** Number k of neighbors in the symmetrized k-nearest-neighbor graph whose edges have constraints; default 7, or all others if there are fewer points. */
  neighbors: v.optional(typed<number>()),
  /**
   * γ > 0; default 2D/(N·φ*) with φ* the longest edge of the minimum spanning tree of the edges with constraints, which keeps the learned graph
   * connected in any unit of the observations. A missing entry counts by its largest possible difference within the range of its column.
   */
  basePrecision: v.optional(numberAboveZero),
  /** C > 0, which bounds all weights by 4C; default Infinity, in JSON the string 'Infinity'. */
  slackPenalty: slackPenaltyOption,
  /** Treatment of a neighborhood graph with several components; default 'connect': join them by their shortest edges. */
  disconnected: disconnectedOption,
  /** Number of copies c of the field; default the number of columns, and 1 for precomputed distances. */
  copies: v.optional(numberAboveZero),
  /** Treatment of missing entries (NaN): 'ignore' maximizes the density of the observed entries; by default they are an error. */
  missing: missingOption,
  /**
   * Whether columns are divided by their standard deviations for the distances; 'auto', the default, divides if these differ by a factor of more than
   * ten. Weights, `basePrecision` and `slackPenalty` then refer to the divided columns; results about observations are in the original units.
   */
  scale: v.optional(scaleOption, 'auto'),
  /** Method of reading latents off the field; default 'kernelPca'. For spectral clustering `{ vectors: k, rows: 'unit' }`. */
  embedding: fieldReadOutOption,
  /** Initial weights, such as the graph of a fit with another base precision; default none. */
  start: startOption,
});

/**
 * Maximum entropy unfolding: the maximum entropy Gaussian random field over points with expected squared distances between neighbors equal to the
 * observed ones, and attractive weights: max D/2·log|L(w) + γI| − ½·Σ w_e·‖y_i − y_j‖² over w ≥ 0, and its
 * embedding by kernel PCA of the covariance.
 *
 * `project` connects a new point to its k nearest points by the weights w ≥ 0 that maximize the same objective with one more point, everything else
 * fixed, and places it at x_* = Σ_j w_j·x_j/(Σ_j w_j − μ), μ = 1/eigenvalue − γ, by the eigenvector equation; `reconstruct` returns its mean
 * conditional on its neighbors, (γ'·mean + Σ_j w_j·y_j)/(γ' + Σ_j w_j), γ' = γN/(N + 1). Both ignore missing entries (NaN) of new points.
 *
 * With `missing: 'ignore'` the columns of Y, copies of the field, may have missing entries (NaN): the density of the observed entries is maximized,
 * by its gradient D/2·R_e − ½·E[‖y_i − y_j‖² | observed entries] with the curvature of EM; `impute(Y)` then predicts the missing ones, for each
 * column from a field fitted to other columns, with at most ten fits in all: a field fitted to the column itself would have intervals that are too
 * narrow. Neighbors have the least mean squared difference over common entries. Without missing entries the density has a single maximum, which a fit
 * reaches from any start (so `restarts` are useless); with them it may have several.
 *
 * Equal points (with C = ∞) are tied: they count as one node and share one position.
 *
 * @summary maximum entropy unfolding: keeps distances to neighbors, learns the graph; fills in missing entries
 * @param Y - N×D observations; or `{ graph, squaredDistances }`, precomputed distances of pairs of neighbors
 * @param options - see {@link MeuOptions}
 * @returns a model for `fit` and `evaluate`; its fit has `graph`, `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`
 * @throws InvalidInputError for observations that are not finite numbers, points that are all equal, k ≥ N, and rows without entries in common with k others
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
  const input = savedInput(Y, saved);
  const rows = points && shownRows(points, shown);
  /** Model of a subset of the fitted rows and columns. */
  const modelOf = (chosen: readonly number[], columns: readonly number[]) =>
    meu(Matrix.from(chosen.map((i) => columns.map((d) => rows!.at(i, d)))), {
      ...saved,
      ...(saved.graph && subgraph(candidates, chosen)),
      ...({ latentDim: 1, embedding: 'kernelPca', scale: false, disconnected: 'connect' } as const),
    });
  const imputing =
    (byField: LearnedField['impute']): LearnedField['impute'] =>
    async (...asked) => {
      const { imputedAcross } = await import('./imputedAcross.ts');
      return imputedAcross({ table: shownRows(raw!, shown), byField, modelOf }, ...asked);
    };
  const hasHoles = copies > 1 && rows?.data.some(Number.isNaN);
  const variables = () => {
    const field = maxEntropy({
      base: saved.basePrecision ?? baseOf(candidates, rows, copies),
      copies,
      slack,
      expect: { weights: differencesAlong(graph, expected) },
      ...startingAt(start, graph, slack, 'meu'),
      newRows: { neighbors },
    });
    const { density, points: listed } = overTable(field, { shown, deviation, ...(hasHoles && { imputing }) });
    if (rows === undefined) return { x: embedded(density, { dim, by }), ...listed };
    const y = observed(rows, { density, missing: 'ignore', center: false });
    return { y, x: embedded(y, { dim, by }), ...listed };
  };
  const model = fieldModel('meu', variables, {
    note: (saved.graph === undefined ? note : '') + notes + unitsNote,
    toJSON: () => savedSpectral('meu', raw ?? Matrix.zeros(0, 0), { ...saved, ...input }),
  });
  return readAs(model, readOut) as UnplacedFieldModel;
}

/** Base precision that keeps the learned graph connected. */
function baseOf({ graph, squaredDistances: expected }: Candidates, rows: Matrix | undefined, copies: number): number {
  if (rows?.data.some(Number.isNaN)) return observedConnectingPrecision(rows, graph);
  return connectingPrecision(graph, expected, copies);
}

/** Observations in the form used for distances. */
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
