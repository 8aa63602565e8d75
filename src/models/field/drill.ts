import * as v from 'valibot';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import {
  dividedColumns,
  observationsFrom,
  scaleOption,
  standardizationOf,
  standardized,
} from '../../core/observations.ts';
import { checkOptions, numberFromZero, type OptionsIn, typed } from '../../core/options.ts';
import { completed } from '../../core/progressiveWork.ts';
import { completeGraph, type Graph, knnGraph } from '../../engine/graph/index.ts';
import { nearestOf } from '../../engine/neighbors/nearest.ts';
import { squaredDistance } from '../../engine/neighbors/squaredDistance.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor1D } from '../../engine/tensors/tensorflow.ts';
import { dot } from '../../engine/vectors.ts';
import { edgeDistances } from '../../fields/density/edgeSquaredDistances.ts';
import { momentDensity, pointMoments } from '../../fields/density/momentDensity.ts';
import {
  checkBounded,
  checkSize,
  connectingPenalty,
  entriesIn,
  momentFindings,
  momentsSolver,
} from '../../fields/density/momentSearch.ts';
import { momentField } from '../../fields/embedding/fieldEmbedding.ts';
import { expectedMoments } from '../../fields/layers/expectedMoments.ts';
import { joiningEntries } from '../../fields/placement/joiningEntries.ts';
import { type MomentProblem, type PrecisionEntries, withInverse } from '../../fields/solvers/momentProblem.ts';
import type { FieldLearning, Placing, Spectral } from '../../model/abilities.ts';
import { embedded, observed } from '../../model/language/variable.ts';
import type { Model } from '../../model/model.ts';
import type { Parameter } from '../../model/parameter.ts';
import type { LearnedByLayer, Projection } from '../../model/posterior.ts';
import { doublyCentered, leadingEmbedding } from '../spectral/embedding/leadingEmbedding.ts';
import { checkVaried, inOrder, latentDimOption, presetOption, savedSpectral } from '../spectral/embedding/options.ts';
import { readAs, readOutOptions, withVectors } from '../spectral/embedding/readOut.ts';
import { disconnectedOption, neighborCount } from '../spectral/neighborhood/neighborhood.ts';
import { distancesTo, placeByEquation, placedRows } from '../spectral/placement/byWeights.ts';
import { type Candidates, connected, shownRows } from './candidates.ts';
import { fieldModel, overTable, rowField } from './fieldModel.ts';

export interface DrillOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  ...readOutOptions,
  /**
   * Number k of neighbors in the symmetrized k-nearest-neighbor graph of nonzero entries of Θ, or 'all' pairs; default 7, or all others if there are
   * fewer points.
   */
  neighbors: v.optional(typed<number | 'all'>()),
  /**
   * Penalty ρ ≥ 0; default a hundredth of the mean diagonal of S, or half of the smallest |S_ij| in the spanning tree of the largest ones if that is
   * less: the learned graph is then connected.
   */
  penalty: v.optional(numberFromZero),
  /** Treatment of a neighborhood graph with several components; default 'connect': join them by their shortest edges. */
  disconnected: disconnectedOption,
  /** Preset 'lawrence2012': settings of the paper's figures except those about the penalty, with default penalty 0. */
  preset: presetOption,
  /**
   * Whether columns are divided by their standard deviations; 'auto', the default without a preset, divides if these differ by a factor of more than ten. Θ
   * and `penalty` then refer to the divided columns.
   */
  scale: v.optional(scaleOption),
});

/** Default penalty as a fraction of the mean diagonal of S, if that keeps the graph connected. */
const USUAL_PENALTY = 0.01;

/** Number of copies that makes the layer's term equal the objective of the graphical lasso. */
const COPIES = 2;

/** Diagonal entries of the precision, and the attraction and repulsion of edges; `points` lists the fitted points, if they are a subset. */
type DrillPaths = {
  readonly [Path in 'field.diagonal' | 'field.attraction' | 'field.repulsion']: readonly number[];
} & { readonly [path: `points${string}`]: readonly number[] };

