import { gemm } from './gemm.ts';
import { BASE, firstHalf } from './halving.ts';
import { block, type MatrixView, transposed } from './matrixView.ts';

/**
 * B ← L⁻¹B, or L⁻ᵀB with `transpose`, for L n×n lower triangular (its upper triangle is not read) and B n×m, both
 * row-major (adjacent columns).
 *
 * Recursive forward or back substitution: with L = [L₁₁ ·; L₂₁ L₂₂], X₁ = L₁₁⁻¹B₁ and X₂ = L₂₂⁻¹(B₂ − L₂₁X₁).
 */
export function triangularSolve(n: number, m: number, l: MatrixView, b: MatrixView, transpose: boolean): void {
  if (n <= BASE || m === 1) {
    if (transpose) backSubstitute(n, m, l, b);
    else forwardSubstitute(n, m, l, b);
    return;
  }
  const half = firstHalf(n);
  const rest = n - half;
  const below = block(l, half, 0);
  const lowerRight = block(l, half, half);
  const lowerB = block(b, half, 0);
  if (transpose) {
    triangularSolve(rest, m, lowerRight, lowerB, true);
    gemm(half, m, rest, -1, transposed(below), lowerB, 1, b);
    triangularSolve(half, m, l, b, true);
  } else {
    triangularSolve(half, m, l, b, false);
    gemm(rest, m, half, -1, below, b, 1, lowerB);
    triangularSolve(rest, m, lowerRight, lowerB, false);
  }
}

/** B ← B·L⁻ᵀ for B m×n: every row of B is solved against L, as the panel below a factored block needs it. */
export function solveRight(m: number, n: number, l: MatrixView, b: MatrixView): void {
  if (n <= BASE) {
    solveRows(m, n, l, b);
    return;
  }
  const half = firstHalf(n);
  const right = block(b, 0, half);
  solveRight(m, half, l, b);
  gemm(m, n - half, half, -1, b, transposed(block(l, half, 0)), 1, right);
  solveRight(m, n - half, block(l, half, half), right);
}

function forwardSubstitute(n: number, m: number, l: MatrixView, b: MatrixView): void {
  const factor = l.data;
  const x = b.data;
  for (let i = 0; i < n; i++) {
    const row = l.start + i * l.rowStride;
    const target = b.start + i * b.rowStride;
    const pivot = factor[row + i]!;
    if (m === 1) {
      let sum = 0;
      for (let k = 0, p = b.start; k < i; k++, p += b.rowStride) sum += factor[row + k]! * x[p]!;
      x[target] = (x[target]! - sum) / pivot;
      continue;
    }
    subtractRows(i, m, factor, row, 1, x, b.start, b.rowStride, target);
    for (let j = 0; j < m; j++) x[target + j]! /= pivot;
  }
}

function backSubstitute(n: number, m: number, l: MatrixView, b: MatrixView): void {
  const factor = l.data;
  const x = b.data;
  for (let i = n - 1; i >= 0; i--) {
    const row = l.start + i * l.rowStride;
    const target = b.start + i * b.rowStride;
    const pivot = factor[row + i]!;
    if (m === 1) {
      x[target]! /= pivot;
      const value = x[target]!;
      for (let k = 0, p = b.start; k < i; k++, p += b.rowStride) x[p]! -= factor[row + k]! * value;
      continue;
    }
    const below = i + 1;
    subtractRows(
      n - below,
      m,
      factor,
      row + l.rowStride + i,
      l.rowStride,
      x,
      target + b.rowStride,
      b.rowStride,
      target,
    );
    for (let j = 0; j < m; j++) x[target + j]! /= pivot;
  }
}

/** One row of X minus `count` rows of it times coefficients `stride` apart, two rows at a time. */
function subtractRows(
  count: number,
  m: number,
  coefficients: Float64Array,
  start: number,
  stride: number,
  x: Float64Array,
  rows: number,
  rowStride: number,
  target: number,
): void {
  let k = 0;
  let p = rows;
  let c = start;
  for (; k + 2 <= count; k += 2) {
    const u = coefficients[c]!;
    const v = coefficients[c + stride]!;
    const q = p + rowStride;
    for (let j = 0; j < m; j++) x[target + j]! -= u * x[p + j]! + v * x[q + j]!;
    p = q + rowStride;
    c += 2 * stride;
  }
  if (k === count) return;
  const u = coefficients[c]!;
  for (let j = 0; j < m; j++) x[target + j]! -= u * x[p + j]!;
}

/** `solveRight` for a small L: four rows of B at a time share every entry of L that is read. */
function solveRows(m: number, n: number, l: MatrixView, b: MatrixView): void {
  const factor = l.data;
  const x = b.data;
  let i = 0;
  for (; i + 4 <= m; i += 4) {
    const p0 = b.start + i * b.rowStride;
    const p1 = p0 + b.rowStride;
    const p2 = p1 + b.rowStride;
    const p3 = p2 + b.rowStride;
    for (let j = 0; j < n; j++) {
      const row = l.start + j * l.rowStride;
      let s0 = x[p0 + j]!;
      let s1 = x[p1 + j]!;
      let s2 = x[p2 + j]!;
      let s3 = x[p3 + j]!;
      for (let k = 0; k < j; k++) {
        const value = factor[row + k]!;
        s0 -= value * x[p0 + k]!;
        s1 -= value * x[p1 + k]!;
        s2 -= value * x[p2 + k]!;
        s3 -= value * x[p3 + k]!;
      }
      const pivot = factor[row + j]!;
      x[p0 + j] = s0 / pivot;
      x[p1 + j] = s1 / pivot;
      x[p2 + j] = s2 / pivot;
      x[p3 + j] = s3 / pivot;
    }
  }
  for (; i < m; i++) {
    const p = b.start + i * b.rowStride;
    for (let j = 0; j < n; j++) {
      const row = l.start + j * l.rowStride;
      let sum = x[p + j]!;
      for (let k = 0; k < j; k++) sum -= factor[row + k]! * x[p + k]!;
      x[p + j] = sum / factor[row + j]!;
    }
  }
}
