import type { Values } from '../backend.ts';
import { upcast } from './operation.ts';
import { reduction } from './reduction.ts';

/** Sums, products and extremes along axes. What nothing has, an extreme of no numbers, is NaN, as on the other backends. */
export function registerReductions(): void {
  reduction('Sum', sum, (x) => upcast(x, 'int32'));

  reduction(
    'Mean',
    (x, y, outer, length, inner) => {
      sum(x, y, outer, length, inner);
      if (length > 0) for (let i = 0; i < y.length; i++) y[i]! /= length;
    },
    () => 'float32',
  );

  reduction(
    'Prod',
    (x, y, outer, length, inner) => {
      for (let o = 0, at = 0; o < outer; o++) {
        for (let i = 0; i < inner; i++) {
          let product = 1;
          const end = (o * length + length) * inner + i;
          for (let p = o * length * inner + i; p < end; p += inner) product *= x[p]!;
          y[at++] = product;
        }
      }
    },
    (x) => upcast(x, 'int32'),
  );

  reduction(
    'Max',
    (x, y, outer, length, inner) => {
      for (let o = 0, at = 0; o < outer; o++) {
        for (let i = 0; i < inner; i++) {
          const start = o * length * inner + i;
          let largest = length > 0 ? x[start]! : Number.NaN;
          for (let k = 1, p = start + inner; k < length; k++, p += inner) {
            const v = x[p]!;
            if (v > largest || Number.isNaN(v)) largest = v;
          }
          y[at++] = largest;
        }
      }
    },
    (x) => x,
  );

  reduction(
    'Min',
    (x, y, outer, length, inner) => {
      for (let o = 0, at = 0; o < outer; o++) {
        for (let i = 0; i < inner; i++) {
          const start = o * length * inner + i;
          let smallest = length > 0 ? x[start]! : Number.NaN;
          for (let k = 1, p = start + inner; k < length; k++, p += inner) {
            const v = x[p]!;
            if (v < smallest || Number.isNaN(v)) smallest = v;
          }
          y[at++] = smallest;
        }
      }
    },
    (x) => x,
  );

  reduction(
    'All',
    (x, y, outer, length, inner) => {
      for (let o = 0, at = 0; o < outer; o++) {
        for (let i = 0; i < inner; i++) {
          const start = o * length * inner + i;
          let all = length > 0 ? 1 : 0;
          for (let k = 0, p = start; k < length; k++, p += inner) if (!x[p]!) all = 0;
          y[at++] = all;
        }
      }
    },
    (x) => x,
  );

  reduction(
    'Any',
    (x, y, outer, length, inner) => {
      for (let o = 0, at = 0; o < outer; o++) {
        for (let i = 0; i < inner; i++) {
          const start = o * length * inner + i;
          let any = 0;
          for (let k = 0, p = start; k < length; k++, p += inner) if (x[p]!) any = 1;
          y[at++] = any;
        }
      }
    },
    (x) => x,
  );

  // The first of equals, and NaN is never larger or smaller.
  reduction(
    'ArgMax',
    (x, y, outer, length, inner) => {
      for (let o = 0, at = 0; o < outer; o++) {
        for (let i = 0; i < inner; i++) {
          const start = o * length * inner + i;
          let largest = x[start]!;
          let index = 0;
          for (let k = 1, p = start + inner; k < length; k++, p += inner) {
            if (x[p]! > largest) {
              largest = x[p]!;
              index = k;
            }
          }
          y[at++] = index;
        }
      }
    },
    () => 'int32',
  );

  reduction(
    'ArgMin',
    (x, y, outer, length, inner) => {
      for (let o = 0, at = 0; o < outer; o++) {
        for (let i = 0; i < inner; i++) {
          const start = o * length * inner + i;
          let smallest = x[start]!;
          let index = 0;
          for (let k = 1, p = start + inner; k < length; k++, p += inner) {
            if (x[p]! < smallest) {
              smallest = x[p]!;
              index = k;
            }
          }
          y[at++] = index;
        }
      }
    },
    () => 'int32',
  );
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
