import * as tf from '@tensorflow/tfjs-core';
import { NumericalError } from '../../../../core/errors.ts';
import { entryInWords } from '../../../../core/matrix.ts';
import { areFinite, firstNotFinite } from '../../../../core/plainNumbers.ts';
import { clearUpper, factorize, logDeterminantOf, type PositiveDefiniteOptions } from '../../../dense/factorize.ts';
import {
  bytesOf,
  firstOf,
  isRegistered,
  mirrorLowerOf,
  registerMatrixKernel,
  runKernel,
  transposeInPlace,
  type Workspace,
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

  // Ā = L⁻ᵀ·M·L⁻¹ with M the symmetric matrix whose lower triangle is half the lower triangle of Lᵀ·L̄ (Murray 2016, eq. 10).
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

export const TRIANGULAR_SOLVE = 'latentfield.TriangularSolve';
const TRIANGULAR_SOLVE_GRADIENT = 'latentfield.TriangularSolveGradient';
export const CHOLESKY_SOLVE = 'latentfield.CholeskySolve';
const CHOLESKY_SOLVE_GRADIENT = 'latentfield.CholeskySolveGradient';

interface SolveAttributes {
  readonly transpose: boolean;
}

type Shapes = readonly (readonly number[])[];

/** X = L⁻¹B or L⁻ᵀB, X = (LLᵀ)⁻¹B, and their gradients. */
export function registerTriangularSolve(): void {
  if (isRegistered(TRIANGULAR_SOLVE)) return;
  registerMatrixKernel<SolveAttributes>({
    name: TRIANGULAR_SOLVE,
    inputs: ['l', 'b'],
    ranks: [2, 2],
    outputs: ([, b]) => [b!],
    compute(workspace, shapes, { transpose }) {
      solve(workspace, shapes, 'triangularSolve', [transpose]);
    },
  });
  registerMatrixKernel({
    name: CHOLESKY_SOLVE,
    inputs: ['l', 'b'],
    ranks: [2, 2],
    outputs: ([, b]) => [b!],
    compute(workspace, shapes) {
      solve(workspace, shapes, 'choleskySolve', [false, true]);
    },
  });
  registerSolveGradients();

  tf.registerGradient({
    kernelName: TRIANGULAR_SOLVE,
    inputsToSave: ['l'],
    outputsToSave: [true],
    gradFunc(dy, saved, attributes) {
      const [l, x] = saved as [tf.Tensor, tf.Tensor];
      const { transpose } = attributes as unknown as SolveAttributes;
      const z = runKernel(TRIANGULAR_SOLVE, { l, b: firstOf(dy) }, { transpose: !transpose })[0]!;
      return { b: () => z, l: () => runKernel(TRIANGULAR_SOLVE_GRADIENT, { l, x, z }, { transpose })[0]! };
    },
  });
  tf.registerGradient({
    kernelName: CHOLESKY_SOLVE,
    inputsToSave: ['l'],
    outputsToSave: [true],
    gradFunc(dy, saved) {
      const [l, x] = saved as [tf.Tensor, tf.Tensor];
      const z = runKernel(CHOLESKY_SOLVE, { l, b: firstOf(dy) })[0]!;
      return { b: () => z, l: () => runKernel(CHOLESKY_SOLVE_GRADIENT, { l, x, z })[0]! };
    },
  });
}

function registerSolveGradients(): void {
  // With Z = B̄ = L⁻ᵀX̄: L̄ = −tril(Z·Xᵀ), and with L⁻ᵀ instead of L⁻¹: −tril(X·Zᵀ).
  registerMatrixKernel<SolveAttributes>({
    name: TRIANGULAR_SOLVE_GRADIENT,
    inputs: ['l', 'x', 'z'],
    ranks: [2, 2, 2],
    outputs: ([l]) => [l!],
    compute({ algebra, memory, inputs, outputs }, shapes, { transpose }) {
      const [n, m] = shapes[1] as [number, number];
      const [, x, z] = inputs as [number, number, number];
      const [left, right] = transpose ? [x, z] : [z, x];
      const rows = { offset: left, rowStride: m, columnStride: 1 };
      const columns = { offset: right, rowStride: 1, columnStride: m };
      algebra.gemm(n, n, m, -1, rows, columns, 0, { offset: outputs[0]!, rowStride: n, columnStride: 1 });
      clearUpper(n, memory.float64(outputs[0]!, n * n));
    },
  });

  // With Z = B̄ = A⁻¹X̄, Ā = −½(ZXᵀ + XZᵀ) and L̄ = tril(2ĀL) = −tril(Z·(LᵀX)ᵀ + X·(LᵀZ)ᵀ).
  registerMatrixKernel({
    name: CHOLESKY_SOLVE_GRADIENT,
    inputs: ['l', 'x', 'z'],
    ranks: [2, 2, 2],
    outputs: ([l]) => [l!],
    compute({ algebra, memory, inputs, outputs }, shapes) {
      const [n, m] = shapes[1] as [number, number];
      const [l, x, z] = inputs as [number, number, number];
      const c = { offset: outputs[0]!, rowStride: n, columnStride: 1 };
      memory.withBlock(bytesOf(n * m), (product) => {
        for (const [left, right, beta] of [[z, x, 0] as const, [x, z, 1] as const]) {
          memory.float64(product, n * m).set(memory.float64(right, n * m));
          algebra.triangularMultiply(n, m, l, product, true);
          const rows = { offset: left, rowStride: m, columnStride: 1 };
          algebra.gemm(n, n, m, -1, rows, { offset: product, rowStride: 1, columnStride: m }, beta, c);
        }
      });
      clearUpper(n, memory.float64(outputs[0]!, n * n));
    },
  });
}

/** X ← B, then one solve with L or Lᵀ for each entry of `transposes`. */
function solve(
  { algebra, memory, inputs, outputs, position }: Workspace,
  shapes: Shapes,
  operation: string,
  transposes: readonly boolean[],
): void {
  const [n, m] = shapes[1] as [number, number];
  const [l, b] = inputs as [number, number];
  const x = outputs[0]!;
  checkDiagonal(n, memory.float64(l, n * n), operation, position);
  memory.float64(x, n * m).set(memory.float64(b, n * m));
  for (const transpose of transposes) algebra.triangularSolve(n, m, l, x, transpose);
  checkFinite(memory.float64(x, n * m), memory.float64(b, n * m), m, operation, position);
}

function checkDiagonal(n: number, l: Float64Array, operation: string, position: string): void {
  for (let i = 0; i < n; i++) {
    const entry = l[i * (n + 1)]!;
    if (entry === 0 || !Number.isFinite(entry)) {
      throw new NumericalError(
        `${operation} needs a triangular matrix with finite numbers other than 0 on its diagonal, but entry ${i} of the ` +
          `diagonal of l${position} (${n}×${n}) is ${entry}. Give it the factor that cholesky returned.`,
      );
    }
  }
}

function checkFinite(x: Float64Array, b: Float64Array, columns: number, operation: string, position: string): void {
  if (areFinite(x)) return;
  const bad = firstNotFinite(b);
  throw new NumericalError(
    bad < 0
      ? `${operation} overflowed: l${position} is singular to working precision, or has entries that are not finite.`
      : `${operation} needs a finite b${position}, but ${entryInWords({ data: b, columns }, bad)}.`,
  );
}
