/** Whether this is a Float64Array of so many finite numbers: what a state holds may come from a damaged file. */
export function isFiniteArray(value: unknown, length: number): value is Float64Array {
  return value instanceof Float64Array && value.length === length && areFinite(value);
}

/** Whether all entries are finite: a loop, since calling a function for each takes several times as long. */
export function areFinite(entries: Float64Array): boolean {
  for (let e = 0; e < entries.length; e++) if (!(Math.abs(entries[e]!) < Number.POSITIVE_INFINITY)) return false;
  return true;
}

/** Whether this is a whole number from `least` to `most`. */
export function isCount(value: unknown, least = 0, most = Number.POSITIVE_INFINITY): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

/** Whether two lists have the same entries. */
export function areSame(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let e = 0; e < a.length; e++) if (a[e] !== b[e]) return false;
  return true;
}
