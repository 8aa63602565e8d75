import { scalarWithSlopes } from '../engine/tensors/tape.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';

/** A function of N×q numbers, row by row, that fills its gradient. */
export type PlainFunction = (X: Float64Array, gradient: Float64Array) => number;

/** A scalar function of latents X (N×q) on plain numbers, with its explicit gradient. */
export function plainFunction(X: Tensor2D, f: PlainFunction): Scalar {
  return scalarWithSlopes([X], (entries) => {
    const gradient = new Float64Array(entries.length);
    return { value: f(entries, gradient), slopes: [gradient] };
  });
}

/** A function for each number of columns, made on first use. */
export function byColumns(make: (q: number) => PlainFunction): (q: number) => PlainFunction {
  const known = new Map<number, PlainFunction>();
  return (q) => {
    const found = known.get(q) ?? make(q);
    known.set(q, found);
    return found;
  };
}
