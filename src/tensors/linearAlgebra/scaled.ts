import * as tf from '@tensorflow/tfjs-core';
import { doublesOf } from '../doubles.ts';
import type { Tensor } from '../tensorflow.ts';

/** dy·x for a scalar dy: x itself, without a pass over it, for the usual dy = 1. */
export function scaled(x: Tensor, dy: Tensor): Tensor {
  return doublesOf(dy)[0] === 1 ? x.clone() : tf.mul(x, dy);
}
