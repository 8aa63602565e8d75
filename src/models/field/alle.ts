import * as v from 'valibot';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { completed, once, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { imputedByField } from '../../fields/observed/imputedByField.ts';
import type { FieldLearning, Placing, Spectral } from '../../model/abilities.ts';
import { stage } from '../../model/computation.ts';
import { type ComputedModel, defineComputedModel, type Found } from '../../model/computedModel.ts';
import type { Projection } from '../../model/posterior.ts';
import { supportGraph } from '../../numerics/graph/edges.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import { knnGraph } from '../../numerics/graph/index.ts';
import { bottomOfSparse } from '../../numerics/sparse/bottomOfSparse.ts';
import {
  analyse,
  factorise,
  type SparseSymmetric,
  type SparseTerms,
  solve,
  sparseSymmetric,
} from '../../numerics/sparse/index.ts';
import { dot } from '../../numerics/vectors.ts';
import { checkVaried } from '../spectral/embedding/checkVaried.ts';
import {
  latentDimOption,
  numberAboveZero,
  regularizationOption,
  savedSpectral,
} from '../spectral/embedding/options.ts';
import { type Preset, presetOption } from '../spectral/embedding/preset.ts';
import { type ReadOutOptions, readAs, readOutOption, withVectors } from '../spectral/embedding/readOut.ts';
import {
  precisionOf,
  precisionTerms,
  type ReconstructionFactor,
  reconstructionFactor,
} from '../spectral/neighbourhood/localReconstruction.ts';
import { neighbourCount } from '../spectral/neighbourhood/usualNeighbours.ts';
import { placeByEquation } from '../spectral/placement/byEquation.ts';
import { isPoint, reconstructedRows } from '../spectral/placement/byReconstruction.ts';
import { placedRows } from '../spectral/placement/newRows.ts';
import { filledParents, fillReducingOrder } from './filledParents.ts';
import { laterNeighbours } from './laterNeighbours.ts';

export interface AlleOptions extends ReadOutOptions {
  /** q, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** k: each point is reconstructed from the k nearest of the points that come after it; 7 unless given, or all others of fewer points. */
  readonly neighbours?: number;
  /** Part of the trace added to the diagonal of each local Gram matrix, or 'auto' (unless given): 1e-3 where D < k, 0 elsewhere. */
  readonly regularization?: number | 'auto';
  /** γ > 0, added to the precision before its inverse is embedded; 1e-4 over the mean variance of Y's columns unless given. */
  readonly basePrecision?: number;
  /** The points in the order that says which come after which; their own order unless given, with the preset one that leaves little fill. */
  readonly order?: readonly number[];
  /**
   * 'lawrence2012', as the author's program: each point is reconstructed from the pattern of a sparse Cholesky factor on the graph of k nearest
   * neighbours, fill included.
   */
  readonly preset?: Preset;
}

/** γ times the mean variance of the columns, unless given: entries of the precision have the unit of one over a variance. */
const USUAL_BASE = 1e-4;

const schema = v.strictObject({
  latentDim: latentDimOption,
  embedding: readOutOption,
  neighbours: v.optional(v.any()),
  regularization: regularizationOption<number | 'auto'>('auto'),
  basePrecision: v.optional(numberAboveZero),
  order: v.optional(v.any()),
  preset: presetOption,
});

/**
 * Acyclic locally linear embedding: LLE whose neighbours are later points only, so that M is triangular in that order and the
 * likelihood of the random field of precision L = MMᵀ factorises exactly,
 *
 * field = Σ_i [D/2·log m_ii² − D/2·log 2π − ½·m_ii²·‖y_i − Σ_j w_ji·y_j‖²] with m_ii² = D/‖y_i − Σ_j w_ji·y_j‖²,
 *
 * over all points but the last, which nothing is said of. The embedding is kernel PCA of (L + γI)⁻¹.
 *
 * `project` takes a new point to come before all others in the order, which changes nothing for them: it is reconstructed from its k nearest
 * points with m² = D/‖residual‖², and placed at m²·Σ_j w_j·x_j/(m² − μ), μ = 1/eigenvalue − γ, by the eigenvectors' own equation. Its
 * `logDensity` is what it adds to the likelihood. A row that is a point of the fit lands on its latents.
 *
 * The learned graph joins the points that L does, with |L_ij| as weight: a point to its neighbours among later ones, and these to each
 * other. As M has N − 1 independent columns and L·1 = 0, it is always connected.
 *
 * @param Y - N×D observations, their rows in a meaningful order, or with `order`
 * @param options - see {@link AlleOptions}
 * @returns a model in closed form for `fit`; its fit has `graph`, `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`
 * @throws InvalidInputError for observations that are not finite numbers, k ≥ N, an order that is not one, and, when it is fitted, a point that
 * later ones reconstruct exactly
 * @see Lawrence 2012, §2.7.4
 * @example
 * ```ts
 * const { latents, objective } = await fit(alle(Y, { neighbours: 6 }));
 * ```
 */
export function alle(Y: MatrixLike, options: AlleOptions = {}): ComputedModel<FieldLearning & Placing & Spectral> {
  const checked = withVectors(checkOptions(schema, options, 'alle'), options, 'alle');
  const { regularization } = checked;
  const points = observationsFrom(Y);
  checkVaried(points, 'alle');
  const { k, note } = neighbourCount(checked.neighbours, points.rows, 'alle');
  const graph = checked.preset === undefined ? undefined : knnGraph(points, k);
  const order =
    graph !== undefined && checked.order === undefined
      ? fillReducingOrder(graph)
      : orderFrom(checked.order, points.rows);
  const factor = once(function* () {
    const parents = graph === undefined ? yield* laterNeighbours(points, k, order) : filledParents(graph, order);
    return reconstructionFactor(centredOf(points), parents, regularization, false);
  });
  const basePrecision = checked.basePrecision ?? USUAL_BASE / meanVariance(points);
  return readAs(
    defined({ points, k, note, factor, basePrecision, checked: { ...checked, neighbours: k } }),
    checked.embedding,
  );
}

interface AlleData {
  readonly points: Matrix;
  readonly k: number;
  /** A sentence about k. */
  readonly note: string;
  /** The factor of the precision, found once. */
  readonly factor: () => ProgressiveWork<ReconstructionFactor>;
  readonly basePrecision: number;
  readonly checked: v.InferOutput<typeof schema>;
}

const defined = defineComputedModel({
  name: 'alle',
  solve: function* ({ points, note, factor: factorOf, basePrecision, checked: { latentDim } }: AlleData) {
    const factor = yield* stage('neighbours', factorOf());
    const { trace, ...precision } = precisionOf(factor);
    const { values, vectors } = yield* stage('eigenvectors', bottomOfSparse(precision, latentDim, { trace }));
    const eigenvalues = values.map((value) => 1 / (value + basePrecision));
    const latents = new Matrix(
      vectors.data.map((entry, index) => entry * Math.sqrt(eigenvalues[index % latentDim]!)),
      points.rows,
      latentDim,
    );
    const objective = logLikelihood(factor, points.columns);
    return {
      latents,
      eigenvalues,
      objective,
      terms: { field: objective },
      message: `Closed form: the maximum of the likelihood for neighbours among later points. ${described(fieldGraph(precision))}${note}`,
    };
  },
  posterior: (found, data) => {
    const { basePrecision } = data;
    const terms = () => precisionTerms(completed(data.factor()));
    const precision = () => withBase(terms(), basePrecision);
    return {
      placement: {
        acceptsMissing: false,
        observedColumns: data.points.columns,
        place: (given: Matrix) => placedBefore(found, data, given),
      },
      graph: fieldGraph(precisionOf(completed(data.factor()))),
      field: {
        precision: () => denseOf(precision()),
        covariance: () => inverseOf(precision()),
        impute: (columns: Matrix) => imputedByField(precision(), columns),
      },
    };
  },
  toJSON: ({ points, checked }) => savedSpectral('alle', points, checked),
});

const centredOf = (points: Matrix) => standardized(points, standardizationOf(points, true, false));

/** Of the columns; 1 where all points are the same, which is refused later. */
function meanVariance(points: Matrix): number {
  const { data } = centredOf(points);
  return dot(data, data) / data.length || 1;
}

/** Rows that come before all points: see {@link alle}. */
function placedBefore(
  { latents, eigenvalues }: Found,
  { points, k, basePrecision, checked: { regularization } }: AlleData,
  rows: Matrix,
): Projection {
  const precisions = Array.from(eigenvalues, (value) => Math.max(0, 1 / value - basePrecision));
  const D = points.columns;
  const made = reconstructedRows(points, rows, k, regularization);
  const logDensity = Float64Array.from(made, ({ residual }) => 0.5 * D * (log(D / residual) - log(2 * Math.PI) - 1));
  const { latents: placed } = placedRows(rows, latents.columns, (_, i, place) => {
    const { neighbours, weights, residual } = made[i]!;
    if (isPoint(made[i]!)) place.set(latents.row(neighbours[0]!));
    else placeByEquation(latents, precisions, { neighbours, weights, own: D / residual }, place);
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

/** The pairs whose entry of the precision is not 0, with its modulus as weight. */
function fieldGraph({ pattern, values: entries }: SparseSymmetric): Graph {
  const { size } = pattern;
  const sources = new Int32Array(entries.length);
  for (let j = 0; j < size; j++) sources.fill(j, pattern.starts[j], pattern.starts[j + 1]);
  const off = Int32Array.from(sources.keys()).filter((p) => sources[p] !== pattern.rows[p]);
  return supportGraph(
    { size, sources: off.map((p) => sources[p]!), targets: off.map((p) => pattern.rows[p]!) },
    Float64Array.from(off, (p) => entries[p]!),
  );
}

function described(graph: Graph): string {
  return `The learned graph has ${graph.sources.length} edges and is connected.`;
}

function withBase({ size, rows, columns, values }: SparseTerms, base: number): SparseTerms {
  const count = values.length;
  const based = {
    size,
    rows: new Int32Array(count + size),
    columns: new Int32Array(count + size),
    values: new Float64Array(count + size).fill(base, count),
  };
  based.rows.set(rows);
  based.columns.set(columns);
  based.values.set(values);
  for (let i = 0; i < size; i++) {
    based.rows[count + i] = i;
    based.columns[count + i] = i;
  }
  return based;
}

function denseOf({ size, rows, columns, values }: SparseTerms): Matrix {
  const dense = Matrix.zeros(size, size);
  values.forEach((value, e) => {
    const i = rows[e]!;
    const j = columns[e]!;
    dense.data[i * size + j]! += value;
    if (i !== j) dense.data[j * size + i]! += value;
  });
  return dense;
}

function inverseOf({ size, rows, columns, values }: SparseTerms): Matrix {
  const sparse = sparseSymmetric(size, rows, columns, values);
  const factor = factorise(analyse(sparse.pattern), sparse.values);
  const inverse = Matrix.zeros(size, size);
  const unit = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    unit.fill(0);
    unit[i] = 1;
    solve(factor, unit, inverse.data.subarray(i * size, (i + 1) * size));
  }
  return inverse;
}

function orderFrom(order: unknown, N: number): readonly number[] {
  if (order === undefined) return Array.from({ length: N }, (_, i) => i);
  const given = Array.isArray(order) ? (order as readonly number[]) : [];
  const isOrder = given.length === N && [...given].sort((a, b) => a - b).every((entry, i) => entry === i);
  if (isOrder) return given;
  throw new InvalidInputError(
    `Option 'order' of alle must hold each of the points 0 … ${N - 1} once, but ${describe(order)} was given.`,
  );
}
