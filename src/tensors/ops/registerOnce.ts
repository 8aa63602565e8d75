import * as tf from '@tensorflow/tfjs-core';
import { FLOAT64 } from '../float64/backend.ts';
import { type MatrixKernel, registerMatrixKernel } from '../linearAlgebra/operations/operation.ts';

/** Registers kernels that are not registered yet: those of an operation, when it is first used. */
export function registerOnce<A>(...kernels: MatrixKernel<A>[]): void {
  for (const kernel of kernels) {
    if (tf.getKernel(kernel.name, FLOAT64) === undefined) registerMatrixKernel(kernel);
  }
}
