import type { Values } from '../backend.ts';
import { kernel, typeOf, type Unary } from './operation.ts';

/** Placement of a box of entries in an array: its first entry, and the distance to the next one along each axis. */
export interface Placement {
  readonly offset: number;
  readonly strides: readonly number[];
}

/** Row-major strides of a shape. */
export function rowMajor(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= shape[d]!;
  }
  return strides;
}

/** A whole tensor of this shape. */
export const whole = (shape: readonly number[]): Placement => ({ offset: 0, strides: rowMajor(shape) });

/** The box that starts at `begin` in a tensor of this shape. */
export function boxAt(shape: readonly number[], begin: readonly number[]): Placement {
  const strides = rowMajor(shape);
  let offset = 0;
  for (let d = 0; d < begin.length; d++) offset += begin[d]! * strides[d]!;
  return { offset, strides };
}

/**
 * Copies a box of entries from one placement to another. A stride may be 0 (repeat), negative (reverse) or permuted (transpose): slicing, joining,
 * padding, tiling, reversing and transposing are this copy with different strides.
 */
export function stridedCopy(
  shape: readonly number[],
  source: Values,
  from: Placement,
  target: Values,
  to: Placement,
): void {
  const { sizes, steps, strides } = mergeAxes(shape, from.strides, to.strides);
  for (const size of sizes) if (size === 0) return;
  const last = sizes.length - 1;
  const n = sizes[last]!;
  const di = steps[last]!;
  const dj = strides[last]!;
  const index = new Int32Array(last);
  let i = from.offset;
  let j = to.offset;
  for (;;) {
    if (di === 1 && dj === 1 && n >= 64) target.set(source.subarray(i, i + n), j);
    else for (let t = 0, p = i, q = j; t < n; t++, p += di, q += dj) target[q] = source[p]!;
    let d = last - 1;
    for (; d >= 0; d--) {
      i += steps[d]!;
      j += strides[d]!;
      if (++index[d]! < sizes[d]!) break;
      i -= steps[d]! * sizes[d]!;
      j -= strides[d]! * sizes[d]!;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

/** The box described with as few axes as possible, at least one. */
function mergeAxes(shape: readonly number[], from: readonly number[], to: readonly number[]) {
  const sizes: number[] = [];
  const steps: number[] = [];
  const strides: number[] = [];
  for (let d = shape.length - 1; d >= 0; d--) {
    const size = shape[d]!;
    if (size === 1) continue;
    const outer = sizes.length - 1;
    const run = sizes[outer];
    if (run !== undefined && from[d] === steps[outer]! * run && to[d] === strides[outer]! * run) {
      sizes[outer] = run * size;
    } else {
      sizes.push(size);
      steps.push(from[d]!);
      strides.push(to[d]!);
    }
  }
  if (sizes.length === 0) return { sizes: [1], steps: [1], strides: [1] };
  return { sizes: sizes.reverse(), steps: steps.reverse(), strides: strides.reverse() };
}

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
