import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import type { NumericType, Values } from '../backend.ts';
import { kernel, sizeOf, typeOf, type Unary } from './operation.ts';

/** Placement of a box of entries in an array: its first entry, and the distance to the next one along each axis. */
interface Placement {
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

/** y[k + t] = f(a[i + t·da], b[j + t·db]) for t = 0 … n − 1; the steps da and db are 1, or 0 for a repeated operand. */
export type Row = (
  a: Values,
  i: number,
  da: number,
  b: Values,
  j: number,
  db: number,
  y: Values,
  k: number,
  n: number,
) => void;

/**
 * Registers y = f(a, b) with broadcasting. As with `elementwise`, every operation has its own loop.
 *
 * @param dtype - type of the result; 'same' for the type of a (TensorFlow.js has already made both types equal)
 * @param names - names of the two operands in TensorFlow.js
 */
export function broadcasting(
  name: string,
  dtype: NumericType | 'same',
  row: Row,
  names: readonly [string, string] = ['a', 'b'],
): void {
  kernel<Readonly<Record<string, TensorInfo>>>(name, (inputs, _, backend) => {
    const a = inputs[names[0]]!;
    const b = inputs[names[1]]!;
    const plan = broadcastPlan(a.shape, b.shape);
    const result = backend.allocate(plan.shape, dtype === 'same' ? typeOf(a) : dtype);
    const x = backend.values(a);
    const z = backend.values(b);
    const y = backend.values(result);
    if (y.length === 0) return result;
    const { sizes, stepsA, stepsB } = plan;
    const last = sizes.length - 1;
    const n = sizes[last]!;
    const da = stepsA[last]!;
    const db = stepsB[last]!;
    if (last === 0) {
      row(x, 0, da, z, 0, db, y, 0, n);
      return result;
    }
    const index = new Int32Array(last);
    let i = 0;
    let j = 0;
    for (let k = 0; k < y.length; k += n) {
      row(x, i, da, z, j, db, y, k, n);
      for (let d = last - 1; d >= 0; d--) {
        i += stepsA[d]!;
        j += stepsB[d]!;
        if (++index[d]! < sizes[d]!) break;
        i -= stepsA[d]! * sizes[d]!;
        j -= stepsB[d]! * sizes[d]!;
        index[d] = 0;
      }
    }
    return result;
  });
}

interface BroadcastPlan {
  readonly shape: readonly number[];
  readonly sizes: readonly number[];
  readonly stepsA: readonly number[];
  readonly stepsB: readonly number[];
}

/**
 * Shape of the result, with axes merged if both operands are contiguous across them, which makes the inner loop long: equal shapes give one axis, a
 * matrix and a column give two.
 */
function broadcastPlan(a: readonly number[], b: readonly number[]): BroadcastPlan {
  if (sameShape(a, b)) return { shape: a, sizes: [sizeOf(a)], stepsA: [1], stepsB: [1] };
  if (sizeOf(b) === 1 && b.length <= a.length) return { shape: a, sizes: [sizeOf(a)], stepsA: [1], stepsB: [0] };
  if (sizeOf(a) === 1 && a.length <= b.length) return { shape: b, sizes: [sizeOf(b)], stepsA: [0], stepsB: [1] };
  const shape = tf.broadcast_util.assertAndGetBroadcastShape(a as number[], b as number[]);
  const { sizes, steps, strides } = mergeAxes(
    shape,
    broadcastStrides(a, shape.length),
    broadcastStrides(b, shape.length),
  );
  return { shape, sizes, stepsA: steps, stepsB: strides };
}

function sameShape(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let d = 0; d < a.length; d++) if (a[d] !== b[d]) return false;
  return true;
}

/** Row-major strides, with axes added in front up to `rank`, and 0 along every axis of size 1. */
export function broadcastStrides(shape: readonly number[], rank: number): number[] {
  const strides = new Array<number>(rank).fill(0);
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    if (shape[d] !== 1) strides[d + rank - shape.length] = stride;
    stride *= shape[d]!;
  }
  return strides;
}

/** Operations that keep the numbers and change the shape or the type. */
export function registerShape(): void {
  kernel<Unary>('Identity', ({ x }, _, backend) => backend.share(x, x.shape));

  kernel<Unary, { shape: number[] }>('Reshape', ({ x }, { shape }, backend) =>
    backend.share(x, tf.util.inferFromImplicitShape(shape, sizeOf(x.shape))),
  );

  kernel<{ input: TensorInfo }, { dim: number }>('ExpandDims', ({ input }, { dim }, backend) => {
    const rank = input.shape.length;
    if (dim < -rank - 1 || dim > rank) {
      throw new InvalidInputError(
        `The new axis of a tensor of rank ${rank} must lie in ${-rank - 1} … ${rank}, but ${dim} was given.`,
      );
    }
    return backend.share(input, input.shape.toSpliced(dim < 0 ? rank + dim + 1 : dim, 0, 1));
  });

  kernel<Unary, { dtype: NumericType }>('Cast', ({ x }, { dtype }, backend) => {
    if (dtype === x.dtype) return backend.share(x, x.shape);
    const result = backend.allocate(x.shape, dtype);
    const from = backend.values(x);
    const to = backend.values(result);
    if (dtype === 'bool') for (let i = 0; i < to.length; i++) to[i] = from[i] !== 0 ? 1 : 0;
    else to.set(from);
    return result;
  });

  kernel<Unary>('ZerosLike', ({ x }, _, backend) => {
    const result = backend.allocate(x.shape, typeOf(x));
    backend.values(result).fill(0);
    return result;
  });

  kernel<Unary>('OnesLike', ({ x }, _, backend) => {
    const result = backend.allocate(x.shape, typeOf(x));
    backend.values(result).fill(1);
    return result;
  });
}
