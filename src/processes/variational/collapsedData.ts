import * as tf from '@tensorflow/tfjs-core';
import { Matrix } from '../../core/matrix.ts';
import { symmetricEigenpairs } from '../../engine/dense/eigenpairs.ts';
import { matrixTensor } from '../../engine/tensors/matrixTensor.ts';
import type { GaussianRows } from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { outerProduct } from '../../engine/typescript/matrices.ts';
import type { Expectations } from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { TensorMap } from '../../model/model.ts';
import type { ObservedPattern } from '../covariance/observedData.ts';
import { latentExpectations, noExpectations } from './latentExpectations.ts';

/** Observations in the form that the collapsed bound needs, kept as tensors until `dispose`. */
export interface CollapsedData {
  /** N×D, 0 where missing, each row times how often it counts. For the bound alone, an N×N matrix with the same YYᵀ if D > N and nothing is missing. */
  readonly observations: Tensor2D;
  /** Groups of columns that are observed in the same rows; one group of all columns if nothing is missing. */
  readonly groups: readonly ColumnGroup[];
  /** N×(number of groups): how often a row counts if it is observed in the columns of a group, 0 otherwise; undefined if all count once and nothing is missing. */
  readonly weights: Tensor2D | undefined;
  dispose(): void;
}

/** Columns that are observed in the same rows. */
export interface ColumnGroup {
  readonly columns: Int32Array;
  /** How often its observed rows count in all. */
  readonly rows: number;
  /** Σ y² of the observed entries, as often as their rows count. */
  readonly energy: number;
}

/**
 * Called inside `withFloat64`.
 *
 * @param forBound - true if only YYᵀ is needed, as for the bound
 * @param counts - how often each row counts; once unless given
 */
export function collapsedData(
  Y: Matrix,
  patterns: readonly ObservedPattern[],
  { forBound = false, counts }: { readonly forBound?: boolean; readonly counts?: Float64Array | undefined } = {},
): CollapsedData {
  const { rows: N, columns: D } = Y;
  const rest = columnGroups(Y, patterns, counts);
  const isWhole = rest.weights === undefined;
  const filled = Y.data.map((entry, i) => (Number.isNaN(entry) ? 0 : entry * (counts?.[Math.floor(i / D)] ?? 1)));
  const entries = new Matrix(filled, N, D);
  const observations = tf.keep(matrixTensor(forBound && isWhole && D > N ? rootOfProducts(entries) : entries));
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
export function columnGroups(
  { rows: N }: Matrix,
  patterns: readonly ObservedPattern[],
  counts?: Float64Array,
): Omit<CollapsedData, 'observations'> {
  const isWhole = counts === undefined && patterns.length === 1 && patterns[0]!.rows.length === N;
  const weights = isWhole ? undefined : tf.keep(matrixTensor(indicators(N, patterns, counts)));
  return {
    weights,
    groups: patterns.map(({ rows, columns, observations: own }) => ({
      columns,
      rows: counts === undefined ? rows.length : rows.reduce((sum, row) => sum + counts[row]!, 0),
      energy: own.data.reduce(
        (sum, entry, i) => sum + entry * entry * (counts?.[rows[Math.floor(i / columns.length)]!] ?? 1),
        0,
      ),
    })),
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
  const N = Y.rows;
  return new Matrix(
    vectors.data.map((entry, index) => entry * Math.sqrt(Math.max(0, values[index % N]!))),
    N,
    N,
  );
}

function indicators(N: number, patterns: readonly ObservedPattern[], counts: Float64Array | undefined): Matrix {
  const result = Matrix.zeros(N, patterns.length);
  patterns.forEach(({ rows }, p) => {
    for (const row of rows) result.data[row * patterns.length + p] = counts?.[row] ?? 1;
  });
  return result;
}
