import { Matrix } from './matrix.ts';

/** Names under which non-finite numbers are saved, since JSON has none. */
export const NON_FINITE = ['NaN', 'Infinity', '-Infinity'] as const;

/** Plain data with every non-finite number replaced by its name, for JSON. */
export function withPlainNumbers<T>(value: T): T {
  if (typeof value === 'number') return (Number.isFinite(value) ? value : String(value)) as T;
  if (Array.isArray(value)) return value.map(withPlainNumbers) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withPlainNumbers(entry)])) as T;
}

/** Plain data with −0 replaced by 0: JSON has no −0, and loaded data should have the same bits as saved data. */
export function positiveZeros<T>(value: T): T {
  // Equal to 0 is −0 too.
  if (typeof value === 'number') return (value === 0 ? 0 : value) as T;
  if (value instanceof Matrix) {
    return hasNegativeZero(value.data) ? (value.map(positiveZeros) as T) : value;
  }
  if (Array.isArray(value)) return isPositiveList(value) ? value : (value.map(positiveZeros) as T);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, positiveZeros(entry)])) as T;
}

/** A plain loop, as in {@link firstNotFinite}. */
function hasNegativeZero(entries: Float64Array): boolean {
  for (let i = 0; i < entries.length; i++) if (Object.is(entries[i], -0)) return true;
  return false;
}

function isPositiveList(list: readonly unknown[]): boolean {
  for (let i = 0; i < list.length; i++) if (typeof list[i] !== 'number' || Object.is(list[i], -0)) return false;
  return true;
}

/** True for a Float64Array of this length with finite entries. Needed for states read from files, which may be damaged. */
export function isFiniteArray(value: unknown, length: number): value is Float64Array {
  return value instanceof Float64Array && value.length === length && areFinite(value);
}

/** True if all entries are finite. */
export const areFinite = (entries: Float64Array): boolean => firstNotFinite(entries) < 0;

/** Index of the first entry that is not finite, −1 if there is none. A plain loop: a callback for each entry needs several times as long, and memory. */
export function firstNotFinite(entries: Float64Array): number {
  for (let e = 0; e < entries.length; e++) if (!(Math.abs(entries[e]!) < Number.POSITIVE_INFINITY)) return e;
  return -1;
}

/** Index of the first entry that is not positive and finite, −1 if there is none. */
export function firstNotPositive(entries: Float64Array): number {
  for (let e = 0; e < entries.length; e++) if (!(entries[e]! > 0 && entries[e]! < Number.POSITIVE_INFINITY)) return e;
  return -1;
}

/** True for an integer from `least` to `most`. */
export function isCount(value: unknown, least = 0, most = Number.POSITIVE_INFINITY): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

/** True if both arrays have the same entries. */
export function areSame(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let e = 0; e < a.length; e++) if (a[e] !== b[e]) return false;
  return true;
}
