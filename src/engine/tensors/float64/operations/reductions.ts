import * as tf from '@tensorflow/tfjs-core';
import type { NumericType, Values } from '../backend.ts';
import { transposeInto } from './layout.ts';
import { kernel, sizeOf, typeOf, type Unary, upcast } from './operation.ts';

/** Sums, means and extremes along axes. The extreme of no numbers is NaN, as on the other backends. */
export function registerReductions(): void {
  reduction('Sum', (x) => upcast(x, 'int32'), sum);

  reduction(
    'Mean',
    () => 'float32',
    (x, y, outer, length, inner) => {
      sum(x, y, outer, length, inner);
      if (length > 0) for (let i = 0; i < y.length; i++) y[i]! /= length;
    },
  );

  for (const [name, sign] of [
    ['Max', 1],
    ['Min', -1],
  ] as const) {
    reduction(
      name,
      (x) => x,
      (x, y, outer, length, inner) => {
        for (let o = 0, at = 0; o < outer; o++) {
          for (let i = 0; i < inner; i++) {
            const start = o * length * inner + i;
            let extreme = length > 0 ? x[start]! : Number.NaN;
            for (let k = 1, p = start + inner; k < length; k++, p += inner) {
              const v = x[p]!;
              if (sign * v > sign * extreme || Number.isNaN(v)) extreme = v;
            }
            y[at++] = extreme;
          }
        }
      },
    );
  }
}

function sum(x: Values, y: Values, outer: number, length: number, inner: number): void {
  if (inner === 1) {
    for (let o = 0, p = 0; o < outer; o++) {
      let total = 0;
      for (const end = p + length; p < end; p++) total += x[p]!;
      y[o] = total;
    }
    return;
  }
  // Row by row into the result, so that memory is read in order.
  y.fill(0);
  for (let o = 0, p = 0; o < outer; o++) {
    const start = o * inner;
    for (let k = 0; k < length; k++) {
      for (let i = start; i < start + inner; i++) y[i]! += x[p++]!;
    }
  }
}

/**
 * Reduces the middle axis of x, seen as outer × length × inner, into y, seen as outer × inner. As with `elementwise`, every operation has its own
 * loop.
 */
export type ReductionLoop = (x: Values, y: Values, outer: number, length: number, inner: number) => void;

export interface ReductionAttributes {
  readonly axis?: number | number[];
  /** The axes, by the name that Max uses. */
  readonly reductionIndices?: number | number[];
  readonly keepDims?: boolean;
}

/**
 * Registers a reduction along any axes.
 *
 * @param dtype - type of the result as a function of the type of x
 */
export function reduction(name: string, dtype: (x: NumericType) => NumericType, loop: ReductionLoop): void {
  kernel<Unary, ReductionAttributes>(name, ({ x }, attributes, backend) => {
    const axes = tf.util.parseAxisParam(attributes.reductionIndices ?? attributes.axis!, x.shape);
    const { shape, outer, length, inner, permutation } = reductionPlan(x.shape, axes, attributes.keepDims ?? false);
    const type = typeOf(x);
    const result = backend.allocate(shape, dtype(type));
    if (permutation === undefined) {
      loop(backend.values(x), backend.values(result), outer, length, inner);
      return result;
    }
    const permuted = backend.allocate(x.shape, type);
    transposeInto(backend.values(x), x.shape, permutation, backend.values(permuted));
    loop(backend.values(permuted), backend.values(result), outer, length, inner);
    backend.disposeData(permuted.dataId);
    return result;
  });
}

/** View of a tensor as outer × length × inner with the reduced axes in the middle, permuted first if they are not adjacent. */
function reductionPlan(from: readonly number[], axes: readonly number[], keepDims: boolean) {
  const reduced = from.map(() => false);
  for (const axis of axes) reduced[axis] = true;
  const kept = from.filter((_, d) => !reduced[d]);
  const shape = keepDims ? from.map((size, d) => (reduced[d] ? 1 : size)) : kept;
  const first = reduced.indexOf(true);
  const last = reduced.lastIndexOf(true);
  if (first < 0) return { shape, outer: sizeOf(from), length: 1, inner: 1 };
  const between = reduced.slice(first, last + 1);
  if (between.every((is) => is)) {
    const outer = sizeOf(from.slice(0, first));
    const length = sizeOf(from.slice(first, last + 1));
    return { shape, outer, length, inner: sizeOf(from.slice(last + 1)) };
  }
  const order = from.map((_, d) => d);
  const permutation = [...order.filter((d) => !reduced[d]), ...order.filter((d) => reduced[d])];
  return { shape, outer: sizeOf(kept), length: sizeOf(from.filter((_, d) => reduced[d])), inner: 1, permutation };
}
