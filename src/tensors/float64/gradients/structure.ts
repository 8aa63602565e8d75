import * as tf from '@tensorflow/tfjs-core';
import { engine, type Tensor } from '../../tensorflow.ts';
import { FLOAT64 } from '../backend.ts';
import { type StridedSliceAttributes, stridedBox } from '../operations/slicing.ts';
import { stridedCopy, whole } from '../operations/stridedCopy.ts';
import { addGradient, adjustGradient, replaceGradient } from './gradient.ts';

/** Gradients of kernels that move entries: each goes back to where it came from. */
export function registerStructureGradients(): void {
  addGradient<StridedSliceAttributes>('StridedSlice', ['x'], (dy, [x], slice) => ({
    x: () => putBack(dy, x!.shape, slice),
  }));

  addGradient('Diag', ['x'], (dy, [x]) => ({
    x: () => tf.reshape(tf.stridedSlice(tf.reshape(dy, [-1]), [0], [dy.size], [x!.size + 1]), x!.shape),
  }));

  // Axes of repetition beside the axes themselves, summed away: any rank, one pass. broadcastTo is a Tile as well.
  replaceGradient<{ reps: number[] }>('Tile', ['x'], (dy, [x], { reps }) => ({
    x: () => {
      const pairs = x!.shape.flatMap((size, d) => [reps[d]!, size]);
      const repetitions = x!.shape.map((_, d) => 2 * d);
      return tf.reshape(tf.sum(tf.reshape(dy, pairs), repetitions), x!.shape);
    },
  }));

  replaceGradient('Select', ['condition'], (dy, [condition]) => ({
    condition: () => tf.zeros(condition!.shape),
    t: () => tf.where(condition!, dy, tf.zerosLike(dy)),
    e: () => tf.where(condition!, tf.zerosLike(dy), dy),
  }));

  adjustGradient('GatherV2', (stock, [, indices], attributes) => ({
    ...stock(attributes),
    indices: () => tf.zeros(indices!.shape),
  }));
}

function putBack(dy: Tensor, shape: number[], slice: StridedSliceAttributes): Tensor {
  if (engine().backendName === FLOAT64) {
    return tf.engine().runKernel('StridedSliceGrad', { x: dy }, { shape, slice: slice as never }) as Tensor;
  }
  const { box, placement } = stridedBox(shape, slice);
  const taken = new Int32Array(tf.util.sizeFromShape(box));
  const every = Int32Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) => i);
  stridedCopy(box, every, placement, taken, whole(box));
  const size = every.length;
  return tf.reshape(tf.scatterND(tf.tensor2d(taken, [taken.length, 1]), tf.reshape(dy, [-1]), [size]), shape);
}
