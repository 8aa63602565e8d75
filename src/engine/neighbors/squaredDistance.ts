/** Squared Euclidean distance between the D numbers from a and the D numbers from b. */
export function squaredDistance(data: Float64Array, a: number, b: number, D: number): number {
  let sum = 0;
  for (let d = 0; d < D; d++) {
    const difference = data[a + d]! - data[b + d]!;
    sum += difference * difference;
  }
  return sum;
}

/** Squared distances computed at once: independent sums hide the latency of additions. */
const TOGETHER = 4;

/**
 * squares[p] ← ‖x − y_p‖² for `count` consecutive points in y from `yStart` on, or for the points `rows` of y, by direct differences added in the
 * order of the coordinates.
 */
export function squaredDistances(
  x: Float64Array,
  xStart: number,
  y: Float64Array,
  yStart: number,
  dimension: number,
  count: number,
  squares: Float64Array,
  rows?: Int32Array,
): void {
  const start = (p: number) => (rows === undefined ? yStart + p * dimension : rows[p]! * dimension);
  let p = 0;
  for (; p + TOGETHER <= count; p += TOGETHER) {
    const [y0, y1, y2, y3] = [start(p), start(p + 1), start(p + 2), start(p + 3)];
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let d = 0; d < dimension; d++) {
      const value = x[xStart + d]!;
      const d0 = value - y[y0 + d]!;
      const d1 = value - y[y1 + d]!;
      const d2 = value - y[y2 + d]!;
      const d3 = value - y[y3 + d]!;
      s0 += d0 * d0;
      s1 += d1 * d1;
      s2 += d2 * d2;
      s3 += d3 * d3;
    }
    squares[p] = s0;
    squares[p + 1] = s1;
    squares[p + 2] = s2;
    squares[p + 3] = s3;
  }
  for (; p < count; p++) {
    const y0 = start(p);
    let sum = 0;
    for (let d = 0; d < dimension; d++) {
      const difference = x[xStart + d]! - y[y0 + d]!;
      sum += difference * difference;
    }
    squares[p] = sum;
  }
}

/**
 * Squared distance from x to a box. Its coordinates' differences are at most those to any point in the box, and they are
 * rounded and added in the same order, so that not even rounding makes it larger than the squared distance to such a point.
 */
export function squaredDistanceToBox(
  x: Float64Array,
  xStart: number,
  lower: Float64Array,
  upper: Float64Array,
  box: number,
  dimension: number,
): number {
  let sum = 0;
  for (let d = 0; d < dimension; d++) {
    const value = x[xStart + d]!;
    const below = lower[box + d]! - value;
    const above = value - upper[box + d]!;
    // max(below, 0) + max(above, 0), one of them 0, without branches that a processor could not predict.
    const outside = 0.5 * (below + Math.abs(below) + (above + Math.abs(above)));
    sum += outside * outside;
  }
  return sum;
}
