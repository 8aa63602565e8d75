import * as tf from '@tensorflow/tfjs-core';
import type { Values } from '../backend.ts';
import { kernel, sizeOf, typeOf, type Unary, upcast } from './operation.ts';

interface CumulativeAttributes {
  readonly axis: number;
  readonly exclusive: boolean;
  readonly reverse: boolean;
}

/** A running total along one line: `step` is the distance to its next entry, negative for a reversed one. */
type Line = (x: Values, y: Values, start: number, step: number, length: number, exclusive: boolean) => void;

/** Running sums and products along one axis. */
export function registerCumulative(): void {
  cumulative('Cumsum', (x, y, start, step, length, exclusive) => {
    let total = 0;
    for (let k = 0, p = start; k < length; k++, p += step) {
      const v = x[p]!;
      y[p] = exclusive ? total : total + v;
      total += v;
    }
  });
  cumulative('Cumprod', (x, y, start, step, length, exclusive) => {
    let total = 1;
    for (let k = 0, p = start; k < length; k++, p += step) {
      const v = x[p]!;
      y[p] = exclusive ? total : total * v;
      total *= v;
    }
  });
}

function cumulative(name: string, line: Line): void {
  kernel<Unary, CumulativeAttributes>(name, ({ x }, { axis, exclusive, reverse }, backend) => {
    const result = backend.allocate(x.shape, upcast(typeOf(x), 'int32'));
    const from = backend.values(x);
    const to = backend.values(result);
    const along = tf.util.parseAxisParam(axis, x.shape)[0]!;
    const length = x.shape[along]!;
    const inner = sizeOf(x.shape.slice(along + 1));
    const outer = sizeOf(x.shape.slice(0, along));
    for (let o = 0; o < outer; o++) {
      for (let i = 0; i < inner; i++) {
        const first = o * length * inner + i;
        if (reverse) line(from, to, first + (length - 1) * inner, -inner, length, exclusive);
        else line(from, to, first, inner, length, exclusive);
      }
    }
    return result;
  });
}
