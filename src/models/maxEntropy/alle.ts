import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { checkNeighbours } from '../../core/graph/neighbourhoodGraph.ts';
import { squaredDistance } from '../../core/graph/squaredDistance.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { Model } from '../../core/model.ts';
import { observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { analyse, factorise, solve, sparseSymmetric } from '../../core/sparse/index.ts';
import { bottomOfSparse, type SparseTerms } from '../spectral/bottomOfSparse.ts';
import { closedFormModel } from '../spectral/closedForm.ts';
import { precisionTerms, type ReconstructionFactor, reconstructionFactor } from '../spectral/localReconstruction.ts';
import { latentDimOption, numberAboveZero, regularizationOption, savedSpectral } from '../spectral/options.ts';
import { imputedByField } from './imputedByField.ts';

export interface AlleOptions {
  /** q, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** k: each point is reconstructed from the k nearest of the points that come after it; 7 unless given. */
  readonly neighbours?: number;
  /** Part of the trace added to the diagonal of each local Gram matrix, or 'auto' (unless given): 1e-3 where D < k, 0 elsewhere. */
  readonly regularization?: number | 'auto';
  /** γ > 0, added to the precision before its inverse is embedded; 1e-4 unless given. */
  readonly basePrecision?: number;
  /** The points in the order that says which come after which; their own order unless given. */
  readonly order?: readonly number[];
}

const schema = v.strictObject({
  latentDim: latentDimOption,
  neighbours: v.optional(v.any(), 7),
  regularization: regularizationOption<number | 'auto'>('auto'),
  basePrecision: v.optional(numberAboveZero, 1e-4),
  order: v.optional(v.any()),
});

/**
 * Acyclic locally linear embedding: LLE whose neighbours are later points only, so that M is triangular in that order and the
 * likelihood of the random field of precision L = MMᵀ factorises exactly,
 *
 * field = Σ_i [D/2·log m_ii² − D/2·log 2π − ½·m_ii²·‖y_i − Σ_j w_ji·y_j‖²] with m_ii² = D/‖y_i − Σ_j w_ji·y_j‖²,
 *
 * over all points but the last, which nothing is said of. The embedding is kernel PCA of (L + γI)⁻¹.
 *
 * @param Y - N×D observations, their rows in a meaningful order, or with `order`
 * @param options - see {@link AlleOptions}
 * @returns a model in closed form for `fit`; its fit has `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`
 * @throws InvalidInputError for observations that are not finite numbers, k ≥ N, an order that is not one, and, when it is fitted, a point that
 * later ones reconstruct exactly
 * @see Lawrence 2012, §2.7.4
 * @example
 * ```ts
 * const { latents, objective } = await fit(alle(Y, { neighbours: 6 }));
 * ```
 */
export function alle(Y: MatrixLike, options: AlleOptions = {}): Model {
  const checked = checkOptions(schema, options, 'alle');
  const { latentDim, regularization, basePrecision } = checked;
  const points = observationsFrom(Y);
  const k = checkNeighbours(checked.neighbours as number, points.rows, 'alle');
  const order = orderFrom(checked.order, points.rows);
  const centred = () => standardized(points, standardizationOf(points, true, false));
  const factorOf = () => reconstructionFactor(centred(), laterNeighbours(points, k, order), regularization, false);
  return closedFormModel({
    name: 'alle',
    embed: () => {
      const factor = factorOf();
      const { values, vectors } = bottomOfSparse(precisionTerms(factor), latentDim);
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
        message: 'Closed form: the maximum of the likelihood for neighbours among later points.',
      };
    },
    abilities: () => ({
      precision: () => denseOf(withBase(precisionTerms(factorOf()), basePrecision)),
      covariance: () => inverseOf(withBase(precisionTerms(factorOf()), basePrecision)),
      impute: (columns: Matrix) => imputedByField(withBase(precisionTerms(factorOf()), basePrecision), columns),
    }),
    toJSON: () => savedSpectral('alle', points, checked),
  });
}

/** For every point the k nearest of those that come after it, ties by index. */
function laterNeighbours({ data, columns: D }: Matrix, k: number, order: readonly number[]): Int32Array[] {
  const lists = new Array<Int32Array>(order.length);
  order.forEach((i, place) => {
    const distances = order.slice(place + 1).map((j) => ({ j, square: squaredDistance(data, i * D, j * D, D) }));
    distances.sort((a, b) => a.square - b.square || a.j - b.j);
    lists[i] = Int32Array.from(distances.slice(0, k), ({ j }) => j);
  });
  return lists;
}

function logLikelihood({ diagonal, residuals }: ReconstructionFactor, D: number): number {
  let sum = 0;
  diagonal.forEach((m, i) => {
    if (m > 0) sum += D * Math.log(m) - 0.5 * D * Math.log(2 * Math.PI) - 0.5 * m * m * residuals[i]!;
  });
  return sum;
}

function withBase({ size, rows, columns, values }: SparseTerms, base: number): SparseTerms {
  const diagonal = Array.from({ length: size }, (_, i) => i);
  return {
    size,
    rows: Int32Array.from([...rows, ...diagonal]),
    columns: Int32Array.from([...columns, ...diagonal]),
    values: Float64Array.from([...values, ...diagonal.map(() => base)]),
  };
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
