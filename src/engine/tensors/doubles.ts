import * as tf from '@tensorflow/tfjs-core';
import { Matrix } from '../../core/matrix.ts';
import { FLOAT64, type Float64Backend } from './float64/backend.ts';
import { engine, type Scalar, type Tensor2D, type TensorInfo } from './tensorflow.ts';

/** A copy of a tensor's numbers as doubles, from any backend and with any active backend. */
export function doublesOf(tensor: TensorInfo): Float64Array {
  const values = numbersOf(tensor);
  return values instanceof Float64Array ? values.slice() : Float64Array.from(values);
}

/** A tensor's numbers as doubles, without a copy if they are on the float64 backend: read them at once, before anything is allocated there. */
export function doublesIn(tensor: TensorInfo): Float64Array {
  const values = numbersOf(tensor);
  return values instanceof Float64Array ? values : Float64Array.from(values);
}

function numbersOf(tensor: TensorInfo): ArrayLike<number> {
  const holder = holderOf(tensor);
  holder?.observer?.read(tensor.dataId);
  return holder?.values(tensor) ?? (tensor as tf.Tensor).dataSync();
}

/** First number of a tensor. */
export function doubleOf(tensor: TensorInfo): number {
  const holder = holderOf(tensor);
  holder?.observer?.read(tensor.dataId);
  return holder?.number(tensor) ?? (tensor as tf.Tensor).dataSync()[0]!;
}

/** The float64 backend if the tensor is on it. */
function holderOf({ dataId }: TensorInfo): Float64Backend | undefined {
  const backend = engine().registry[FLOAT64] as Float64Backend | undefined;
  return backend?.holds(dataId) ? backend : undefined;
}

/**
 * A number as a scalar tensor in the precision of the active backend. On the float64 backend every digit is kept, unlike with `tf.scalar` and number
 * literals in TensorFlow.js operations.
 */
export function exactScalar(value: number): Scalar {
  return tensorOfDoubles(Float64Array.of(value), []) as Scalar;
}

/** A tensor with a copy of these doubles, in the precision of the active backend. */
export function tensorOfDoubles(values: Float64Array, shape: readonly number[]): tf.Tensor {
  const stored = engine().backendName === FLOAT64 ? values : Float32Array.from(values);
  return tf.engine().makeTensor(stored as Float32Array, shape as number[], 'float32');
}

/** A tensor on the active backend with the entries of a matrix. */
export function matrixTensor(matrix: Matrix): Tensor2D {
  return tensorOfDoubles(matrix.data, [matrix.rows, matrix.columns]) as Tensor2D;
}

/** A matrix with the entries of a tensor. */
export function tensorMatrix(tensor: Tensor2D): Matrix {
  return new Matrix(doublesOf(tensor), tensor.shape[0], tensor.shape[1]);
}
