import type { MatrixView } from './matrixView.ts';

/**
 * y ← A·x for A n×n symmetric and row-major, of which the upper triangle is read, once: every entry serves its own row and,
 * mirrored, its own column. Four rows at a time share the loads of x and y.
 */
export function multiplySymmetric(
  n: number,
  a: MatrixView,
  x: Float64Array,
  xStart: number,
  y: Float64Array,
  yStart: number,
): void {
  const { data, start, rowStride } = a;
  y.fill(0, yStart, yStart + n);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    multiplyCorner(i, 4, a, x, xStart, y, yStart);
    const r0 = start + i * rowStride;
    const r1 = r0 + rowStride;
    const r2 = r1 + rowStride;
    const r3 = r2 + rowStride;
    const x0 = x[xStart + i]!;
    const x1 = x[xStart + i + 1]!;
    const x2 = x[xStart + i + 2]!;
    const x3 = x[xStart + i + 3]!;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let j = i + 4; j < n; j++) {
      const value = x[xStart + j]!;
      const a0 = data[r0 + j]!;
      const a1 = data[r1 + j]!;
      const a2 = data[r2 + j]!;
      const a3 = data[r3 + j]!;
      s0 += a0 * value;
      s1 += a1 * value;
      s2 += a2 * value;
      s3 += a3 * value;
      y[yStart + j]! += a0 * x0 + a1 * x1 + (a2 * x2 + a3 * x3);
    }
    y[yStart + i]! += s0;
    y[yStart + i + 1]! += s1;
    y[yStart + i + 2]! += s2;
    y[yStart + i + 3]! += s3;
  }
  if (i < n) multiplyCorner(i, n - i, a, x, xStart, y, yStart);
}

/** The part of the product that belongs to the `size`×`size` block at (first, first). */
function multiplyCorner(
  first: number,
  size: number,
  a: MatrixView,
  x: Float64Array,
  xStart: number,
  y: Float64Array,
  yStart: number,
): void {
  for (let i = first; i < first + size; i++) {
    const row = a.start + i * a.rowStride;
    y[yStart + i]! += a.data[row + i]! * x[xStart + i]!;
    for (let j = i + 1; j < first + size; j++) {
      const value = a.data[row + j]!;
      y[yStart + i]! += value * x[xStart + j]!;
      y[yStart + j]! += value * x[xStart + i]!;
    }
  }
}
