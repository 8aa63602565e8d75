import * as tf from '@tensorflow/tfjs-core';
import { stockGradients } from '../../stockGradients.ts';
import { registerBinaryGradients } from './binary.ts';
import { registerElementwiseGradients } from './elementwise.ts';
import { registerNetworkGradients } from './network.ts';
import { registerReductionGradients } from './reduction.ts';
import { registerStructureGradients } from './structure.ts';
import { registerZeroGradients } from './zero.ts';

/** One of the gradients below: that it is still the registered one says that all are. */
const SENTINEL = 'SquaredDifference';
let registered: unknown;

/**
 * Registers the gradients of TensorFlow.js where nobody has, adds those that it lacks, and replaces, on the float64 backend, those
 * that lose digits or fail. Does nothing when they are in place; the whole of TensorFlow.js, loaded later, puts its own there again.
 */
export function registerGradients(): void {
  if (registered !== undefined && tf.getGradient(SENTINEL) === registered) return;
  for (const gradient of stockGradients) {
    if (tf.getGradient(gradient.kernelName) === undefined) tf.registerGradient(gradient);
  }
  registerZeroGradients();
  registerElementwiseGradients();
  registerBinaryGradients();
  registerReductionGradients();
  registerStructureGradients();
  registerNetworkGradients();
  registered = tf.getGradient(SENTINEL);
}
