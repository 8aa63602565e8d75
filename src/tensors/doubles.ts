import * as tf from '@tensorflow/tfjs-core';
import { FLOAT64, type Float64Backend } from './float64/backend.ts';
import { engine, type Scalar } from './tensorflow.ts';

/** A copy of a tensor's numbers as doubles, whatever backend holds it and whatever backend is active. */
export function doublesOf(tensor: tf.Tensor): Float64Array {
  const values = holderOf(tensor)?.values(tensor);
  if (values === undefined) return Float64Array.from(tensor.dataSync());
  return values instanceof Float64Array ? values.slice() : Float64Array.from(values);
}

/** The first of a tensor's numbers. */
export function doubleOf(tensor: tf.Tensor): number {
  return holderOf(tensor)?.number(tensor) ?? tensor.dataSync()[0]!;
}

/** The float64 backend, where it holds the tensor. */
function holderOf(tensor: tf.Tensor): Float64Backend | undefined {
  const { state, registry } = engine();
  const holder = state.tensorInfo.get(tensor.dataId)?.backend;
  return holder !== undefined && holder === registry[FLOAT64] ? (holder as Float64Backend) : undefined;
}

/**
 * A number as a tensor, in the precision of the active backend. On the float64 backend every digit is kept, which
 * `tf.scalar` and number literals in TensorFlow.js operations do not do.
 */
export function exactScalar(value: number): Scalar {
  return tensorOfDoubles(Float64Array.of(value), []) as Scalar;
}

/** Doubles as a tensor, in the precision of the active backend, which copies them. */
export function tensorOfDoubles(values: Float64Array, shape: readonly number[]): tf.Tensor {
  const stored = engine().backendName === FLOAT64 ? values : Float32Array.from(values);
  return tf.engine().makeTensor(stored as Float32Array, shape as number[], 'float32');
}
