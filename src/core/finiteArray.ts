/** True for a Float64Array of this length with finite entries. Needed for states read from files, which may be damaged. */
export function isFiniteArray(value: unknown, length: number): value is Float64Array {
  return value instanceof Float64Array && value.length === length && areFinite(value);
}

/** True if all entries are finite. A plain loop, several times faster than a callback per entry. */
export function areFinite(entries: Float64Array): boolean {
  for (let e = 0; e < entries.length; e++) if (!(Math.abs(entries[e]!) < Number.POSITIVE_INFINITY)) return false;
  return true;
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
