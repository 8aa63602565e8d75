import * as tf from '@tensorflow/tfjs-core';
import type { TensorInfo } from '../../tensorflow.ts';
import type { NumericType, Values } from '../backend.ts';
import { kernel, sizeOf, typeOf } from './operation.ts';

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
 * @param dtype - type of the result; default that of a (TensorFlow.js has already made both types equal)
 * @param names - names of the two operands in TensorFlow.js
 */
export function broadcasting(
  name: string,
  row: Row,
  dtype?: NumericType,
  names: readonly [string, string] = ['a', 'b'],
): void {
  kernel<Readonly<Record<string, TensorInfo>>>(name, (inputs, _, backend) => {
    const a = inputs[names[0]]!;
    const b = inputs[names[1]]!;
    const plan = broadcastPlan(a.shape, b.shape);
    const result = backend.allocate(plan.shape, dtype ?? typeOf(a));
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
 * Shape of the result, with axes merged wherever both operands run through them evenly, which makes the inner loop long: equal shapes give one axis,
 * a matrix and a column give two.
 */
function broadcastPlan(a: readonly number[], b: readonly number[]): BroadcastPlan {
  if (sameShape(a, b)) return { shape: a, sizes: [sizeOf(a)], stepsA: [1], stepsB: [1] };
  if (sizeOf(b) === 1 && b.length <= a.length) return { shape: a, sizes: [sizeOf(a)], stepsA: [1], stepsB: [0] };
  if (sizeOf(a) === 1 && a.length <= b.length) return { shape: b, sizes: [sizeOf(b)], stepsA: [0], stepsB: [1] };
  const shape = tf.broadcast_util.assertAndGetBroadcastShape(a as number[], b as number[]);
  const stridesA = broadcastStrides(a, shape.length);
  const stridesB = broadcastStrides(b, shape.length);
  const sizes: number[] = [];
  const stepsA: number[] = [];
  const stepsB: number[] = [];
  for (let d = shape.length - 1; d >= 0; d--) {
    const size = shape[d]!;
    if (size === 1) continue;
    const outer = sizes.length - 1;
    const run = sizes[outer];
    if (run !== undefined && stridesA[d] === stepsA[outer]! * run && stridesB[d] === stepsB[outer]! * run) {
      sizes[outer] = run * size;
    } else {
      sizes.push(size);
      stepsA.push(stridesA[d]!);
      stepsB.push(stridesB[d]!);
    }
  }
  if (sizes.length === 0) return { shape, sizes: [1], stepsA: [1], stepsB: [1] };
  return { shape, sizes: sizes.reverse(), stepsA: stepsA.reverse(), stepsB: stepsB.reverse() };
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
