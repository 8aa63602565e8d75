import * as tf from '@tensorflow/tfjs-core';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { doublesOf, matrixTensor } from '../../engine/tensors/doubles.ts';
import type { PositiveDefiniteOptions } from '../../engine/tensors/ops.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { outerProduct } from '../../engine/typescript/matrices.ts';
import type { Noise } from '../../model/entrywise/likelihood.ts';
import type { TensorMap } from '../../model/model.ts';

/** Rows and columns of Y that a pattern of observed entries covers. */
export interface ObservedPlace {
  /** Rows of X where the columns are observed; undefined for all. */
  readonly rows: Tensor1D | undefined;
  /** Indices of the columns in Y; undefined for all. */
  readonly columns: Int32Array | undefined;
}

/** Columns of Y with the same observed rows, as tensors. */
export interface ObservedData extends ObservedPlace {
  /** Their entries, n×c. */
  readonly observations: Tensor2D;
  /** Constants that the density of fixed data may use in place of the entries; undefined for data that need gradients. */
  readonly constants:
    | { readonly outerProduct: Tensor2D | undefined; readonly energy: number; readonly rows: Int32Array }
    | undefined;
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

/** The entries of a pattern, stored as constants until they are disposed. YYᵀ is formed if there are more columns than rows. */
export function keptPatternData(pattern: ObservedPattern, points: number, width: number): ObservedData {
  const { observations, ...rest } = patternData(pattern, points, width);
  const outer = pattern.observations.columns > pattern.rows.length ? outerProduct(pattern.observations) : undefined;
  const data = {
    ...rest,
    observations,
    constants: {
      outerProduct: outer && matrixTensor(outer),
      energy: sumOfSquares(pattern.observations),
      rows: pattern.rows,
    },
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

/** Columns of Y with the same observed rows, so that they share a covariance and its factor. */
export interface ObservedPattern {
  /** Indices of the rows where they are observed, ascending. */
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
      throw new InvalidInputError(
        `Column index ${j} of the observations contains missing entries only. Drop that column.`,
      );
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

/** Eigen-decomposition M = VΛVᵀ with shifts s_1 … s_c. */
interface Spectrum {
  /** V, n×n. */
  readonly vectors: Tensor2D;
  /** λ_i + s_j, n×c, all positive. */
  readonly shifted: Tensor2D;
  /** 1/(λ_i + s_j), n×c. */
  readonly inverses: Tensor2D;
}

/** Relative jitters, in the order of the attempts. */
const JITTERS = [0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4];

/**
 * Eigen-decomposition for M + s_j·I with every j. As in a Cholesky factorization, the jitter is the smallest one that makes all of them positive
 * definite in double precision.
 *
 * @param M - n×n, symmetric
 * @param shifts - c entries
 * @throws NumericalError if the largest jitter is not enough
 */
export function spectrumOf(
  M: Tensor2D,
  shifts: Tensor,
  { name = 'The matrix', onJitter }: PositiveDefiniteOptions = {},
): Spectrum {
  const n = M.shape[0];
  const { values, vectors } = op.symmetricEigen(M, { name });
  const eigenvalues = doublesOf(values);
  const least = doublesOf(shifts).reduce((a, b) => Math.min(a, b), Infinity);
  const average = eigenvalues.reduce((sum, value) => sum + value / n, 0) + least;
  const floor = Number.EPSILON * Math.abs(eigenvalues[n - 1] ?? 0);
  const relative = JITTERS.find((candidate) => (eigenvalues[0] ?? 1) + least + candidate * average > floor);
  if (relative === undefined) {
    throw new NumericalError(
      `${name} (${n}×${n}) is not positive definite: its smallest eigenvalue is ${(eigenvalues[0]! + least).toPrecision(3)}, and adding ` +
        `${(1e-4 * average).toPrecision(3)}, 1e-4 times their mean, was not enough. Increase the noise variances, or remove duplicate points.`,
    );
  }
  const jitter = relative * average;
  if (jitter > 0) onJitter?.(jitter);
  const column = op.reshape(jitter > 0 ? op.add(values, jitter) : values, [n, 1]);
  const shifted = op.add<Tensor2D>(column, op.reshape(shifts, [1, -1]));
  return { vectors, shifted, inverses: op.div<Tensor2D>(1, shifted) };
}

/** (M + s_j·I)⁻¹b_j for every column b_j of B, n×c. */
export function shiftedInverse(vectors: Tensor2D, inverses: Tensor2D, B: Tensor2D): Tensor2D {
  const rotated = op.matMul<Tensor2D>(vectors, B, true, false);
  return op.matMul<Tensor2D>(vectors, op.mul(inverses, rotated));
}

/**
 * log|M + s_j·I| and b_jᵀ(M + s_j·I)⁻¹b_j for every column b_j of B, from one eigen-decomposition of M. Its gradients use the inverses, Σ_j u_j(M +
 * s_j·I)⁻¹ − w_j·a_j·a_jᵀ with a_j = (M + s_j·I)⁻¹b_j, which exist even where eigenvalues coincide.
 *
 * @param M - n×n, symmetric
 * @param B - n×c
 * @param shifts - c entries
 */
export function shiftedForms(
  M: Tensor2D,
  B: Tensor2D,
  shifts: Tensor,
  options: PositiveDefiniteOptions,
): { readonly logDeterminants: Tensor1D; readonly quadratics: Tensor1D } {
  const both = tf.customGrad((...args: unknown[]) => {
    const [m, b, s, save] = args as [Tensor2D, Tensor2D, Tensor, (tensors: Tensor[]) => void];
    const { vectors, shifted, inverses } = spectrumOf(m, s, options);
    const rotated = op.matMul<Tensor2D>(vectors, b, true, false);
    const solved = op.mul<Tensor2D>(inverses, rotated);
    save([vectors, inverses, solved]);
    const value = op.stack([op.sum(op.log(shifted), 0), op.sum(op.mul(rotated, solved), 0)]);
    const gradFunc = (dy: Tensor, saved: Tensor[]) => gradients(dy, saved as [Tensor2D, Tensor2D, Tensor2D], s.shape);
    return { value, gradFunc };
  })(M, B, shifts);
  const [logDeterminants, quadratics] = [0, 1].map((row) => op.reshape<Tensor1D>(op.gather(both, [row]), [-1]));
  return { logDeterminants: logDeterminants!, quadratics: quadratics! };
}

/** @param dy - u above w, 2×c */
function gradients(dy: Tensor, [V, inverses, solved]: [Tensor2D, Tensor2D, Tensor2D], shape: number[]): Tensor[] {
  const [u, w] = [0, 1].map((row) => op.gather(dy, [row])) as [Tensor2D, Tensor2D];
  const A = op.matMul<Tensor2D>(V, solved);
  const weighted = op.mul<Tensor2D>(A, w);
  const spread = op.sum(op.mul(inverses, u), 1);
  const dM = op.sub(op.matMul(op.mul(V, spread), V, false, true), op.matMul(weighted, A, false, true));
  const traces = op.sub(op.mul(u, inverses), op.mul(w, op.square(solved)));
  return [dM, op.mul(2, weighted), op.reshape(op.sum(traces, 0), shape)];
}

/**
 * Σ_j log N(y_j | 0, K + σ_j²·I) of the columns of Y.
 *
 * @param K - n×n, without noise
 * @param Y - n×c
 * @param noise - σ_j², c entries
 */
export function columnNoiseLogDensity(
  K: Tensor2D,
  Y: Tensor2D,
  noise: Tensor,
  options: PositiveDefiniteOptions,
): Scalar {
  const [n, c] = Y.shape;
  const { logDeterminants, quadratics } = shiftedForms(K, Y, noise, options);
  return op.mul<Scalar>(-0.5, op.add(n * c * log(2 * Math.PI), op.sum(op.add(logDeterminants, quadratics))));
}

/** Linear algebra that a kernel's Gram matrix allows for a certain number of points: the contract between a process and its kernel. */
export interface CovarianceStructure {
  readonly kind: 'dense' | 'lowRank' | 'symmetricBasis';
  /** Covariance of observations at the inputs X (N×q) with this noise, for natural values of the kernel's parameters. */
  at(p: TensorMap, X: Tensor2D, noise: Noise): Covariance;
}

/** A lazy covariance k(X, X) + Σ of noisy observations. */
export interface Covariance {
  /** log N(Y | 0, K + Σ) of the columns of the data, a scalar. */
  logDensity(data: ObservedData, options: PositiveDefiniteOptions): Scalar;
  /** Sum of the log densities of several patterns at once; undefined for data that need gradients. */
  patternsLogDensity?(data: readonly ObservedData[], options: PositiveDefiniteOptions): Scalar | undefined;
  /** An upper bound, for a covariance whose log density is replaced by a lower bound. */
  upperBound?(data: ObservedData, options: PositiveDefiniteOptions): Scalar;
  /** Result of conditioning on the data, tensors by name: a factor and weights, which are all that predictions need. */
  condition(data: ObservedData, options: PositiveDefiniteOptions): Conditioned;
  /** Moments of the functions at new inputs A (n×q), given the result of conditioning on any data. */
  momentsAt(A: Tensor2D): (place: ObservedPlace, conditioned: Conditioned) => Moments;
}

/** Result of conditioning, by name. */
export type Conditioned = Readonly<Record<string, Tensor2D>>;

/** Moments of the noise-free functions of c columns at n new inputs. */
export interface Moments {
  /** n×c */
  readonly mean: Tensor2D;
  /** n×c, or n×1 if all columns share it. */
  readonly variance: Tensor2D;
  /** n×n covariance between the new inputs of the function of one column. */
  covariance(column: number): Tensor2D;
}
