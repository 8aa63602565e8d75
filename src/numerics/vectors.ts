/** Inner product of two vectors of equal length. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Euclidean norm. */
export function norm(a: Float64Array): number {
  return Math.sqrt(dot(a, a));
}

/** y ← y + factor·x. */
export function addScaled(y: Float64Array, factor: number, x: Float64Array): void {
  for (let i = 0; i < y.length; i++) y[i] = y[i]! + factor * x[i]!;
}

/** The entries of one vector over those of another. */
export function quotients(entries: Float64Array, by: Float64Array): Float64Array {
  const result = new Float64Array(entries.length);
  for (let i = 0; i < entries.length; i++) result[i] = entries[i]! / by[i]!;
  return result;
}
