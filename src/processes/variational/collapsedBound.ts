import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { symmetricEigenpairs } from '../../engine/dense/eigenpairs.ts';
import { matrixTensor } from '../../engine/tensors/doubles.ts';
import type { GaussianRows } from '../../engine/tensors/ops.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { outerProduct } from '../../engine/typescript/matrices.ts';
import {
  closedExpectations,
  type ExpectationInputs,
  type Expectations,
  gridNodes,
  quadratureExpectations,
  totalsOf,
  whitenedProducts,
} from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { TensorMap } from '../../model/model.ts';
import { type ObservedPattern, observedPatterns } from '../covariance/covariance.ts';

/** Gauss–Hermite nodes per dimension, by the number of dimensions. */
export const NODES = [0, 20, 10, 7] as const;

/**
 * Expectations of a kernel: in closed form if there is one, otherwise by Gauss–Hermite quadrature in up to three dimensions.
 *
 * @returns undefined in more dimensions
 */
export function latentExpectations(kernel: Kernel, p: TensorMap, inputs: ExpectationInputs): Expectations | undefined {
  const closed = closedExpectations(kernel, p, inputs);
  if (closed !== undefined) return closed;
  const q = inputs.Z.shape[1];
  const count = NODES[q];
  return count === undefined ? undefined : quadratureExpectations(kernel, p, inputs, gridNodes(q, count));
}

export function noExpectations(name: string, q: number): InvalidInputError {
  return new InvalidInputError(
    `The kernel '${name}' has no expectations in closed form, and quadrature supports at most 3 latent dimensions, but there are ${q}. ` +
      'Use rbf, linear, bias, white, their sums and scalings with one rbf, or fewer dimensions.',
  );
}

/** Observations in the form needed by the collapsed bound, stored as tensors until `dispose`. */
export interface CollapsedData {
  /** N×D, 0 where missing, each row times its multiplicity. For the bound alone, an N×N matrix with the same YYᵀ if D > N and nothing is missing. */
  readonly observations: Tensor2D;
  /** Groups of columns with the same observed rows and the same noise; one group of all columns if nothing is missing. */
  readonly groups: readonly ColumnGroup[];
  /** N×(number of patterns): multiplicity of a row if it is observed in the columns of a pattern, 0 otherwise; undefined if all count once and nothing is missing. */
  readonly weights: Tensor2D | undefined;
  dispose(): void;
}

/** Columns with the same observed rows. */
export interface ColumnGroup {
  readonly columns: Int32Array;
  /** Their pattern of observed rows, a column of the weights. */
  readonly pattern: number;
  /** Sum of the multiplicities of its observed rows. */
  readonly rows: number;
  /** Σ y² of the observed entries, weighted by their rows. */
  readonly energy: number;
}

/**
 * Called inside `withFloat64`.
 *
 * @param forBound - true if only YYᵀ is needed, as for the bound with one variance of the noise
 * @param counts - multiplicity of each row; default 1
 * @param apart - true if each column is a group, for a variance of the noise per column
 */
export function collapsedData(
  Y: Matrix,
  {
    forBound,
    counts,
    apart,
  }: { readonly forBound?: boolean; readonly counts?: Float64Array | undefined; readonly apart?: boolean } = {},
): CollapsedData {
  const { rows: N, columns: D } = Y;
  const rest = columnGroups(Y, counts, apart);
  const filled = Y.data.map((entry, i) => (Number.isNaN(entry) ? 0 : entry * (counts?.[Math.floor(i / D)] ?? 1)));
  const entries = new Matrix(filled, N, D);
  const observations = tf.keep(
    matrixTensor(forBound && !apart && D > N && rest.weights === undefined ? rootOfProducts(entries) : entries),
  );
  return {
    ...rest,
    observations,
    dispose() {
      observations.dispose();
      rest.dispose();
    },
  };
}

/** The groups of columns without their observations. Called inside `withFloat64`. */
export function columnGroups(Y: Matrix, counts?: Float64Array, apart?: boolean): Omit<CollapsedData, 'observations'> {
  const N = Y.rows;
  const patterns = observedPatterns(Y);
  const isWhole = counts === undefined && patterns.length === 1 && patterns[0]!.rows.length === N;
  const weights = isWhole ? undefined : tf.keep(matrixTensor(indicators(N, patterns, counts)));
  return {
    weights,
    groups: patterns.flatMap(({ rows, columns: all, observations: own }, pattern) =>
      (apart
        ? Array.from(all, (column, j) => [Int32Array.of(column), own.column(j)] as const)
        : ([[all, own.data]] as const)
      ).map(([columns, data]) => ({
        columns,
        pattern,
        rows: rows.reduce((sum, row) => sum + (counts?.[row] ?? 1), 0),
        energy: data.reduce(
          (sum, entry, i) => sum + entry * entry * (counts?.[rows[Math.floor(i / columns.length)]!] ?? 1),
          0,
        ),
      })),
    ),
    dispose: () => weights?.dispose(),
  };
}

