import { gemm } from './gemm.ts';
import { BASE, firstHalf } from './halving.ts';
import { block, type MatrixView, transposed } from './matrixView.ts';

/**
 * B ← LB, or LᵀB with `transpose`, for L n×n lower triangular (its upper triangle is not read) and B n×m, both row-major
 * (adjacent columns). Recursive: with L = [L₁₁ ·; L₂₁ L₂₂], B₂ ← L₂₂B₂ + L₂₁B₁ and B₁ ← L₁₁B₁.
 */
export function triangularMultiply(n: number, m: number, l: MatrixView, b: MatrixView, transpose: boolean): void {
  if (n <= BASE) {
    if (transpose) multiplyTransposed(n, m, l, b);
    else multiply(n, m, l, b);
    return;
  }
  const half = firstHalf(n);
  const rest = n - half;
  const below = block(l, half, 0);
  const lowerRight = block(l, half, half);
  const lowerB = block(b, half, 0);
  if (transpose) {
    triangularMultiply(half, m, l, b, true);
    gemm(half, m, rest, 1, transposed(below), lowerB, 1, b);
    triangularMultiply(rest, m, lowerRight, lowerB, true);
  } else {
    triangularMultiply(rest, m, lowerRight, lowerB, false);
    gemm(rest, m, half, 1, below, b, 1, lowerB);
    triangularMultiply(half, m, l, b, false);
  }
}

/** B ← scale·B·L for B m×n: every row of B times L. */
export function multiplyRight(m: number, n: number, scale: number, l: MatrixView, b: MatrixView): void {
  if (n <= BASE) {
    multiplyRows(m, n, scale, l, b);
    return;
  }
  const half = firstHalf(n);
  const right = block(b, 0, half);
  multiplyRight(m, half, scale, l, b);
  gemm(m, half, n - half, scale, right, block(l, half, 0), 1, b);
  multiplyRight(m, n - half, scale, block(l, half, half), right);
}

function multiply(n: number, m: number, l: MatrixView, b: MatrixView): void {
  const factor = l.data;
  const x = b.data;
  // From the last row up, so that the rows above are still those of B.
  for (let i = n - 1; i >= 0; i--) {
    const row = l.start + i * l.rowStride;
    const target = b.start + i * b.rowStride;
    const diagonal = factor[row + i]!;
    for (let j = 0; j < m; j++) x[target + j]! *= diagonal;
    for (let k = 0; k < i; k++) {
      const value = factor[row + k]!;
      const p = b.start + k * b.rowStride;
      for (let j = 0; j < m; j++) x[target + j]! += value * x[p + j]!;
    }
  }
}

function multiplyTransposed(n: number, m: number, l: MatrixView, b: MatrixView): void {
  const factor = l.data;
  const x = b.data;
  // From the first row down, so that the rows below are still those of B.
  for (let i = 0; i < n; i++) {
    const target = b.start + i * b.rowStride;
    const diagonal = factor[l.start + i * l.rowStride + i]!;
    for (let j = 0; j < m; j++) x[target + j]! *= diagonal;
    for (let k = i + 1; k < n; k++) {
      const value = factor[l.start + k * l.rowStride + i]!;
      const p = b.start + k * b.rowStride;
      for (let j = 0; j < m; j++) x[target + j]! += value * x[p + j]!;
    }
  }
}

function multiplyRows(m: number, n: number, scale: number, l: MatrixView, b: MatrixView): void {
  const factor = l.data;
  const x = b.data;
  for (let i = 0; i < m; i++) {
    const p = b.start + i * b.rowStride;
    for (let k = 0; k < n; k++) {
      const row = l.start + k * l.rowStride;
      const value = scale * x[p + k]!;
      for (let j = 0; j < k; j++) x[p + j]! += value * factor[row + j]!;
      x[p + k] = value * factor[row + k]!;
    }
  }
}
