import * as tf from '@tensorflow/tfjs-core';
import { engine, type Scalar } from '../tensorflow.ts';
import { FLOAT64 } from './backend.ts';

/**
 * A number as a tensor, in the precision of the active backend. On the float64 backend every digit is kept, which
 * `tf.scalar` and number literals in TensorFlow.js operations do not do.
 */
export function exactScalar(value: number): Scalar {
  const values = engine().backendName === FLOAT64 ? Float64Array.of(value) : Float32Array.of(value);
  return tf.engine().makeTensor(values as Float32Array, [], 'float32') as Scalar;
}
