import * as tf from '@tensorflow/tfjs-core';
import { matrixOperand, requireBackend } from '../linearAlgebra/operands.ts';
import {
  type MatrixKernel,
  mirrorLowerOf,
  registerOnce,
  runKernel,
  type Save,
  symmetrizeInPlace,
} from '../linearAlgebra/operations/operation.ts';
import type { Tensor, Tensor2D } from '../tensorflow.ts';

/**
 * FFᵀ, exactly symmetric and at half the cost of `matMul(F, F, false, true)`.
 *
 * @param F - n×k, rows of features
 * @returns n×n
 * @throws InvalidInputError when F is not a matrix
 * @example
 * ```ts
 * op.gramMatrix(op.tensor([[1, 2], [3, 4]])); // [[5, 11], [11, 25]]
 * ```
 */
export function gramMatrix(F: Tensor2D): Tensor2D {
  requireBackend('gramMatrix');
  registerOnce(GRAM_MATRIX, GRAM_MATRIX_GRADIENT);
  return gram(matrixOperand(F, 'gramMatrix', 'F'));
}

const gram = tf.customGrad((...args: unknown[]) => {
  const [f, save] = args as [Tensor2D, Save];
  save([f]);
  const gradFunc = (dy: Tensor, [features]: Tensor[]) => runKernel(GRAM_MATRIX_GRADIENT.name, { f: features!, dy })[0]!;
  return { value: runKernel(GRAM_MATRIX.name, { f })[0]!, gradFunc };
}) as (F: Tensor2D) => Tensor2D;

const GRAM_MATRIX: MatrixKernel<object> = {
  name: 'latentfield.GramMatrix',
  inputs: ['f'],
  outputs: ([f]) => [[f![0]!, f![0]!]],
  compute({ algebra, memory, inputs, outputs }, [f]) {
    const [n, k] = f as [number, number];
    algebra.syrk(n, k, 1, { offset: inputs[0]!, rowStride: k, columnStride: 1 }, 0, outputs[0]!);
    mirrorLowerOf(n, memory.float64(outputs[0]!, n * n));
  },
};

/** (G + Gᵀ)F */
const GRAM_MATRIX_GRADIENT: MatrixKernel<object> = {
  name: 'latentfield.GramMatrixGradient',
  inputs: ['f', 'dy'],
  outputs: ([f]) => [f!],
  compute({ algebra, memory, inputs, outputs }, [f]) {
    const [n, k] = f as [number, number];
    memory.withBlock(8 * (n * n + 1), (work) => {
      const symmetric = memory.float64(work, n * n);
      symmetric.set(memory.float64(inputs[1]!, n * n));
      symmetrizeInPlace(n, symmetric);
      const G = { offset: work, rowStride: n, columnStride: 1 };
      const F = { offset: inputs[0]!, rowStride: k, columnStride: 1 };
      algebra.gemm(n, k, n, 2, G, F, 0, { offset: outputs[0]!, rowStride: k, columnStride: 1 });
    });
  },
};
