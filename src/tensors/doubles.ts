import * as tf from '@tensorflow/tfjs-core';
import { FLOAT64, type Float64Backend } from './float64/backend.ts';
import { engine, type Scalar } from './tensorflow.ts';

/** A copy of a tensor's numbers as doubles, whatever backend holds it and whatever backend is active. */
export function doublesOf(tensor: tf.Tensor): Float64Array {
  const holder = engine().state.tensorInfo.get(tensor.dataId as object)?.backend;
  if (holder !== undefined && holder === engine().registry[FLOAT64]) {
    const values = (holder as Float64Backend).values({ dataId: tensor.dataId as object });
    return values instanceof Float64Array ? values.slice() : Float64Array.from(values);
  }
  return Float64Array.from(tensor.dataSync());
}

/**
 * A number as a tensor, in the precision of the active backend. On the float64 backend every digit is kept, which
 * `tf.scalar` and number literals in TensorFlow.js operations do not do.
 */
export function exactScalar(value: number): Scalar {
  const values = engine().backendName === FLOAT64 ? Float64Array.of(value) : Float32Array.of(value);
  return tf.engine().makeTensor(values as Float32Array, [], 'float32') as Scalar;
}
