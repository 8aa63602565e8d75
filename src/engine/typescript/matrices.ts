import type { Matrix } from '../../core/matrix.ts';
import { symmetricMatrix } from '../dense/symmetric.ts';

/**
 * A matrix inside a Float64Array: entry (i, j) is at `start + i·rowStride + j·columnStride`. A transpose is a swap of the
 * strides.
 */
export interface MatrixView {
  readonly data: Float64Array;
  readonly start: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** A contiguous row-major matrix with `columns` columns. */
export function rowMajor(data: Float64Array, columns: number, start = 0): MatrixView {
  return { data, start, rowStride: columns, columnStride: 1 };
}

/** The transpose of `view`, on the same numbers. */
export function transposed(view: MatrixView): MatrixView {
  return { data: view.data, start: view.start, rowStride: view.columnStride, columnStride: view.rowStride };
}

/**
 * C ← alpha·A·B + beta·C, with A m×k, B k×n and C m×n in any strides; C must not overlap A or B.
 *
 * @param beta - if 0, the previous entries of C are ignored, even NaN
 * @param lower - only the lower triangle of C (with its diagonal) is read and written
 */
export function gemm(
  m: number,
  n: number,
  k: number,
  alpha: number,
  a: MatrixView,
  b: MatrixView,
  beta: number,
  c: MatrixView,
  lower = false,
): void {
  const [x, y, z] = [a.data, b.data, c.data];
  for (let i = 0; i < m; i++) {
    const row = c.start + i * c.rowStride;
    const columns = lower ? Math.min(i + 1, n) : n;
    for (let j = 0, q = row; j < columns; j++, q += c.columnStride) z[q] = beta === 0 ? 0 : beta * z[q]!;
    // Down the rows of B, so that they are read in order if they are adjacent.
    for (let p = 0; p < k; p++) {
      const factor = alpha * x[a.start + i * a.rowStride + p * a.columnStride]!;
      let r = b.start + p * b.rowStride;
      for (let j = 0, q = row; j < columns; j++, q += c.columnStride, r += b.columnStride) z[q]! += factor * y[r]!;
    }
  }
}

/**
 * Lower triangle of A ← L with A = LLᵀ, row by row, for A n×n row-major; the upper triangle is neither read nor written.
 *
 * @returns −1, or the first pivot that is not positive (or not a number), whose value is then at A[i, i]
 */
export function cholesky(n: number, { data, start, rowStride }: MatrixView): number {
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    for (let j = 0; j <= i; j++) {
      const other = start + j * rowStride;
      let rest = data[row + j]!;
      for (let k = 0; k < j; k++) rest -= data[row + k]! * data[other + k]!;
      if (j < i) {
        data[row + j] = rest / data[other + j]!;
      } else if (rest > 0) {
        data[row + i] = Math.sqrt(rest);
      } else {
        data[row + i] = rest;
        return i;
      }
    }
  }
  return -1;
}

/**
 * B ← L⁻¹B, or L⁻ᵀB with `transpose`, by forward or back substitution, for L n×n lower triangular (its upper triangle is not read)
 * and B n×m, both row-major (adjacent columns).
 */
export function triangularSolve(n: number, m: number, l: MatrixView, b: MatrixView, transpose: boolean): void {
  const x = b.data;
  const row = (i: number) => b.start + i * b.rowStride;
  const entry = (i: number, k: number) => l.data[l.start + i * l.rowStride + k]!;
  const first = transpose ? n - 1 : 0;
  const step = transpose ? -1 : 1;
  for (let i = first; i >= 0 && i < n; i += step) {
    const target = row(i);
    for (let k = first; k !== i; k += step) {
      const factor = transpose ? entry(k, i) : entry(i, k);
      for (let j = 0, p = row(k); j < m; j++, p++) x[target + j]! -= factor * x[p]!;
    }
    const pivot = entry(i, i);
    for (let j = 0; j < m; j++) x[target + j]! /= pivot;
  }
}

/**
 * B ← LB, or LᵀB with `transpose`, for L n×n lower triangular (its upper triangle is not read) and B n×m, both row-major (adjacent
 * columns): from the last row up, or the first one down, so that rows of B are read before they are overwritten.
 */
export function triangularMultiply(n: number, m: number, l: MatrixView, b: MatrixView, transpose: boolean): void {
  const x = b.data;
  const row = (i: number) => b.start + i * b.rowStride;
  const entry = (i: number, k: number) => l.data[l.start + i * l.rowStride + k]!;
  for (let t = 0; t < n; t++) {
    const i = transpose ? t : n - 1 - t;
    const target = row(i);
    const diagonal = entry(i, i);
    for (let j = 0; j < m; j++) x[target + j]! *= diagonal;
    for (let k = transpose ? i + 1 : 0; transpose ? k < n : k < i; k++) {
      const factor = transpose ? entry(k, i) : entry(i, k);
      for (let j = 0, p = row(k); j < m; j++, p++) x[target + j]! += factor * x[p]!;
    }
  }
}

/** L ← (LLᵀ)⁻¹ = XᵀX with X = L⁻¹, in place, for L n×n lower triangular and row-major; both triangles filled, exactly symmetric. */
export function choleskyInverse(n: number, l: MatrixView): void {
  triangularInverse(n, l);
  triangularGram(n, l);
  mirrorLower(n, l);
}

/** L ← L⁻¹; row i of the inverse is −x_ii·Σ_{k<i} l_ik·(row k of the inverse), and l_ik may be overwritten once used. */
function triangularInverse(n: number, { data, start, rowStride }: MatrixView): void {
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    const diagonal = 1 / data[row + i]!;
    for (let k = 0; k < i; k++) {
      const value = -diagonal * data[row + k]!;
      const other = start + k * rowStride;
      for (let j = 0; j < k; j++) data[row + j]! += value * data[other + j]!;
      data[row + k] = value * data[other + k]!;
    }
    data[row + i] = diagonal;
  }
}

/** Lower triangle of X ← XᵀX, from the first row down. */
function triangularGram(n: number, { data, start, rowStride }: MatrixView): void {
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    const diagonal = data[row + i]!;
    for (let j = 0; j <= i; j++) data[row + j]! *= diagonal;
    for (let k = i + 1; k < n; k++) {
      const other = start + k * rowStride;
      const value = data[other + i]!;
      for (let j = 0; j <= i; j++) data[row + j]! += value * data[other + j]!;
    }
  }
}

/** Copies the lower triangle to the upper one. */
export function mirrorLower(n: number, { data, start, rowStride }: MatrixView): void {
  // Tile by tile: a whole column of a large matrix would miss the cache at every entry.
  const size = 16;
  for (let top = 0; top < n; top += size) {
    const bottom = Math.min(top + size, n);
    for (let left = 0; left <= top; left += size) {
      for (let i = top; i < bottom; i++) {
        const right = Math.min(left + size, i);
        for (let j = left; j < right; j++) data[start + j * rowStride + i] = data[start + i * rowStride + j]!;
      }
    }
  }
}

/** YYᵀ, N×N */
export function outerProduct({ data, rows: N, columns: D }: Matrix): Matrix {
  return symmetricMatrix(N, (i, j) => {
    let sum = 0;
    for (let k = 0; k < D; k++) sum += data[i * D + k]! * data[j * D + k]!;
    return sum;
  });
}
