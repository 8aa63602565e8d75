import type { Values } from '../backend.ts';
import { kernel, typeOf, type Unary } from './operation.ts';
import { rowMajor, stridedCopy, whole } from './stridedCopy.ts';

const BLOCK = 32;

/** Permutation of axes. */
export function registerTranspose(): void {
  kernel<Unary, { perm: number[] }>('Transpose', ({ x }, { perm }, backend) => {
    const shape = perm.map((axis) => x.shape[axis]!);
    const result = backend.allocate(shape, typeOf(x));
    const from = backend.values(x);
    const to = backend.values(result);
    if (shape.length === 2 && perm[0] === 1) transposeMatrix(from, to, shape[1]!, shape[0]!);
    else transposeInto(from, x.shape, perm, to);
    return result;
  });
}

/** Writes x, of the given shape, with its axes permuted: axis d of the result is axis permutation[d] of x. */
export function transposeInto(x: Values, shape: readonly number[], permutation: readonly number[], into: Values): void {
  const strides = rowMajor(shape);
  const permuted = permutation.map((axis) => shape[axis]!);
  stridedCopy(permuted, x, { offset: 0, strides: permutation.map((axis) => strides[axis]!) }, into, whole(permuted));
}

/** Transposes square blocks, so that the rows that are read and the columns that are written both stay in the cache. */
function transposeMatrix(x: Values, y: Values, rows: number, columns: number): void {
  for (let top = 0; top < rows; top += BLOCK) {
    const bottom = Math.min(rows, top + BLOCK);
    for (let left = 0; left < columns; left += BLOCK) {
      const right = Math.min(columns, left + BLOCK);
      for (let i = top; i < bottom; i++) {
        for (let j = left; j < right; j++) y[j * rows + i] = x[i * columns + j]!;
      }
    }
  }
}
