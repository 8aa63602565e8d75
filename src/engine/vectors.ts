/** Inner product of two vectors of equal length. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Sum of the entries, from the first to the last. */
export function sumOf(entries: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < entries.length; i++) sum += entries[i]!;
  return sum;
}

export const meanOf = (entries: ArrayLike<number>): number => sumOf(entries) / entries.length;

/** Euclidean norm. */
export function norm(a: Float64Array): number {
  return Math.sqrt(dot(a, a));
}

/** y ← y + factor·x. */
export function addScaled(y: Float64Array, factor: number, x: Float64Array): void {
  for (let i = 0; i < y.length; i++) y[i] = y[i]! + factor * x[i]!;
}

/** Elementwise quotients of two vectors. */
export function quotients(
  entries: Float64Array,
  by: Float64Array,
  result: Float64Array = new Float64Array(entries.length),
): Float64Array {
  for (let i = 0; i < entries.length; i++) result[i] = entries[i]! / by[i]!;
  return result;
}

/** Elementwise products of two vectors. */
export function products(entries: Float64Array, by: Float64Array): Float64Array {
  const result = new Float64Array(entries.length);
  for (let i = 0; i < entries.length; i++) result[i] = entries[i]! * by[i]!;
  return result;
}

/**
 * The n-th smallest entry, from 0, without sorting all of them.
 *
 * @param entries - numbers, no NaN; reordered in place
 * @param n - 0 … entries.length − 1
 * @see Hoare, Comm. ACM 4 (1961), Algorithm 65
 */
export function nthSmallest(entries: Float64Array, n: number): number {
  let [low, high] = [0, entries.length - 1];
  while (low < high) {
    const pivot = median(entries[low]!, entries[(low + high) >> 1]!, entries[high]!);
    let [i, j] = [low, high];
    while (i <= j) {
      while (entries[i]! < pivot) i++;
      while (entries[j]! > pivot) j--;
      if (i > j) break;
      const entry = entries[i]!;
      entries[i++] = entries[j]!;
      entries[j--] = entry;
    }
    if (n <= j) high = j;
    else if (n >= i) low = i;
    else break;
  }
  return entries[n]!;
}

const median = (a: number, b: number, c: number) => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));

/** The median of some numbers. */
export function medianOf(values: Float64Array): number {
  const sorted = values.slice().sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
