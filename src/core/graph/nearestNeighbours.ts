import type { Matrix } from '../matrix.ts';

/** The k nearest other points of every point, nearest first; of equally near ones those of lower index. */
export interface Neighbours {
  /** N×k indices, row by row. */
  readonly indices: Int32Array;
  /** Squared Euclidean distances in the same places. */
  readonly squaredDistances: Float64Array;
}

/** The one place that searches for neighbours: all pairs, and a partial selection for each point. */
export function nearestNeighbours({ data, rows: N, columns: D }: Matrix, k: number): Neighbours {
  const indices = new Int32Array(N * k);
  const squaredDistances = new Float64Array(N * k).fill(Infinity);
  for (let i = 0; i < N; i++) {
    const first = i * k;
    const last = first + k - 1;
    for (let j = 0; j < N; j++) {
      if (j === i) continue;
      const distance = squaredDistance(data, i * D, j * D, D);
      if (distance >= squaredDistances[last]!) continue;
      let place = last;
      for (; place > first && squaredDistances[place - 1]! > distance; place--) {
        squaredDistances[place] = squaredDistances[place - 1]!;
        indices[place] = indices[place - 1]!;
      }
      squaredDistances[place] = distance;
      indices[place] = j;
    }
  }
  return { indices, squaredDistances };
}

/** All pairs (i, j), i < j, within a radius, as the two ends of each. */
export function pairsWithin({ data, rows: N, columns: D }: Matrix, radius: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let i = 0; i < N; i++) {
    for (let j = i + 1; j < N; j++) {
      if (Math.sqrt(squaredDistance(data, i * D, j * D, D)) <= radius) pairs.push([i, j]);
    }
  }
  return pairs;
}

/** Between the D numbers from a and those from b. */
export function squaredDistance(data: Float64Array, a: number, b: number, D: number): number {
  let sum = 0;
  for (let d = 0; d < D; d++) {
    const difference = data[a + d]! - data[b + d]!;
    sum += difference * difference;
  }
  return sum;
}
