import type { Float64Memory } from '../memory.ts';
import type { Kernels } from './instance.ts';

const BYTES = 8;

/** Hands out one part of a workspace after the other. */
export type Place = (length: number) => number;

/** Runs `work` with `count` numbers of workspace. */
export function withNumbers<T>(memory: Float64Memory, count: number, work: (place: Place) => T): T {
  return memory.withBlock(BYTES * count, (start) => {
    let next = start;
    return work((length) => {
      const offset = next;
      next += BYTES * length;
      return offset;
    });
  });
}

/** Target (q×n) ← the columns of X (n×q), each times its factor (1). Takes q + n·q numbers of workspace. */
export function transpose(
  memory: Float64Memory,
  kernels: Kernels,
  n: number,
  q: number,
  x: number,
  place: Place,
  factors: ArrayLike<number> = new Float64Array(q).fill(1),
): number {
  const scales = place(q);
  const target = place(n * q);
  memory.float64(scales, q).set(factors);
  kernels.transposeScaled(n, q, x, scales, target);
  return target;
}

/** X (n×q) ← the transpose of what is given (q×n), column d times factor_d. */
export function transposeBack(
  memory: Float64Memory,
  n: number,
  q: number,
  transposed: number,
  x: number,
  factors: ArrayLike<number> = new Float64Array(q).fill(1),
): void {
  const from = memory.float64(transposed, n * q);
  const to = memory.float64(x, n * q);
  for (let d = 0; d < q; d++) {
    const factor = factors[d]!;
    for (let i = 0; i < n; i++) to[i * q + d] = factor * from[d * n + i]!;
  }
}
