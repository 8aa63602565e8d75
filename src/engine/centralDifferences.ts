/** Offsets, in steps, and weights of the sixth-order central difference: f'(0) ≈ Σ weight·f(offset·h)/h. */
export const CENTRAL_DIFFERENCES: readonly (readonly [offset: number, weight: number])[] = [
  [1, 3 / 4],
  [-1, -3 / 4],
  [2, -3 / 20],
  [-2, 3 / 20],
  [3, 1 / 60],
  [-3, -1 / 60],
];

/** Step of differences between points, relative to their spread. */
const STEP = 0.002;

/** Step for differences of functions of points: 1/500 of the root mean variance of their columns, or of 1 if all points coincide. */
export function differenceStep(data: Float64Array, columns: number): number {
  const rows = data.length / columns;
  let sum = 0;
  for (let d = 0; d < columns; d++) {
    let mean = 0;
    for (let i = 0; i < rows; i++) mean += data[i * columns + d]! / rows;
    for (let i = 0; i < rows; i++) {
      const deviation = data[i * columns + d]! - mean;
      sum += deviation * deviation;
    }
  }
  return STEP * (sum > 0 ? Math.sqrt(sum / (rows * columns)) : 1);
}
