import type * as tf from '@tensorflow/tfjs-core';
import { FLOAT64, type Float64Backend } from './float64/backend.ts';
import { engine } from './tensorflow.ts';

/** A copy of a tensor's numbers as doubles, whatever backend holds it and whatever backend is active. */
export function doublesOf(tensor: tf.Tensor): Float64Array {
  const holder = engine().state.tensorInfo.get(tensor.dataId as object)?.backend;
  if (holder !== undefined && holder === engine().registry[FLOAT64]) {
    return Float64Array.from((holder as Float64Backend).values({ dataId: tensor.dataId as object }));
  }
  return Float64Array.from(tensor.dataSync());
}
