import { square } from '../../core/elementary/index.ts';

/**
 * Dense loops on the blocks of a sparse factor. A block holds `width` columns of L: first their diagonal block, of which the lower
 * triangle counts, then the rows below; row by row, `width` numbers a row.
 */

/** Source of the pivots of a factorisation. */
export type Pivots = 'diagonal' | 'rowSums';

/**
 * Overwrites a diagonal block with its Cholesky factor.
 * With `rowSums` the matrix is a grounded Laplacian, whose rows sum to 0: a pivot is minus the sum of the other entries of its column. Since these
 * are all ≤ 0 and remain so, nothing is ever subtracted, and L is accurate to working precision entry by entry however nearly singular the matrix is
 * (Alfa, Xue & Ye, Math. Comp. 71 (2002); O'Cinneide, Numer. Math. 65 (1993)).
 *
 * @returns −1, or the column whose pivot is not positive, with the pivot left in its place
 */
export function factorDiagonal(
  block: Float64Array,
  start: number,
  width: number,
  below: number,
  pivots: Pivots,
  sums: Float64Array,
): number {
  if (pivots === 'rowSums') sumRowsBelow(block, start, width, below, sums);
  for (let j = 0; j < width; j++) {
    const rowJ = start + j * width;
    let rest = 0;
    for (let i = j + 1; i < width; i++) {
      const rowI = start + i * width;
      let entry = block[rowI + j]!;
      for (let k = 0; k < j; k++) entry -= block[rowI + k]! * block[rowJ + k]!;
      block[rowI + j] = entry;
      rest += entry;
    }
    let pivot = block[rowJ + j]!;
    if (pivots === 'rowSums') {
      // The sum of the rows below is eliminated like a single row.
      let sum = sums[j]!;
      for (let k = 0; k < j; k++) sum -= sums[k]! * block[rowJ + k]!;
      sums[j] = sum;
      pivot = -(rest + sum);
    } else {
      for (let k = 0; k < j; k++) pivot -= square(block[rowJ + k]!);
    }
    if (!(pivot > 0 && pivot < Infinity)) {
      block[rowJ + j] = pivot;
      return j;
    }
    const root = Math.sqrt(pivot);
    block[rowJ + j] = root;
    for (let i = j + 1; i < width; i++) block[start + i * width + j]! /= root;
    if (pivots === 'rowSums') sums[j]! /= root;
  }
  return -1;
}

function sumRowsBelow(block: Float64Array, start: number, width: number, below: number, sums: Float64Array): void {
  sums.fill(0, 0, width);
  let p = start + width * width;
  for (let i = 0; i < below; i++) for (let j = 0; j < width; j++) sums[j]! += block[p++]!;
}

/** Rows below ← rows below · L⁻ᵀ, with L the factor of the diagonal block. */
export function solveRowsBelow(block: Float64Array, start: number, width: number, below: number): void {
  const end = start + (width + below) * width;
  for (let row = start + width * width; row < end; row += width) {
    for (let j = 0; j < width; j++) {
      const rowJ = start + j * width;
      let entry = block[row + j]!;
      for (let k = 0; k < j; k++) entry -= block[row + k]! * block[rowJ + k]!;
      block[row + j] = entry / block[rowJ + j]!;
    }
  }
}

/** Lower triangle of C ← C − B·Bᵀ, with B the rows below and C `below`×`below`, row by row. */
export function subtractOuterProduct(
  block: Float64Array,
  start: number,
  width: number,
  below: number,
  c: Float64Array,
  cStart: number,
): void {
  const first = start + width * width;
  for (let i = 0; i < below; i += 2) {
    const row0 = first + i * width;
    // An odd last row is paired with itself: computed twice and stored once.
    const row1 = i + 1 < below ? row0 + width : row0;
    const target0 = cStart + i * below;
    const target1 = target0 + below;
    for (let j = 0; j <= i; j += 2) {
      const column0 = first + j * width;
      const column1 = j + 1 < below ? column0 + width : column0;
      let s00 = 0;
      let s01 = 0;
      let s10 = 0;
      let s11 = 0;
      for (let k = 0; k < width; k++) {
        const a0 = block[row0 + k]!;
        const a1 = block[row1 + k]!;
        const b0 = block[column0 + k]!;
        const b1 = block[column1 + k]!;
        s00 += a0 * b0;
        s01 += a0 * b1;
        s10 += a1 * b0;
        s11 += a1 * b1;
      }
      c[target0 + j]! -= s00;
      if (j < i) c[target0 + j + 1]! -= s01;
      if (i + 1 < below) {
        c[target1 + j]! -= s10;
        c[target1 + j + 1]! -= s11;
      }
    }
  }
}
