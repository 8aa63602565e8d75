import { Matrix } from './matrix.ts';

/** Numbers that JSON has no form for, as they are saved. */
export const NON_FINITE = ['NaN', 'Infinity', '-Infinity'] as const;

/** Plain data of which every number that is not finite is its name, for JSON. */
export function withPlainNumbers<T>(value: T): T {
  if (typeof value === 'number') return (Number.isFinite(value) ? value : String(value)) as T;
  if (Array.isArray(value)) return value.map(withPlainNumbers) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withPlainNumbers(entry)])) as T;
}

const isNegativeZero = (entry: number) => Object.is(entry, -0);

/** The same with 0 for −0, which JSON has no form for: what is saved then has the bits of what was. */
export function positiveZeros<T>(value: T): T {
  if (typeof value === 'number') return (isNegativeZero(value) ? 0 : value) as T;
  if (value instanceof Matrix) {
    if (!value.data.some(isNegativeZero)) return value;
    return new Matrix(value.data.map(positiveZeros), value.rows, value.columns) as T;
  }
  if (Array.isArray(value)) return value.map(positiveZeros) as T;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, positiveZeros(entry)])) as T;
}
