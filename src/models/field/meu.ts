import * as tf from '@tensorflow/tfjs-core';
import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { dividedColumns, type ScaleOption, scaleOption } from '../../core/observations.ts';
import { checkOptions, missingOption, numberAboveZero } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { knnGraph } from '../../engine/graph/index.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import type { Save } from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor } from '../../engine/tensors/tensorflow.ts';
import { connectingPrecision, observedConnectingPrecision } from '../../fields/density/connectingPrecision.ts';
import { type CurvedField, curvedField } from '../../fields/density/curvedField.ts';
import { edgeDistances } from '../../fields/density/edgeSquaredDistances.ts';
import { supportOf } from '../../fields/embedding/fieldEmbedding.ts';
import {
  commonEntriesGraph,
  commonSquaredDistance,
  observedSquaredDistances,
} from '../../fields/observed/commonEntries.ts';
import { imputedByField, laplacianTerms } from '../../fields/observed/imputedByField.ts';
import { observedCurvature, observedField } from '../../fields/observed/observedField.ts';
import { type FieldProblem, kktResidual, weightScales } from '../../fields/solvers/fieldProblem.ts';
import { boundedNewton } from '../../inference/solvers/boundedNewton.ts';
import { box } from '../../model/parameter.ts';
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
import { connected, edgesBeside, edgesFrom, pointsOf, shownRows, tied } from './candidates.ts';
import {
  checkDimensions,
  embeddedField,
  type FieldModel,
  type FieldParts,
  type FieldStart,
  fieldFindings,
  fieldModel,
  learnedField,
  startOption,
  type UnplacedFieldModel,
  weightsIn,
} from './fieldModel.ts';

