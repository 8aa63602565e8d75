/** Squared Euclidean distance between the D numbers from a and the D numbers from b. */
export function squaredDistance(data: Float64Array, a: number, b: number, D: number): number {
  let sum = 0;
  for (let d = 0; d < D; d++) {
    const difference = data[a + d]! - data[b + d]!;
    sum += difference * difference;
  }
  return sum;
}
