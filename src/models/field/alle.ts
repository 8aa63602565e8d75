import * as v from 'valibot';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix, type MatrixLike } from '../../core/matrix.ts';
import {
  dividedColumns,
  observationsFrom,
  scaleOption,
  standardizationOf,
  standardized,
} from '../../core/observations.ts';
import { checkOptions, numberAboveZero, type OptionsIn, typed } from '../../core/options.ts';
import { completed, lazily, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import { type Graph, incidentEdges } from '../../engine/graph/graph.ts';
import { knnGraph } from '../../engine/graph/index.ts';
import { nearestNeighbors } from '../../engine/neighbors/index.ts';
import { Nearest } from '../../engine/neighbors/nearest.ts';
import { squaredDistance } from '../../engine/neighbors/squaredDistance.ts';
import { bottomOfSparse } from '../../engine/sparse/bottomEigenpairs.ts';
import type { SparseSymmetric } from '../../engine/sparse/index.ts';
import { minimumDegreeOrder } from '../../engine/sparse/minimumDegree.ts';
import * as op from '../../engine/tensors/ops.ts';
import { type Ends, momentField } from '../../fields/embedding/fieldEmbedding.ts';
import type { PrecisionEntries } from '../../fields/solvers/momentProblem.ts';
import type { FieldLearning, Placing, Spectral } from '../../model/abilities.ts';
import { embedded, observed } from '../../model/language/variable.ts';
import { meanVariance } from '../../model/leastNoise.ts';
import type { AnyPaths, Model } from '../../model/model.ts';
import type { LearnedByLayer, Projection } from '../../model/posterior.ts';
import {
  checkVaried,
  inOrder,
  latentDimOption,
  presetOption,
  regularizationOption,
  savedSpectral,
} from '../spectral/embedding/options.ts';
import { readAs, readOutOptions, withVectors } from '../spectral/embedding/readOut.ts';
import {
  precisionOf,
  type ReconstructionFactor,
  reconstructionFactor,
} from '../spectral/neighborhood/localReconstruction.ts';
import { neighborCount } from '../spectral/neighborhood/neighborhood.ts';
import { isPoint, placeByEquation, placedRows, reconstructedRows } from '../spectral/placement/byWeights.ts';
import { fieldModel, overTable, rowField } from './fieldModel.ts';

export interface AlleOptions extends OptionsIn<typeof schema> {}

/** Default γ times the mean variance of the columns: entries of the precision have the unit of an inverse variance. */
const USUAL_BASE = 1e-4;

const schema = v.strictObject({
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  ...readOutOptions,
  /** Number k of nearest later points that reconstruct each point; default 7, or all others if there are fewer points. */
  neighbors: v.optional(typed<number>()),
  /** Fraction of the trace that is added to the diagonal of each local Gram matrix, or 'auto' (default): 1e-3 if D < k, otherwise 0. */
  regularization: regularizationOption<number | 'auto'>('auto'),
  /** γ > 0, added to the precision before its inverse is embedded; default 1e-4 over the mean variance of Y's columns. */
  basePrecision: v.optional(numberAboveZero),
  /**
   * Order of the points, a list of row numbers: a point is reconstructed from later ones. Default the order of the rows; with the preset, an order
   * with little fill-in.
   */
  order: v.optional(typed<readonly number[]>()),
  /**
   * Preset 'lawrence2012', which follows the author's program: each point is reconstructed from the pattern of a sparse Cholesky factor on the graph
   * of k nearest neighbors, including fill-in.
   */
  preset: presetOption,
  /**
   * Whether columns are divided by their standard deviations; 'auto', the default without a preset, divides if these differ by a factor of more than
   * ten. L and `basePrecision` then refer to the divided columns; densities are in the original units.
   */
  scale: v.optional(scaleOption),
});

/**
 * Acyclic locally linear embedding: LLE whose neighbors are later points only, so that M is triangular in that order and the
 * likelihood of the random field of precision L = MMᵀ factorizes exactly,
 *
 * field = Σ_i [D/2·log m_ii² − D/2·log 2π − ½·m_ii²·‖y_i − Σ_j w_ji·y_j‖²] with m_ii² = D/‖y_i − Σ_j w_ji·y_j‖²,
 *
 * over all points except the last, which has no term. The embedding is kernel PCA of (L + γI)⁻¹.
 *
 * `project` inserts a new point before all others in the order, which does not affect them: it is reconstructed from its k nearest points with m² =
 * D/‖residual‖², and placed at m²·Σ_j w_j·x_j/(m² − μ), μ = 1/eigenvalue − γ, by the eigenvector equation. Its `logDensity` is its contribution to
 * the likelihood. A row that equals a fitted point is mapped to that point's latents.
 *
 * The learned graph has the edges of L, with weights |L_ij|: it connects a point to its neighbors among later points, and these to each other. As M
 * has N − 1 independent columns and L·1 = 0, it is always connected.
 *
 * @summary acyclic locally linear embedding: a fast one-pass field
 * @param Y - N×D observations, their rows in a meaningful order, or with the option `order`
 * @param options - see {@link AlleOptions}
 * @returns a model for `fit`, with a closed-form maximum; its fit has `graph`, `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`
 * @throws InvalidInputError for observations that are not finite numbers, k ≥ N, an invalid order, and during the fit for a point that later ones
 * reconstruct exactly
 * @see Lawrence 2012, §2.7.4
 * @example
 * ```ts
 * const { latents, objective } = await fit(alle(Y, { neighbors: 6 }));
 * ```
 */
export function alle(
  Y: MatrixLike,
  options: AlleOptions = {},
): Model<AnyPaths, FieldLearning & Placing & Spectral, 'searched'> {
  const checked = withVectors(checkOptions(schema, options, 'alle'), options, 'alle');
  const { regularization, scale = checked.preset === undefined ? 'auto' : false } = checked;
  const raw = observationsFrom(Y, false, scale === true);
  checkVaried(raw, 'alle');
  const { points, deviation, unitsNote } = dividedColumns(raw, scale);
  const { k, note } = neighborCount(checked.neighbors, points.rows, 'alle');
  const graph = checked.preset === undefined ? undefined : knnGraph(points, k);
  const order =
    graph !== undefined && checked.order === undefined
      ? fillReducingOrder(graph)
      : orderFrom(checked.order, points.rows);
  const learned = lazily(() => {
    const parents = graph === undefined ? completed(laterNeighbors(points, k, order)) : filledParents(graph, order);
    return reconstructionFactor(centeredOf(points), parents, regularization, false);
  });
  const basePrecision = checked.basePrecision ?? USUAL_BASE / meanVariance(centeredOf(points));
  const known = { ...checked, neighbors: k, scale };
  const logUnits = deviation?.reduce((sum, own) => sum + log(own), 0) ?? 0;
  const field = rowField({
    // The factor of greatest density, in closed form.
    parameters: () => ({}),
    prepare: learned,
    logDensity: () => op.scalar(logLikelihood(learned(), points.columns) - (points.rows - 1) * logUnits),
    search: {
      findings: () => {
        const { graph: found } = momentField(...entriesOf(precisionOf(learned()), basePrecision));
        const message = `The likelihood is greatest for neighbors among later points. The learned graph has ${found.sources.length} edges and is connected.`;
        return { message };
      },
    },
    field: { learned: () => learnedFactor(learned(), points, basePrecision, known) },
  });
  const variables = () => {
    const y = observed(points, { density: overTable(field, { deviation }).density });
    return { y, x: embedded(y, { dim: checked.latentDim }) };
  };
  const model = fieldModel('alle', variables, {
    note: note + unitsNote,
    toJSON: () => savedSpectral('alle', raw, inOrder(schema, known)),
  });
  return readAs(model, checked.embedding);
}

type Checked = v.InferOutput<typeof schema>;

/** Learned field, with the out-of-sample extension of its eigenvectors. */
function learnedFactor(
  factor: ReconstructionFactor,
  points: Matrix,
  basePrecision: number,
  options: Checked & { readonly neighbors: number },
): LearnedByLayer {
  const { trace, ...precision } = precisionOf(factor);
  return {
    ...momentField(...entriesOf(precision, basePrecision)),
    embedding: (dim) => {
      const { values, vectors } = completed(bottomOfSparse(precision, dim, { trace }));
      const eigenvalues = values.map((value) => 1 / (value + basePrecision));
      const latents = vectors.map((entry, _, c) => entry * Math.sqrt(eigenvalues[c]!));
      const precisions = Array.from(eigenvalues, (value) => Math.max(0, 1 / value - basePrecision));
      return {
        latents,
        eigenvalues,
        placement: {
          observedColumns: points.columns,
          place: (rows: Matrix) => placedBefore(latents, precisions, points, rows, options),
        },
      };
    },
  };
}

const centeredOf = (points: Matrix) => standardized(points, standardizationOf(points, true, false));

/** Projection of rows that come before all points: see {@link alle}. */
function placedBefore(
  latents: Matrix,
  precisions: readonly number[],
  points: Matrix,
  rows: Matrix,
  { neighbors: k, regularization }: Checked & { readonly neighbors: number },
): Projection {
  const D = points.columns;
  const made = reconstructedRows(points, rows, k, regularization);
  const logDensity = Float64Array.from(made, ({ residual }) => 0.5 * D * (log(D / residual) - log(2 * Math.PI) - 1));
  const { latents: placed } = placedRows(rows, latents.columns, (_, i, place) => {
    const { neighbors, weights, residual } = made[i]!;
    if (isPoint(made[i]!)) place.set(latents.row(neighbors[0]!));
    else placeByEquation(latents, precisions, { neighbors, weights, own: D / residual }, place);
  });
  return { latents: placed, logDensity };
}

function logLikelihood({ diagonal, residuals }: ReconstructionFactor, D: number): number {
  let sum = 0;
  diagonal.forEach((m, i) => {
    if (m > 0) sum += D * log(m) - 0.5 * D * log(2 * Math.PI) - 0.5 * m * m * residuals[i]!;
  });
  return sum;
}

/** Entries of L + γI: its points, the pairs with nonzero entries, and the entries. */
function entriesOf({ pattern, values }: SparseSymmetric, base: number): [Ends, PrecisionEntries] {
  const { size, starts, rows } = pattern;
  const columns = new Int32Array(values.length);
  for (let j = 0; j < size; j++) columns.fill(j, starts[j], starts[j + 1]);
  const off = Int32Array.from(columns.keys()).filter((p) => columns[p] !== rows[p]);
  const diagonal = new Float64Array(size).fill(base);
  rows.forEach((i, p) => {
    if (i === columns[p]) diagonal[i]! += values[p]!;
  });
  return [
    { size, sources: off.map((p) => columns[p]!), targets: off.map((p) => rows[p]!) },
    { diagonal, edges: Float64Array.from(off, (p) => values[p]!) },
  ];
}

function orderFrom(order: unknown, N: number): readonly number[] {
  if (order === undefined) return Array.from({ length: N }, (_, i) => i);
  const given = Array.isArray(order) ? (order as readonly number[]) : [];
  const isOrder = given.length === N && [...given].sort((a, b) => a - b).every((entry, i) => entry === i);
  if (isOrder) return given;
  throw new InvalidInputError(
    `Option 'order' of alle must contain each of the points 0 … ${N - 1} once, but ${describe(order)} was given.`,
  );
}

/** Order of points with little fill-in in a Cholesky factor on their graph. */
export function fillReducingOrder(graph: Graph): readonly number[] {
  const { starts, others } = incidentEdges(graph);
  return Array.from(minimumDegreeOrder({ size: graph.size, starts, neighbors: others }));
}

/**
 * Pattern of a sparse Cholesky factor on a graph: for every point, its later neighbors in the order, and the fill-in, which connects later neighbors
 * of an earlier point. Each list is ascending.
 *
 * @see Lawrence 2012, §2.7.4, and its program; George & Liu 1981, ch. 5
 */
export function filledParents(graph: Graph, order: readonly number[]): Int32Array[] {
  const { starts, others } = incidentEdges(graph);
  const places = new Int32Array(order.length);
  order.forEach((i, place) => {
    places[i] = place;
  });
  const later = Array.from({ length: graph.size }, (_, i) => {
    const joined = others.subarray(starts[i]!, starts[i + 1]!);
    return new Set(joined.filter((j) => places[j]! > places[i]!));
  });
  for (const i of order) {
    // The first of them to come takes over the others, and hands them on in its turn.
    const [first, ...rest] = Array.from(later[i]!).sort((a, b) => places[a]! - places[b]!);
    for (const j of rest) later[first!]!.add(j);
  }
  return later.map((list) => Int32Array.from(list).sort());
}

/**
 * For every point, the k nearest of the later points in an order, with ties broken by index; fewer for the last k points.
 *
 * Each half of the order is searched separately, and then the second half for the nearest neighbors of points in the first: each point is searched in
 * log₂N trees. Pauses after each half.
 */
export function* laterNeighbors(Y: Matrix, k: number, order: readonly number[]): ProgressiveWork<Int32Array[]> {
  const { data, columns: D } = Y;
  const lists = order.map(() => new Int32Array(0));
  const nearest = new Nearest(k);
  const distances = new Float64Array(k);
  const offer = (i: number, j: number) => {
    const square = squaredDistance(data, i * D, j * D, D);
    if (square < nearest.worst || (square === nearest.worst && j < nearest.worstRow)) nearest.offer(square, j);
  };
  let done = 0;
  const search = function* (from: number, to: number): ProgressiveWork<void> {
    if (to - from < 2) return;
    const middle = (from + to) >> 1;
    yield* search(from, middle);
    yield* search(middle, to);
    const earlier = order.slice(from, middle);
    // By index: among equally near rows, the smallest index comes first.
    const later = order.slice(middle, to).sort((a, b) => a - b);
    const each = Math.min(k, later.length);
    const { indices } = nearestNeighbors(rowsOf(Y, later), each, { queries: rowsOf(Y, earlier) });
    earlier.forEach((i, place) => {
      const known = lists[i]!;
      for (const j of known) offer(i, j);
      for (let p = place * each; p < (place + 1) * each; p++) offer(i, later[indices[p]!]!);
      const list = new Int32Array(Math.min(k, known.length + each));
      nearest.drain(list, distances, 0);
      lists[i] = list;
    });
    done += to - from;
    yield done / (order.length * Math.ceil(log(order.length) / Math.LN2));
  };
  yield* search(0, order.length);
  return lists;
}
