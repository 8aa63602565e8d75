import type { Matrix } from '../core/matrix.ts';
import { matrixTensor, tensorMatrix } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { valueTensors } from '../model/part.ts';
import {
  type Conditioned,
  type Covariance,
  type ObservedPattern,
  patternData,
  placeOf,
} from './covariance/covariance.ts';

/** Moments of the noise-free functions at n inputs, for a group of columns with a common covariance. */
export interface FunctionMoments {
  /** Indices of these c columns among D. */
  readonly columns: Int32Array;
  /** n×c */
  readonly mean: Tensor2D;
  /** n×c, or n×1 if all columns share it. */
  readonly variance: Tensor2D;
  /** n×n covariance between the inputs of the function of one column of the group. */
  covariance(column: number): Tensor2D;
}

/** Moments of the functions at inputs (n×q), for each group of columns. Called on the float64 backend. */
export type MomentsAt = (A: Tensor2D) => readonly FunctionMoments[];

/** Mean and variance of all D columns, n×D each, in their order. */
export function allColumns(groups: readonly FunctionMoments[], D: number): { mean: Tensor2D; variance: Tensor2D } {
  const wide = groups.map(({ mean, variance }) =>
    variance.shape[1] === mean.shape[1] ? variance : op.mul<Tensor2D>(variance, op.ones([1, mean.shape[1]])),
  );
  if (groups.length === 1) return { mean: groups[0]!.mean, variance: wide[0]! };
  const places = new Int32Array(D);
  groups
    .flatMap(({ columns }) => Array.from(columns))
    .forEach((column, place) => {
      places[column] = place;
    });
  const ordered = (parts: Tensor2D[]) => op.gather<Tensor2D>(op.concat(parts, 1), places, 1);
  return { mean: ordered(groups.map(({ mean }) => mean)), variance: ordered(wide) };
}

/** Covariances of the functions between new rows: one for all columns, or one per column. */
export function covariancesOf(groups: readonly FunctionMoments[]): Tensor2D[] {
  if (groups.length === 1 && groups[0]!.variance.shape[1] === 1) return [groups[0]!.covariance(0)];
  const byColumn: Tensor2D[] = [];
  for (const group of groups) {
    const shared = group.variance.shape[1] === 1 ? group.covariance(0) : undefined;
    group.columns.forEach((column, c) => {
      byColumn[column] = shared ?? group.covariance(c);
    });
  }
  return byColumn;
}

/** A process with known values, and the observations it is conditioned on. */
interface Conditioning {
  readonly covarianceAt: (p: TensorMap, X: Tensor2D) => Covariance;
  /** Natural values of the process's parameters. */
  readonly values: ParameterValues;
  /** N×q */
  readonly X: Matrix;
  readonly patterns: readonly ObservedPattern[];
  /** Number of columns of all patterns. */
  readonly width: number;
  /** Name of the covariance in messages. */
  readonly name: string;
}

/**
 * Moments of the functions given the observations. Conditioning is done once per pattern, and its result is stored as plain numbers.
 *
 * @see Rasmussen & Williams 2006, algorithm 2.1
 */
export function patternMoments({ covarianceAt, values, X, patterns, width, name }: Conditioning): MomentsAt {
  const conditioned = withFloat64(() => {
    const covariance = covarianceAt(valueTensors(values), matrixTensor(X));
    return patterns.map((pattern) => {
      const left = covariance.condition(patternData(pattern, X.rows, width), { name });
      return { pattern, left: Object.entries(left).map(([key, tensor]) => [key, tensorMatrix(tensor)] as const) };
    });
  });
  return (A) => {
    const momentsOf = covarianceAt(valueTensors(values), matrixTensor(X)).momentsAt(A);
    return conditioned.map(({ pattern, left }) => {
      const tensors = Object.fromEntries(left.map(([key, matrix]) => [key, matrixTensor(matrix)]));
      return { ...momentsOf(placeOf(pattern, X.rows, width), tensors), columns: pattern.columns };
    });
  };
}

/** Result of conditioning on Y at X, as plain numbers. */
interface Known {
  readonly X: Matrix;
  readonly Y: Matrix;
  readonly left: readonly (readonly [string, Matrix])[];
}

/** Result of conditioning on Y at X. With a cache, which belongs to one set of values, it is computed once. */
export function remembered(
  memory: Map<object, unknown> | undefined,
  owner: object,
  X: Tensor2D,
  Y: Tensor2D,
  condition: () => Conditioned,
): Conditioned {
  if (memory === undefined) return condition();
  const given = { X: tensorMatrix(X), Y: tensorMatrix(Y) };
  const all = (memory.get(owner) as Known[] | undefined) ?? [];
  let known = all.find((one) => isSame(one.X, given.X) && isSame(one.Y, given.Y));
  if (known === undefined) {
    const left = Object.entries(condition()).map(([name, tensor]) => [name, tensorMatrix(tensor)] as const);
    known = { ...given, left };
    memory.set(owner, [...all, known]);
  }
  return Object.fromEntries(known.left.map(([name, matrix]) => [name, matrixTensor(matrix)]));
}

const isSame = (a: Matrix, b: Matrix) =>
  a.rows === b.rows && a.columns === b.columns && a.data.every((entry, i) => entry === b.data[i]);
