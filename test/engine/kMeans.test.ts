import { describe, expect, it } from 'vitest';
import { kMeansRun } from '../../src/engine/kMeans.ts';
import { Matrix, seededRandom } from '../../src/index.ts';

/** Lloyd's algorithm that compares every point with every center, from the centers that a run without iterations begins with. */
function everyComparison(points: Matrix, k: number, seed: number, maxIterations: number) {
  let { centers } = kMeansRun(points, k, seededRandom(seed), 0);
  const clusters = new Int32Array(points.rows).fill(-1);
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    const sums = Matrix.zeros(k, points.columns);
    const sizes = new Int32Array(k);
    let moved = false;
    for (let i = 0; i < points.rows; i++) {
      const distances = Array.from({ length: k }, (_, c) =>
        points.row(i).reduce((sum, x, d) => sum + (x - centers.at(c, d)) * (x - centers.at(c, d)), 0),
      );
      const nearest = distances.indexOf(Math.min(...distances));
      moved ||= nearest !== clusters[i];
      clusters[i] = nearest;
      sizes[nearest]! += 1;
      for (let d = 0; d < points.columns; d++) sums.data[nearest * points.columns + d]! += points.at(i, d);
    }
    if (!moved) break;
    const before = centers;
    centers = sums.map((sum, c, d) => (sizes[c]! > 0 ? sum / sizes[c]! : before.at(c, d)));
  }
  return { clusters, centers };
}

describe('a run of k-means', () => {
  const drawn = (N: number, q: number, seed: number, entry: (random: ReturnType<typeof seededRandom>) => number) => {
    const random = seededRandom(seed);
    return new Matrix(
      Float64Array.from({ length: N * q }, () => entry(random)),
      N,
      q,
    );
  };
  it.each([
    ['one cluster', drawn(30, 2, 1, (random) => random.normal()), 1],
    ['few dimensions', drawn(400, 2, 2, (random) => random.normal()), 7],
    ['many dimensions', drawn(200, 40, 3, (random) => random.normal()), 12],
    ['points of a grid, with ties and duplicates', drawn(300, 2, 4, (random) => random.integer(6)), 9],
    ['points far from zero', drawn(300, 3, 5, (random) => 1e9 + random.normal()), 6],
    ['very small points', drawn(200, 3, 6, (random) => 1e-150 * random.normal()), 5],
    ['clusters far apart', drawn(300, 2, 7, (random) => 1000 * random.integer(3) + random.normal()), 9],
  ])('has the bits of one that compares all points with all centers: %s', (_, points, k) => {
    for (const seed of [1, 2, 3]) {
      for (const most of [1, 2, 100]) {
        expect(kMeansRun(points, k, seededRandom(seed), most)).toEqual(everyComparison(points, k, seed, most));
      }
    }
  });
});