/**
 * Dimensionality reduction through regularization of the inverse covariance in the log likelihood: the graphical lasso across points,
 * field = log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij| with S = YcYcᵀ/D and Θ_ij = 0 without an edge, embedded by kernel PCA of Θ⁻¹.
 *
 * The solver's variables are `field.repulsion` b ≥ 0 and `field.attraction` a ≥ 0, with Θ_ij = b − a and one of them 0 at the maximum, and
 * `field.diagonal` Θ_ii.
 *
 * `project` connects a new point to its k nearest points by an additional row θ of Θ that maximizes the same objective with Θ fixed, and places it by
 * the eigenvector equation; its `logDensity` is the density of its observations conditional on its neighbors'. A row that equals a fitted point is
 * mapped to that point's latents.
 *
 * A neighborhood graph with several components is connected by their shortest edges, and with the default penalty the learned graph is connected in
 * any unit: see `penalty` and `disconnected`.
 *
 * @summary sparse inverse covariance between points, with a penalty
 * @remarks An evaluation needs N×N matrices. `meu` learns a graph of neighbors without them.
 * @param Y - N×D observations
 * @param options - see {@link DrillOptions}
 * @returns a model for `fit` and `evaluate`; its fit has `graph` (with weights |Θ_ij|), `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`
 * @throws InvalidInputError for observations that are not finite numbers, k ≥ N, more than 12 000 points, or at penalty 0 points and pairs of
 * neighbors together; for a point at the mean of all points, whose precision would be unbounded; and for penalty 0 if more than D points, or all, are
 * neighbors of each other, which makes the density unbounded
 * @throws NumericalError if more than 12 000 entries of the precision become nonzero during a fit
 * @see Lawrence 2012, §3
 * @example
 * ```ts
 * const result = await fit(drill(Y, { neighbors: 20, penalty: 0.01 }));
 * ```
 */
export function drill(
  Y: MatrixLike,
  options: DrillOptions = {},
): Model<DrillPaths, FieldLearning & Placing & Spectral, 'searched'> {
  const asked = withVectors(checkOptions(schema, options, 'drill'), options, 'drill');
  const { scale = asked.preset === undefined ? 'auto' : false } = asked;
  const raw = observationsFrom(Y, false, scale === true);
  const { points, deviation, unitsNote } = dividedColumns(raw, scale);
  checkVaried(points, 'drill');
  const few =
    asked.neighbors === 'all' ? { k: 'all' as const, note: '' } : neighborCount(asked.neighbors, points.rows, 'drill');
  const checked = { ...asked, neighbors: few.k, scale };
  checkSize({ size: points.rows, covariances: new Float64Array(0), penalty: 1 });
  const { graph, shown, notes } = neighborsOf(points, checked);
  const fitted = shownRows(points, shown);
  const secondMoments = momentsOf(fitted, graph);
  const layer = expectedMoments({
    graph,
    secondMoments,
    copies: COPIES,
    penalty: penaltyOf(checked, graph, secondMoments),
  });
  const { parameters } = layer;
  const problem = layer.problem!;
  checkSize(problem);
  if (problem.penalty === 0) checkBounded(graph, fitted.columns);
  const { diagonal, attraction, repulsion } = parameters as Readonly<Record<string, Parameter>>;
  const field = rowField({
    parameters: () => ({ diagonal: diagonal!, attraction: attraction!, repulsion: repulsion! }),
    logDensity: (p) => {
      const own = p as Readonly<Record<'diagonal' | 'attraction' | 'repulsion', Tensor1D>>;
      const variances = op.tensor(problem.variances) as Tensor1D;
      const covariances = op.tensor(problem.covariances) as Tensor1D;
      return momentDensity(own, { variances, covariances }, problem, problem.penalty, COPIES);
    },
    // Where entries are strongly coupled first-order steps crawl, while Newton's method takes a few steps from anywhere.
    search: {
      settings: { solver: momentsSolver(problem, scaleOf(problem)), tolerance: 0, relativeDecrease: 0 },
      findings: (p) => momentFindings(problem, entriesIn(p)),
    },
    field: { learned: (p) => learnedMoments(problem, entriesIn(p), checked, fitted) },
  });
  const variables = () => {
    const { density, points: listed } = overTable(field, { shown, deviation });
    const y = observed(fitted, { density });
    return { y, x: embedded(y, { dim: checked.latentDim }), ...listed };
  };
  const model = fieldModel('drill', variables, {
    note: few.note + notes + unitsNote,
    toJSON: () => savedSpectral('drill', raw, inOrder(schema, checked)),
  });
  return readAs(model, checked.embedding);
}

/** Candidate pairs with nonzero entries, in one component. */
function neighborsOf(points: Matrix, { neighbors, disconnected }: Checked): Omit<Candidates, 'squaredDistances'> {
  if (neighbors === 'all') return { graph: completeGraph(points.rows), notes: '' };
  const graph = knnGraph(points, neighbors as number);
  const edges = { graph, squaredDistances: edgeDistances(points, graph) };
  const { data, columns: D } = points;
  return connected(edges, disconnected, 'drill', points, (i, j) => squaredDistance(data, i * D, j * D, D));
}

function penaltyOf(
  { penalty, preset }: Checked,
  graph: Graph,
  { variances, covariances }: ReturnType<typeof pointMoments>,
): number {
  if (penalty !== undefined) return penalty;
  if (preset !== undefined) return 0;
  const mean = variances.reduce((sum, variance) => sum + variance, 0) / graph.size;
  return Math.min(USUAL_PENALTY * mean, connectingPenalty(graph, covariances));
}

type Checked = v.InferOutput<typeof schema>;

