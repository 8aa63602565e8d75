import * as tf from '@tensorflow/tfjs-core';
import { NumericalError } from '../../../../core/errors.ts';
import { firstBadEntry, notFinite } from '../../../dense/factorize.ts';
import type { Tensor } from '../../tensorflow.ts';
import { bytesOf, isRegistered, registerMatrixKernel, runKernel, symmetrizeInPlace } from './operation.ts';

export const SYMMETRIC_EIGEN = 'latentfield.SymmetricEigen';
const SYMMETRIC_EIGEN_GRADIENT = 'latentfield.SymmetricEigenGradient';

interface EigenAttributes {
  readonly name?: string;
}

/** λ and V of A = V·diag(λ)·Vᵀ, and their gradient. */
export function registerSymmetricEigen(): void {
  if (isRegistered(SYMMETRIC_EIGEN)) return;
  registerMatrixKernel<EigenAttributes>({
    name: SYMMETRIC_EIGEN,
    inputs: ['x'],
    outputs: ([x]) => [[x![0]!], x!],
    compute({ algebra, memory, inputs, outputs }, [shape], { name = 'The matrix' }) {
      const n = shape![0]!;
      const [values, vectors] = outputs as [number, number];
      const matrix = memory.float64(inputs[0]!, n * n);
      if (firstBadEntry(n, matrix) >= 0) throw notFinite(n, matrix, name);
      memory.float64(vectors, n * n).set(matrix);
      if (algebra.symmetricEigen(n, vectors, values) !== 0) {
        throw new NumericalError(`The eigenvalues of a matrix (${n}×${n}) did not converge. Scale the matrix.`);
      }
    },
  });

  // X̄ = V·(diag(λ̄) + F∘sym)·Vᵀ with F∘sym the symmetric part of F_ij·(VᵀV̄)_ij, F_ij = 1/(λ_j − λ_i) off the diagonal.
  registerMatrixKernel({
    name: SYMMETRIC_EIGEN_GRADIENT,
    inputs: ['values', 'vectors', 'dValues', 'dVectors'],
    outputs: ([, vectors]) => [vectors!],
    compute({ algebra, memory, inputs, outputs }, shapes) {
      const n = shapes[0]![0]!;
      const [values, vectors, dValues, dVectors] = inputs as [number, number, number, number];
      const result = outputs[0]!;
      const plain = (offset: number) => ({ offset, rowStride: n, columnStride: 1 });
      const flipped = (offset: number) => ({ offset, rowStride: 1, columnStride: n });
      memory.withBlock(bytesOf(n * n), (work) => {
        algebra.gemm(n, n, n, 1, flipped(vectors), plain(dVectors), 0, plain(work));
        couple(n, memory.float64(values, n), memory.float64(dValues, n), memory.float64(work, n * n));
        algebra.gemm(n, n, n, 1, plain(vectors), plain(work), 0, plain(result));
        algebra.gemm(n, n, n, 1, plain(result), flipped(vectors), 0, plain(work));
        memory.float64(result, n * n).set(memory.float64(work, n * n));
      });
      symmetrizeInPlace(n, memory.float64(result, n * n));
    },
  });

  tf.registerGradient({
    kernelName: SYMMETRIC_EIGEN,
    outputsToSave: [true, true],
    gradFunc(dy, saved) {
      const [dValues, dVectors] = dy as [Tensor, Tensor];
      const [values, vectors] = saved as [Tensor, Tensor];
      return { x: () => runKernel(SYMMETRIC_EIGEN_GRADIENT, { values, vectors, dValues, dVectors })[0]! };
    },
  });
}

/** Turns VᵀV̄ into the middle factor. Eigenvalues that are equal to working precision are not coupled. */
function couple(n: number, values: Float64Array, dValues: Float64Array, product: Float64Array): void {
  const norm = n === 0 ? 0 : Math.max(Math.abs(values[0]!), Math.abs(values[n - 1]!));
  const equal = n * Number.EPSILON * norm;
  for (let i = 0; i < n; i++) {
    product[i * (n + 1)] = dValues[i]!;
    for (let j = 0; j < i; j++) {
      const gap = values[i]! - values[j]!;
      const rotation = product[j * n + i]! - product[i * n + j]!;
      const entry = gap > equal ? rotation / (2 * gap) : 0;
      product[i * n + j] = entry;
      product[j * n + i] = entry;
    }
  }
}
