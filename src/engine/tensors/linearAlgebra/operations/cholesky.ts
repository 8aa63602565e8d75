import * as tf from '@tensorflow/tfjs-core';
import { clearUpper, factorize, logDeterminantOf, type PositiveDefiniteOptions } from '../../../dense/factorize.ts';
import {
  firstOf,
  isRegistered,
  mirrorLowerOf,
  registerMatrixKernel,
  runKernel,
  transposeInPlace,
} from './operation.ts';

export const CHOLESKY = 'latentfield.Cholesky';
const CHOLESKY_GRADIENT = 'latentfield.CholeskyGradient';
export const CHOLESKY_INVERSE = 'latentfield.CholeskyInverse';

/** L of A = LLᵀ, its gradient, and A⁻¹ from L. */
export function registerCholesky(): void {
  if (isRegistered(CHOLESKY)) return;
  registerMatrixKernel<PositiveDefiniteOptions>({
    name: CHOLESKY,
    inputs: ['x'],
    ranks: [2],
    outputs: ([x]) => [x!],
    compute({ algebra, memory, inputs, outputs, position }, [shape], options) {
      const n = shape![0]!;
      const name = `${options.name ?? 'The matrix'}${position}`;
      factorize(memory, algebra, n, inputs[0]!, outputs[0]!, { ...options, name });
      clearUpper(n, memory.float64(outputs[0]!, n * n));
    },
  });

  registerMatrixKernel({
    name: CHOLESKY_INVERSE,
    inputs: ['l'],
    ranks: [2],
    outputs: ([l]) => [l!],
    compute({ algebra, memory, inputs, outputs }, [shape]) {
      const n = shape![0]!;
      memory.float64(outputs[0]!, n * n).set(memory.float64(inputs[0]!, n * n));
      algebra.choleskyInverse(n, outputs[0]!);
    },
  });

  // Ā = L⁻ᵀ·M·L⁻¹ with M the symmetric matrix of which the lower triangle is half that of Lᵀ·L̄ (Murray 2016, eq. 10).
  registerMatrixKernel({
    name: CHOLESKY_GRADIENT,
    inputs: ['l', 'dy'],
    ranks: [2, 2],
    outputs: ([l]) => [l!],
    compute({ algebra, memory, inputs, outputs }, [shape]) {
      const n = shape![0]!;
      const [l, dy] = inputs as [number, number];
      const result = outputs[0]!;
      const bar = memory.float64(result, n * n);
      bar.set(memory.float64(dy, n * n));
      clearUpper(n, bar);
      algebra.triangularMultiply(n, n, l, result, true);
      const product = memory.float64(result, n * n);
      for (let i = 0; i < n * n; i++) product[i]! /= 2;
      mirrorLowerOf(n, product);
      algebra.triangularSolve(n, n, l, result, true);
      transposeInPlace(n, memory.float64(result, n * n));
      algebra.triangularSolve(n, n, l, result, true);
      mirrorLowerOf(n, memory.float64(result, n * n));
    },
  });

  tf.registerGradient({
    kernelName: CHOLESKY,
    outputsToSave: [true],
    gradFunc: (dy, [l]) => ({ x: () => runKernel(CHOLESKY_GRADIENT, { l: l!, dy: firstOf(dy) })[0]! }),
  });
}

export const FACTOR_LOG_DETERMINANT = 'latentfield.FactorLogDeterminant';

/** log|LLᵀ| from L. */
export function registerLogDeterminant(): void {
  if (isRegistered(FACTOR_LOG_DETERMINANT)) return;
  registerMatrixKernel({
    name: FACTOR_LOG_DETERMINANT,
    inputs: ['l'],
    ranks: [2],
    outputs: () => [[]],
    compute({ memory, inputs, outputs }, [shape]) {
      const n = shape![0]!;
      const value = logDeterminantOf(n, memory.float64(inputs[0]!, n * n));
      memory.float64(outputs[0]!, 1)[0] = value;
    },
  });
}
