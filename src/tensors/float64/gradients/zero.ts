import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '../../tensorflow.ts';
import { addGradient, replaceGradient } from './gradient.ts';

const zeroFor = (x: Tensor) => tf.zeros(x.shape);

/**
 * Functions that are constant wherever they are smooth: comparisons, logical operations. Without a gradient,
 * `where(greater(x, y), …)` could not be differentiated.
 */
export function registerZeroGradients(): void {
  for (const name of ['Equal', 'NotEqual', 'Greater', 'Less', 'LessEqual', 'LogicalAnd', 'LogicalOr']) {
    addGradient(name, ['a', 'b'], (_, [a, b]) => ({ a: () => zeroFor(a!), b: () => zeroFor(b!) }));
  }
  for (const name of ['LogicalNot', 'All', 'Any']) {
    addGradient(name, ['x'], (_, [x]) => ({ x: () => zeroFor(x!) }));
  }
  // The stock zeros have the type of a and b; gradients must be 'float32'.
  replaceGradient('GreaterEqual', ['a', 'b'], (_, [a, b]) => ({ a: () => zeroFor(a!), b: () => zeroFor(b!) }));
}
