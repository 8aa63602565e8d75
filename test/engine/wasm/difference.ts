/**
 * Largest difference relative to the largest expected entry, or to `scale` where that is larger: entries may be what is left of
 * larger terms. Infinite where only one of the two is a number, or where the lengths differ.
 */
export function difference(actual: ArrayLike<number>, expected: ArrayLike<number>, scale = 0): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let largest = Math.max(scale, Number.MIN_VALUE);
  let most = 0;
  for (let i = 0; i < expected.length; i++) {
    const value = expected[i]!;
    if (Math.abs(value) > largest) largest = Math.abs(value);
    if (Object.is(value, actual[i])) continue;
    const gap = Math.abs(value - actual[i]!);
    most = Math.max(most, Number.isNaN(gap) ? Number.POSITIVE_INFINITY : gap);
  }
  return most / largest;
}
