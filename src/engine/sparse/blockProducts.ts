import { square } from '../../core/elementary/index.ts';
import { linearAlgebra } from '../dense/activeEngine.ts';
import { sharedMemory } from '../memory.ts';
import type { SymbolicFactor } from './symbolicFactor.ts';

/**
 * Dense loops on the blocks of a sparse factor. A block has `width` columns of L: first their diagonal block (lower triangle only), followed by the
 * rows below it, row by row with `width` numbers per row.
 */

/** Source of a factorization's pivots. */
export type Pivots = 'diagonal' | 'rowSums';

/**
 * Overwrites a diagonal block with its Cholesky factor.
 * With `rowSums` the matrix is a grounded Laplacian, whose rows sum to 0: a pivot is minus the sum of the other entries of its column. Since these
 * are all ≤ 0 and remain so, nothing is ever subtracted, and L is accurate to working precision entry by entry however nearly singular the matrix is
 * (Alfa, Xue & Ye, Math. Comp. 71 (2002); O'Cinneide, Numer. Math. 65 (1993)).
 *
 * @returns −1, or the index of the first column whose pivot is not positive, with the pivot left on the diagonal
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

/** The two products of dense blocks that dominate the time of a sparse factorization. */
export interface BlockProducts {
  readonly subtractOuterProduct: typeof subtractOuterProduct;
  readonly symmetricTimes: typeof symmetricTimes;
}

/** Number of multiplications above which copying the operands to the engine's memory is worthwhile. */
const LARGE = 2 ** 16;

const PLAIN: BlockProducts = Object.freeze({ subtractOuterProduct, symmetricTimes });

/**
 * Runs `work` with products that pass large blocks to the linear algebra engine. Graphs that grow like a surface have small blocks nearly everywhere,
 * where plain loops are as fast; graphs that grow like a volume spend nearly all their time in large blocks.
 */
export function withBlockProducts<T>(symbolic: SymbolicFactor, work: (products: BlockProducts) => T): T {
  const { mostRows, mostColumns } = symbolic;
  if (mostRows * mostRows * mostColumns < LARGE) return work(PLAIN);
  const memory = sharedMemory();
  const engine = linearAlgebra(memory);
  const squareBytes = 8 * mostRows * mostRows;
  const tallBytes = 8 * mostRows * mostColumns;
  return memory.withBlock(squareBytes, (square) =>
    memory.withBlock(tallBytes, (tall) =>
      memory.withBlock(tallBytes, (product) =>
        work({
          subtractOuterProduct(block, start, width, below, c, cStart) {
            if (below * below * width < LARGE) {
              subtractOuterProduct(block, start, width, below, c, cStart);
              return;
            }
            const first = start + width * width;
            memory.float64(tall, below * width).set(block.subarray(first, first + below * width));
            engine.syrk(below, width, 1, { offset: tall, rowStride: width, columnStride: 1 }, 0, square);
            subtractLower(below, c, cStart, memory.float64(square, below * below));
          },
          symmetricTimes(n, width, r, rStart, p, pStart, t) {
            if (n * n * width < LARGE) {
              symmetricTimes(n, width, r, rStart, p, pStart, t);
              return;
            }
            memory.float64(square, n * n).set(r.subarray(rStart, rStart + n * n));
            memory.float64(tall, n * width).set(p.subarray(pStart, pStart + n * width));
            const rowMajor = (offset: number, columns: number) => ({ offset, rowStride: columns, columnStride: 1 });
            engine.gemm(n, width, n, 1, rowMajor(square, n), rowMajor(tall, width), 0, rowMajor(product, width));
            t.set(memory.float64(product, n * width));
          },
        }),
      ),
    ),
  );
}

/** Lower triangle of C ← C − B, both n×n, row by row. */
function subtractLower(n: number, c: Float64Array, cStart: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    const row = i * n;
    for (let j = 0; j <= i; j++) c[cStart + row + j]! -= b[row + j]!;
  }
}

/** T ← R·P for a symmetric R n×n and P n×width, all row by row from their starts: tiles of 2×4 sums stay in registers. */
export function symmetricTimes(
  n: number,
  width: number,
  r: Float64Array,
  rStart: number,
  p: Float64Array,
  pStart: number,
  t: Float64Array,
): void {
  for (let i = 0; i < n; i += 2) {
    const row0 = rStart + i * n;
    // An odd last row is paired with itself.
    const row1 = i + 1 < n ? row0 + n : row0;
    const target0 = i * width;
    const target1 = i + 1 < n ? target0 + width : target0;
    let j = 0;
    for (; j + 4 <= width; j += 4) {
      let s00 = 0;
      let s01 = 0;
      let s02 = 0;
      let s03 = 0;
      let s10 = 0;
      let s11 = 0;
      let s12 = 0;
      let s13 = 0;
      for (let k = 0, q = pStart + j; k < n; k++, q += width) {
        const r0 = r[row0 + k]!;
        const r1 = r[row1 + k]!;
        const p0 = p[q]!;
        const p1 = p[q + 1]!;
        const p2 = p[q + 2]!;
        const p3 = p[q + 3]!;
        s00 += r0 * p0;
        s01 += r0 * p1;
        s02 += r0 * p2;
        s03 += r0 * p3;
        s10 += r1 * p0;
        s11 += r1 * p1;
        s12 += r1 * p2;
        s13 += r1 * p3;
      }
      t[target0 + j] = s00;
      t[target0 + j + 1] = s01;
      t[target0 + j + 2] = s02;
      t[target0 + j + 3] = s03;
      t[target1 + j] = s10;
      t[target1 + j + 1] = s11;
      t[target1 + j + 2] = s12;
      t[target1 + j + 3] = s13;
    }
    for (; j < width; j++) {
      let s0 = 0;
      let s1 = 0;
      for (let k = 0, q = pStart + j; k < n; k++, q += width) {
        s0 += r[row0 + k]! * p[q]!;
        s1 += r[row1 + k]! * p[q]!;
      }
      t[target0 + j] = s0;
      t[target1 + j] = s1;
    }
  }
}