/**
 * Expectations of the kernel at Gaussian inputs, with the weights of the data.
 *
 * @throws InvalidInputError for a kernel without closed forms in more dimensions than quadrature allows
 */
export function collapsedStatistics(
  kernel: Kernel,
  p: TensorMap,
  { x, Z }: { readonly x: GaussianRows; readonly Z: Tensor2D },
  { weights }: CollapsedData,
): Expectations {
  const expectations = latentExpectations(kernel, p, { x, Z, ...(weights && { weights }) });
  if (expectations === undefined) throw noExpectations(kernel.name, Z.shape[1]);
  return expectations;
}

/** R, N×N, of RRᵀ = YYᵀ. */
function rootOfProducts(Y: Matrix): Matrix {
  const { values, vectors } = symmetricEigenpairs(outerProduct(Y));
  return vectors.map((entry, _, c) => entry * Math.sqrt(Math.max(0, values[c]!)));
}

function indicators(N: number, patterns: readonly ObservedPattern[], counts: Float64Array | undefined): Matrix {
  const result = Matrix.zeros(N, patterns.length);
  patterns.forEach(({ rows }, p) => {
    for (const row of rows) result.data[row * patterns.length + p] = counts?.[row] ?? 1;
  });
  return result;
}

/**
 * The collapsed bound on log p(Y) without its divergence: for noise σ², L = chol(K_uu), A = L⁻¹Ψ₂L⁻ᵀ/σ², B = I + A = L_B·L_Bᵀ and
 * c = L_B⁻¹L⁻¹Ψ₁ᵀY/σ²,
 *
 *   −ND/2·log 2πσ² − D·Σ log diag L_B − tr(YYᵀ)/(2σ²) + ½‖c‖² − D/2·(ψ₀/σ² − tr A),
 *
 * summed over groups of columns with the same observed rows and the same noise, each with sums over these rows. For latents with variance 0 it is the bound of Titsias
 * 2009.
 *
 * @param factor - L, M×M
 * @param expectations - the kernel's expectations, with the weights of the data
 * @param noise - σ², a scalar, or one per column, if each is a group of the data
 * @see Titsias & Lawrence 2010, eq. 14; Damianou, Titsias & Lawrence 2016, §3
 */
export function collapsedBound(
  factor: Tensor2D,
  expectations: Expectations,
  noise: Tensor,
  data: CollapsedData,
  options: op.PositiveDefiniteOptions = {},
): Scalar {
  const solved = solvedStatistics(factor, expectations, noise, data, options);
  const diagonals = totalsOf(expectations.diagonal, data.weights);
  return solved
    .map(({ group, scatter, root, moments }) => {
      const { rows, energy, columns, pattern } = group;
      const D = columns.length;
      const own = noiseOf(noise, group);
      const constant = op.mul((rows * D) / 2, op.add(LOG_2PI, op.log(own)));
      const spread = op.mul(D, op.sum(op.log(op.diagPart(root))));
      const misfit = op.div(energy / 2, own);
      // Never negative: negative values are rounding errors, which would otherwise raise the bound without limit for a large kernel variance.
      const rest = op.mul(D / 2, op.abs(op.sub(op.div(diagonals[pattern]!, own), op.sum(op.diagPart(scatter)))));
      const explained = op.mul(0.5, op.sum(op.square(moments)));
      return op.sub(explained, op.add(op.add(constant, spread), op.add(misfit, rest))) as Scalar;
    })
    .reduce((sum, part) => op.add(sum, part) as Scalar);
}

const LOG_2PI = 1.8378770664093453;

/** Solution that determines the optimal q(u) of a group of columns. */
interface SolvedGroup {
  readonly group: ColumnGroup;
  /** A, M×M. */
  readonly scatter: Tensor2D;
  /** L_B, M×M. */
  readonly root: Tensor2D;
  /** c, M×(columns of the group). */
  readonly moments: Tensor2D;
}

/** σ² of a group. */
const noiseOf = (noise: Tensor, { columns }: ColumnGroup): Tensor =>
  noise.rank === 0 ? noise : op.reshape(op.gather(noise, columns.subarray(0, 1)), []);

export function solvedStatistics(
  factor: Tensor2D,
  expectations: Expectations,
  noise: Tensor,
  { observations, groups, weights }: CollapsedData,
  options: op.PositiveDefiniteOptions = {},
): SolvedGroup[] {
  const all = op.matMul<Tensor2D>(expectations.cross, observations, true, false);
  const whitened = op.div(op.triangularSolve(factor, all), noise) as Tensor2D;
  const products = whitenedProducts(factor, expectations);
  return groups.map((group) => {
    const scatter = op.div(products[group.pattern]!, noiseOf(noise, group)) as Tensor2D;
    const name = 'The precision of the inducing variables';
    const root = op.cholesky(op.addDiagonal(scatter, op.scalar(1)), { name, ...options });
    const own =
      weights === undefined && groups.length === 1 ? whitened : op.gather<Tensor2D>(whitened, group.columns, 1);
    return { group, scatter, root, moments: op.triangularSolve(root, own) };
  });
}
