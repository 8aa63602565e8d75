import * as tf from '@tensorflow/tfjs-core';
import { requireBackend, scalarOperand, squareOperand } from '../linearAlgebra/operands.ts';
import { type MatrixKernel, registerOnce, runKernel, type Save } from '../linearAlgebra/operations/operation.ts';
import type { Tensor, Tensor2D } from '../tensorflow.ts';

/**
 * K + v·I without forming I: K_ij + v·[i = j]. The gradient in v is the trace of that in the result.
 *
 * @param K - n×n
 * @param v - a scalar
 * @returns n×n, with gradients in both
 * @throws InvalidInputError when K is not a square matrix, or v is not one number
 * @example
 * ```ts
 * op.addDiagonal(op.tensor([[1, 2], [3, 4]]), op.scalar(0.5)); // [[1.5, 2], [3, 4.5]]
 * ```
 */
export function addDiagonal(K: Tensor2D, v: Tensor): Tensor2D {
  requireBackend('addDiagonal');
  registerOnce(ADD_DIAGONAL, TRACE);
  return sum(squareOperand(K, 'addDiagonal', 'K'), scalarOperand(v, 'addDiagonal', 'v'));
}

const sum = tf.customGrad((...args: unknown[]) => {
  const [k, v] = args as [Tensor, Tensor, Save];
  return {
    value: runKernel(ADD_DIAGONAL.name, { k, v })[0]!,
    gradFunc: (dy: Tensor) => [dy.clone(), runKernel(TRACE.name, { k: dy })[0]!],
  };
}) as unknown as (K: Tensor2D, v: Tensor) => Tensor2D;

const ADD_DIAGONAL: MatrixKernel<object> = {
  name: 'latentfield.AddDiagonal',
  inputs: ['k', 'v'],
  outputs: ([k]) => [k!],
  compute({ memory, inputs, outputs }, [k]) {
    const n = k![0]!;
    const result = memory.float64(outputs[0]!, n * n);
    result.set(memory.float64(inputs[0]!, n * n));
    const [v] = memory.float64(inputs[1]!, 1);
    for (let i = 0; i < n * n; i += n + 1) result[i]! += v!;
  },
};

const TRACE: MatrixKernel<object> = {
  name: 'latentfield.Trace',
  inputs: ['k'],
  outputs: () => [[]],
  compute({ memory, inputs, outputs }, [k]) {
    const n = k![0]!;
    const matrix = memory.float64(inputs[0]!, n * n);
    let trace = 0;
    for (let i = 0; i < n * n; i += n + 1) trace += matrix[i]!;
    memory.float64(outputs[0]!, 1)[0] = trace;
  },
};
