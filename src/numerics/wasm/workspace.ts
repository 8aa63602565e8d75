import type { Float64Memory } from '../memory.ts';
import type { Kernels, RecordOf } from './engineModule.ts';

const BYTES = 8;

/** Hands out one part of a workspace after the other. */
export type Place = (length: number) => number;

/** What the longest record takes. */
const RECORD = 16;
export const RECORD_BYTES = BYTES * RECORD;

/** Runs `work` with `count` numbers of workspace, and those of a record. */
export function withNumbers<T>(memory: Float64Memory, count: number, work: (place: Place) => T): T {
  return memory.withBlock(BYTES * (count + RECORD), (start) => {
    let next = start;
    return work((length) => {
      const offset = next;
      next += BYTES * length;
      return offset;
    });
  });
}

/** Bytes of the fields of a record, in order: 8 of a double, 4 of an integer or an offset, 1 of a truth value. */
type Fields = Readonly<Record<string, 1 | 4 | 8>>;
type Values<F extends Fields> = { readonly [Name in keyof F]?: F[Name] extends 1 ? boolean : number };

/** Writes arguments of a routine where it reads them, in the layout of an AssemblyScript class; what is left out is 0. */
export function writeRecord<const F extends Fields>(
  memory: Float64Memory,
  fields: F,
  start: number,
  values: Values<F>,
): RecordOf<F> {
  const view = new DataView(memory.memory.buffer, start, RECORD_BYTES);
  let end = 0;
  for (const name in fields) {
    const size = fields[name]!;
    const offset = Math.ceil(end / size) * size;
    const value = Number(values[name] ?? 0);
    if (size === 8) view.setFloat64(offset, value, true);
    else if (size === 4) view.setInt32(offset, value, true);
    else view.setUint8(offset, value);
    end = offset + size;
  }
  return start;
}

/** The same in a workspace, once. */
export function placeRecord<const F extends Fields>(
  memory: Float64Memory,
  place: Place,
  fields: F,
  values: Values<F>,
): RecordOf<F> {
  return writeRecord(memory, fields, place(RECORD), values);
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
