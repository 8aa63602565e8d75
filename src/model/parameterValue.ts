import { Matrix } from '../core/matrix.ts';

/** A natural value: a number, a vector (one entry per latent dimension, say), or a matrix (the latents). */
export type ParameterValue = number | readonly number[] | Matrix;

/** Shape of a natural value: [] for a number, [n] for a list, [rows, columns] for a matrix. */
export function shapeOf(value: ParameterValue): number[] {
  if (typeof value === 'number') return [];
  return value instanceof Matrix ? [value.rows, value.columns] : [value.length];
}

/** A copy of the entries of a natural value. */
export function entriesOf(value: ParameterValue): Float64Array {
  if (typeof value === 'number') return Float64Array.of(value);
  return value instanceof Matrix ? value.data.slice() : new Float64Array(value);
}

/** The natural value with these entries and this shape. */
export function valueFrom(entries: Float64Array, shape: readonly number[]): ParameterValue {
  if (shape.length === 0) return entries[0]!;
  if (shape.length === 2) return new Matrix(entries, shape[0]!, shape[1]!);
  // A loop: Array.from goes through the iterator, which takes three times as long.
  const list = new Array<number>(entries.length);
  for (let i = 0; i < list.length; i++) list[i] = entries[i]!;
  return list;
}

/** A natural value as plain JSON: rows where it is a Matrix. */
export type ParameterValueJSON = number | readonly number[] | readonly (readonly number[])[];

/** A natural value from its JSON form: rows become a Matrix. */
export function valueFromJSON(value: ParameterValueJSON): ParameterValue {
  if (typeof value === 'number') return value;
  return Array.isArray(value[0]) ? Matrix.from(value as number[][]) : (value as readonly number[]);
}