export interface MeuOptions extends GraphOptions {
  /** q, from 1; default 2. */
  readonly latentDim?: number;
  /** k of the symmetrized k-nearest-neighbor graph whose edges have constraints; default 7, or all others of fewer points. */
  readonly neighbors?: number;
  /**
   * γ > 0; unless given 2D/(N·φ*), φ* the longest edge of the minimum spanning tree of the edges that have constraints: the learned graph
   * is then connected, whatever the unit of the observations. With missing entries, what is not observed counts as far as its column reaches.
   */
  readonly basePrecision?: number;
  /** C > 0: weights are at most 4C; default Infinity, for which the string 'Infinity' stands in JSON. */
  readonly slackPenalty?: number | 'Infinity';
  /** Treatment of a neighborhood graph with several components; default 'connect': join them by their shortest edges. */
  readonly disconnected?: Disconnected;
  /** c, how many copies of the field distances from elsewhere are of; default 1, and the number of columns for observations. */
  readonly copies?: number;
  /**
   * What to do about missing entries (NaN) of the observations: without it they are an error; with 'ignore' the density of those that are
   * observed is maximized.
   */
  readonly missing?: 'ignore';
  /**
   * Whether distances are those of columns divided by their standard deviations; 'auto', the default, divides where these differ by more than ten times. Weights,
   * `basePrecision` and `slackPenalty` are then those of the divided columns; results about observations are in their own units.
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
  const checked = withVectors(checkOptions(schema, options, 'meu'), options, 'meu');
  const { method, readOut } = fieldReadOut(checked.embedding);
  // The start of the search is not needed once it has ended.
  const { start: _, basePrecision: given, ...saved } = checked;
  const { slackPenalty, disconnected, missing } = checked;
  const raw = pointsOf(Y, missing === 'ignore', checked.scale === true);
  const { points, deviation, unitsNote } = columnsOf(raw, checked);
  const copies = copiesOf(checked.copies, points);
  const { k: neighbors, note } = neighborsFrom(checked.neighbors, points);
  const isHoled = points?.data.some(Number.isNaN) === true;
  const edges =
    points === undefined ? edgesFrom(Y as GraphInput, 'meu') : candidatesOf(points, neighbors, isHoled, checked);
  const distance = (i: number, j: number) => commonSquaredDistance(points!, i, j);
  const joined = connected(edges, disconnected, 'meu', points, distance);
  const candidates = tied(joined, slackPenalty, copies);
  const shown = points === undefined ? undefined : shownRows(points, candidates.shown);
  const connecting = () =>
    isHoled
      ? observedConnectingPrecision(shown!, candidates.graph)
      : connectingPrecision(candidates.graph, candidates.squaredDistances, copies);
  const basePrecision = given ?? connecting();
  const kept = isHoled ? basePrecision : given;
  const written = { ...saved, ...(kept !== undefined && { basePrecision: kept }), ...savedInput(Y, checked) };
  const parts = {
    ...checked,
    ...candidates,
    embedding: method,
    notes: checked.graph === undefined ? note + candidates.notes : candidates.notes,
    deviation,
    unitsNote,
    basePrecision,
    connectingPrecision: connecting,
    name: 'meu',
    copies,
    neighbors,
    density: true,
    toJSON: () => savedSpectral('meu', raw ?? Matrix.zeros(0, 0), written),
  };
  if (isHoled) {
    // Points that agree wherever both are observed are held together by a weight with a bound: nothing else would bound it.
    const { weightBound } = candidates;
    const bounded = weightBound === undefined ? {} : { slackPenalty: weightBound / 4, ties: [] };
    return readAs(observedFieldModel({ ...parts, observations: shown!, ...bounded }), readOut);
  }
  const placing = shown !== undefined && { observations: shown, distancesTo: observedSquaredDistances(shown) };
  return readAs(fieldModel({ ...parts, ...placing }), readOut);
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

function candidatesOf(points: Matrix, neighbors: number, isHoled: boolean, given: GraphOptions) {
  if (given.graph !== undefined) {
    return edgesBeside(points, given, 'meu', (i, j) => commonSquaredDistance(points, i, j));
  }
  if (isHoled) return commonEntriesGraph(points, neighbors);
  const graph = knnGraph(points, neighbors);
  return { graph, squaredDistances: edgeDistances(points, graph) };
}

/**
 * The model of {@link fieldModel} for copies with missing entries (NaN): it maximizes the density of the observed ones by its own gradient,
 * with the curvature that the field has at the expected distances. A step is therefore one of EM's, whose M-step is a single Newton step,
 * halved until the density of what is observed rises. Where that density is concave, as about a maximum, steps are Newton's: see {@link observedCurvature}.
 *
 * @param parts - `observations` with missing entries; `squaredDistances` a first guess from common entries, none of them 0 where C = ∞
 */
function observedFieldModel(parts: FieldParts & { readonly observations: Matrix }): UnplacedFieldModel {
  const { graph, squaredDistances, basePrecision, copies, slackPenalty, observations } = parts;
  checkDimensions(parts);
  const { size, sources, targets } = graph;
  const upper = 4 * slackPenalty;
  const first: FieldProblem = { size, sources, targets, squaredDistances, basePrecision, copies, upper };
  const scale = weightScales(first);
  /** Weights for which all edges together meet their constraints on average: Σ w_e·R_e = N − 1 nearly. */
  const start = Array.from(scale, (weight) => (weight * (size - 1)) / sources.length);
  return embeddedField({
    ...parts,
    density: {
      parameters: () => ({ weights: box(0, upper, start, { scale }) }),
      prepare: (): ObservedConstants => {
        const curved = curvedField(graph);
        const evaluate = lazily(() => observedField(observations, graph, curved, basePrecision));
        return { curved, evaluate, dispose: curved.dispose };
      },
      logDensity: ({ weights }, _, { constants }) =>
        observedDensity(weights!, (constants as ObservedConstants).evaluate(), copies),
      search: { solver: boundedNewton({ unit: copies / 2 }), tolerance: 0, relativeDecrease: 0 },
      curvature: ({ weights }, constants) => {
        const complete = (constants as ObservedConstants).curved.curvature(weights!, basePrecision, copies);
        return observedCurvature(complete, observations, graph, weights!, basePrecision);
      },
      findings: (p, constants) => {
        const weights = weightsIn(p);
        const { resistances, expectedDistances } = (constants as ObservedConstants).evaluate()(weights);
        const residual = kktResidual({ ...first, squaredDistances: expectedDistances }, weights, resistances);
        const given = ' for the distances expected given the observed entries';
        return fieldFindings(parts, supportOf(graph, weights), residual, given);
      },
      field: (p) => {
        const learned = supportOf(graph, weightsIn(p));
        const completed = imputedByField(laplacianTerms(learned, basePrecision), observations).mean;
        const distancesTo = observedSquaredDistances(completed);
        return learnedField({ ...parts, observations: completed, distancesTo }, learned);
      },
    },
  });
}

interface ObservedConstants {
  readonly curved: CurvedField;
  readonly evaluate: () => ReturnType<typeof observedField>;
  dispose(): void;
}

function observedDensity(weights: Tensor, evaluate: ReturnType<typeof observedField>, copies: number): Scalar {
  return tf.customGrad((...args: unknown[]) => {
    const [w, save] = args as [Tensor, Save];
    const { value, resistances, expectedDistances } = evaluate(doublesOf(w));
    save([op.tensor(resistances.map((R, e) => 0.5 * (copies * R - expectedDistances[e]!)))]);
    const gradFunc = (dy: Tensor, [gradient]: Tensor[]) => op.mul(gradient!, dy);
    return { value: op.scalar(value), gradFunc };
  })(weights) as Scalar;
}
