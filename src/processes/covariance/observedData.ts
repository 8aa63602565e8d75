import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { matrixTensor } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { outerProduct } from '../../engine/typescript/matrices.ts';
import type { Noise } from '../likelihoods/likelihood.ts';

/** Rows and columns of Y that a pattern of observed entries covers. */
export interface ObservedPlace {
  /** Rows of X in which the columns are observed; undefined for all. */
  readonly rows: Tensor1D | undefined;
  /** Indices of the columns in Y; undefined for all. */
  readonly columns: Int32Array | undefined;
}

/** Columns of Y that are observed in the same rows, as tensors. */
export interface ObservedData extends ObservedPlace {
  /** Their entries, n×c. */
  readonly observations: Tensor2D;
  /** Constants that the density of fixed data may use in place of the entries; undefined for data that need gradients. */
  readonly constants: { readonly outerProduct: Tensor2D | undefined; readonly energy: number } | undefined;
}

/** All of Y as a tensor that may need gradients. */
export const dataOf = (observations: Tensor2D): ObservedData => ({
  rows: undefined,
  columns: undefined,
  observations,
  constants: undefined,
});

/** Rows and columns of a pattern in N×D observations. */
export function placeOf({ rows, columns }: ObservedPattern, points: number, width: number): ObservedPlace {
  return {
    rows: rows.length === points ? undefined : tf.tensor1d(rows, 'int32'),
    columns: columns.length === width ? undefined : columns,
  };
}

/** The entries of a pattern of N×D observations as tensors. */
export function patternData(pattern: ObservedPattern, points: number, width: number): ObservedData {
  const observations = matrixTensor(pattern.observations);
  return { ...placeOf(pattern, points, width), observations, constants: undefined };
}

/** The entries of a pattern, kept as constants until they are disposed of. YYᵀ is formed if there are more columns than rows. */
export function keptPatternData(pattern: ObservedPattern, points: number, width: number): ObservedData {
  const { observations, ...rest } = patternData(pattern, points, width);
  const outer = pattern.observations.columns > pattern.rows.length ? outerProduct(pattern.observations) : undefined;
  const data = {
    ...rest,
    observations,
    constants: { outerProduct: outer && matrixTensor(outer), energy: sumOfSquares(pattern.observations) },
  };
  for (const tensor of tensorsOf(data)) tf.keep(tensor);
  return data;
}

export function disposeData(data: ObservedData): void {
  for (const tensor of tensorsOf(data)) tensor.dispose();
}

function tensorsOf({ rows, observations, constants }: ObservedData): Tensor[] {
  return [rows, observations, constants?.outerProduct].filter((tensor) => tensor !== undefined);
}

function sumOfSquares({ data }: Matrix): number {
  return data.reduce((sum, entry) => sum + entry * entry, 0);
}

/** Noise variances of the observed entries: a scalar, one per column, or one per row. */
export function noiseOf({ per, variance }: Noise, { rows, columns }: ObservedPlace): Tensor {
  if (per === 'column' && columns !== undefined) return op.gather(variance, columns);
  return per === 'row' && rows !== undefined ? op.gather(variance, rows) : variance;
}

/** Submatrix of an N×N matrix for the observed rows. */
export function observedPart(K: Tensor2D, { rows }: ObservedPlace): Tensor2D {
  return rows === undefined ? K : op.gather<Tensor2D>(op.gather(K, rows, 0), rows, 1);
}

/** The observed rows of an N×r matrix. */
export function observedRows(F: Tensor2D, { rows }: ObservedPlace): Tensor2D {
  return rows === undefined ? F : op.gather<Tensor2D>(F, rows);
}

/** Columns of Y that are observed in the same rows, so that they share a covariance and its factor. */
export interface ObservedPattern {
  /** Indices of the rows in which they are observed, ascending. */
  readonly rows: Int32Array;
  /** Indices of the columns in Y, ascending. */
  readonly columns: Int32Array;
  /** Their observed entries, rows × columns. */
  readonly observations: Matrix;
}

/**
 * Groups the columns of Y by the pattern of their missing entries (NaN), in the order of their first column. Y without missing entries is one
 * pattern.
 *
 * @throws InvalidInputError if a column has no observation
 */
export function observedPatterns(Y: Matrix): ObservedPattern[] {
  const { rows: N, columns: D } = Y;
  if (!Y.data.some(Number.isNaN)) return [{ rows: firstIntegers(N), columns: firstIntegers(D), observations: Y }];
  const patterns = new Map<string, { rows: number[]; columns: number[] }>();
  for (let j = 0; j < D; j++) {
    const rows = Array.from({ length: N }, (_, i) => i).filter((i) => !Number.isNaN(Y.at(i, j)));
    if (rows.length === 0) {
      throw new InvalidInputError(`Column ${j} of the observations holds missing entries only. Drop that column.`);
    }
    const key = rows.join();
    const pattern = patterns.get(key);
    if (pattern === undefined) patterns.set(key, { rows, columns: [j] });
    else pattern.columns.push(j);
  }
  return [...patterns.values()].map(({ rows, columns }) => {
    const data = rows.flatMap((i) => columns.map((j) => Y.at(i, j)));
    return {
      rows: Int32Array.from(rows),
      columns: Int32Array.from(columns),
      observations: new Matrix(Float64Array.from(data), rows.length, columns.length),
    };
  });
}

function firstIntegers(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => i);
}