/** Scales of the layer's parameters: 1/S_ii for the diagonal of Θ, and 1/√(S_ii·S_jj) for the two parts of its other entries. */
function scaleOf({ variances, sources, targets }: MomentProblem): Float64Array {
  const own = variances.map((variance) => 1 / variance);
  const across = Array.from(sources, (i, e) => Math.sqrt(own[i]! * own[targets[e]!]!));
  return Float64Array.from([...own, ...across, ...across]);
}

/** Diagonal and edge entries of S = YcYcᵀ/D. */
function momentsOf(points: Matrix, graph: Graph) {
  const centered = standardized(points, standardizationOf(points, true, false));
  const moments = pointMoments(centered, graph, points.columns);
  const { variances } = moments;
  const mean = variances.reduce((sum, variance) => sum + variance, 0) / graph.size;
  const atMean = variances.findIndex((variance) => !(variance > Number.EPSILON * mean));
  if (atMean >= 0) {
    throw new InvalidInputError(
      `Point index ${atMean} is at the mean of all points, so nothing bounds its precision. Leave it out, or add a column that differs from the mean there.`,
    );
  }
  return moments;
}

function learnedMoments(
  problem: MomentProblem,
  entries: PrecisionEntries,
  { neighbors }: Checked,
  points: Matrix,
): LearnedByLayer {
  const learned = momentField(problem, entries);
  const k = neighbors === 'all' ? problem.size : (neighbors as number);
  return {
    ...learned,
    embedding: (dim) => {
      const { latents, eigenvalues } = completed(
        leadingEmbedding(doublyCentered(learned.field.covariance(), 1), dim, 'drill'),
      );
      const { penalty } = problem;
      const place = (rows: Matrix) =>
        withInverse(problem, entries, (_, W) =>
          placedByMoments({ latents, eigenvalues, covariances: W, penalty }, points, rows, k),
        );
      return {
        latents,
        eigenvalues,
        placement: { observedColumns: points.columns, place },
      };
    },
  };
}

interface MomentEmbedding {
  readonly latents: Matrix;
  readonly eigenvalues: Float64Array;
  /** W = Θ⁻¹, N×N */
  readonly covariances: Float64Array;
  readonly penalty: number;
}

/**
 * Projection of rows connected by {@link joiningEntries}. Columns x = √λ·v of HWHv = λv satisfy Wv = λv + c·1, c the mean of Wv, and so Θv = μ(v − c·Θ1),
 * μ = 1/λ, whose row for the new point determines its position.
 */
function placedByMoments(
  { latents, eigenvalues, covariances: W, penalty }: MomentEmbedding,
  points: Matrix,
  rows: Matrix,
  k: number,
): Projection {
  const { rows: N, columns: D } = points;
  const q = latents.columns;
  const standardization = standardizationOf(points, true, false);
  const Y = standardized(points, standardization);
  const centered = standardized(rows, standardization);
  const precisions = eigenvalues.map((value) => 1 / value);
  const constant = new Float64Array(q);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) {
      for (let c = 0; c < q; c++) constant[c]! -= (precisions[c]! * W[i * N + j]! * latents.data[j * q + c]!) / N;
    }
  }
  const distancesOf = distancesTo({ points, input: 'points' });
  const logDensity = new Float64Array(rows.rows);
  const { latents: placed } = placedRows(rows, q, (row, i, place) => {
    const distances = distancesOf(row, i);
    const neighbors = nearestOf(distances, k);
    const y = centered.row(i);
    const moment = (j: number) => dot(y, Y.row(j)) / D;
    const variance = dot(y, y) / D;
    const { entries, own } = joiningEntries({
      covariances: Float64Array.from(
        { length: k * k },
        (_, p) => W[neighbors[Math.floor(p / k)]! * N + neighbors[p % k]!]!,
      ),
      variance,
      moments: Float64Array.from(neighbors, moment),
      penalty,
    });
    const weights = entries.map((entry) => -entry / own);
    logDensity[i] = logDensityOf(y, Y, neighbors, weights, own);
    if (distances[neighbors[0]!] === 0) place.set(latents.row(neighbors[0]!));
    else placeByEquation(latents, precisions, { neighbors, weights, own }, place, constant);
  });
  return { latents: placed, logDensity };
}

/** Log density of a centered row whose entries have mean Σ_j w_j·y_j and precision t. */
function logDensityOf(y: Float64Array, Y: Matrix, neighbors: Int32Array, weights: Float64Array, own: number): number {
  const difference = y.slice();
  neighbors.forEach((j, a) => {
    Y.row(j).forEach((entry, d) => {
      difference[d]! -= weights[a]! * entry;
    });
  });
  if (own === Infinity) return Infinity;
  return 0.5 * (y.length * log(own / (2 * Math.PI)) - own * dot(difference, difference));
}
