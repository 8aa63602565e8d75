import type { Matrix } from '../core/matrix.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../engine/tensors/matrixTensor.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { valueTensors } from '../model/valueTensors.ts';
import type { Covariance } from './covariance/covariance.ts';
import { patternData, placeOf } from './covariance/observedData.ts';
import type { MomentsAt } from './functionMoments.ts';
import type { ObservedPattern } from './observedPatterns.ts';

/** A process with known values, and the observations it is conditioned on. */
export interface Conditioning {
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
 * Moments of the functions given the observations. Conditioning is done once for each pattern, and its result is kept as plain numbers.
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
