import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/core/errors.ts';
import { Matrix } from '../../src/core/matrix.ts';
import { seededRandom } from '../../src/core/random.ts';
import { withEngine } from '../../src/engine/dense/index.ts';
import { sharedMemory } from '../../src/engine/memory.ts';
import { rankedNeighbors } from '../../src/engine/neighbors/rankedNeighbors.ts';
import { startThreads } from '../../src/engine/threads.ts';
import { localScores } from '../../src/inference/scores/localScores.ts';
import { continuity, nearestNeighborError, trustworthiness } from '../../src/inference/scores/neighborScores.ts';
import { reference } from '../reference.ts';

interface Reference {
  readonly cases: readonly {
    name: string;
    Y: number[][];
    X: number[][];
    labels: number[];
    scores: readonly {
      k: number;
      overall: Record<string, number>;
      pointwise: Record<string, number[]>;
      matrix: number[][];
      agreement: number[];
      rescaled: number[];
      area: number;
      splitAt: number;
      local: number;
      global: number;
      correlation: number;
      farCorrelation: number;
    }[];
  }[];
}
const { cases } = reference<Reference>('localScores.json');

const near = (actual: ArrayLike<number>, expected: readonly number[]) => {
  expect(actual.length).toBe(expected.length);
  expected.forEach((value, i) => {
    expect(Math.abs(actual[i]! - value)).toBeLessThanOrEqual(1e-10 * Math.max(1, Math.abs(value)));
  });
};

describe.each(cases)('scores of a map that shows $name', ({ Y, X, labels, scores }) => {
  it.each(scores)('agree with numpy, pointwise and overall, for $k neighbors', ({ k, ...expected }) => {
    const found = localScores(Y, X, { neighbors: k, labels, coRanking: 12 });
    expect(found.neighbors).toBe(k);
    const overall = Object.entries(expected.overall);
    near(
      overall.map(([name]) => found.overall[name as keyof typeof found.overall]),
      overall.map(([, value]) => value),
    );
    for (const [name, values] of Object.entries(expected.pointwise)) {
      near(found.pointwise[name as keyof typeof found.pointwise], values);
    }
    expect(found.coRanking.matrix.toArrays().map((row) => Array.from(row))).toEqual(expected.matrix);
    near(found.coRanking.agreement, expected.agreement);
    near(found.coRanking.rescaled, expected.rescaled);
    expect(found.coRanking.splitAt).toBe(expected.splitAt);
    const { area, local, global } = found.coRanking;
    near([area, local, global], [expected.area, expected.local, expected.global]);
    const { correlation, farCorrelation } = found.distances;
    near([correlation, farCorrelation], [expected.correlation, expected.farCorrelation]);
    near(
      [trustworthiness(Y, X, k), continuity(Y, X, k)],
      [expected.overall.trustworthiness!, expected.overall.continuity!],
    );
  });
});

describe('ties', () => {
  const random = seededRandom(5);
  const draw = (rows: number, columns: number) =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.uniform()));
  const kinds = draw(10, 3);
  const Y = Array.from({ length: 100 }, (_, i) => kinds[i % 10]!);
  const X = Y.map((row) => row.map((entry) => entry + 1e-9 * random.uniform()));
  const labels = Array.from({ length: 100 }, (_, i) => i % 3);
  const order = Int32Array.from(Y.keys());
  for (let i = 99; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const moved = <T>(list: readonly T[]) => Array.from(order, (i) => list[i]!);

  it('of copies cost a map of them nothing', () => {
    const { overall } = localScores(Y, X, { neighbors: 5 });
    for (const name of [
      'trustworthiness',
      'continuity',
      'overlap',
      'relativeRankFalse',
      'relativeRankMissing',
    ] as const) {
      expect(overall[name]).toBe(1);
    }
    expect(trustworthiness([[0], [0], [0]], [[0], [1], [2]], 1)).toBe(1);
  });

  it('give scores that do not depend on the order of the rows', () => {
    const grades = Y.map((row) => row.map((entry) => Math.floor(3 * entry)));
    const shown = grades.map((row) => [row[0]! + row[1]!, row[2]! > 0 ? 1 : 0]);
    const scores = localScores(grades, shown, { neighbors: 7, labels }).overall;
    const again = localScores(moved(grades), moved(shown), { neighbors: 7, labels: moved(labels) }).overall;
    near(Object.values(again), Object.values(scores));
    expect(nearestNeighborError(moved(shown), moved(labels))).toBeCloseTo(nearestNeighborError(shown, labels), 12);
  });
});

describe('ranked neighbors', () => {
  const random = seededRandom(4);
  const N = 700;
  const tables = {
    'normal points': () => random.normal(),
    'points on a grid': () => random.integer(3),
    'points that differ in their last digits': () => 1 + 1e-14 * random.integer(5),
    'points of very different size': () => random.normal() * 10 ** random.integer(40),
  };
  it.each(Object.entries(tables))(
    'are in the order of their squared differences, then of their numbers: %s',
    (_, draw) => {
      const points = new Matrix(Float64Array.from({ length: N * 10 }, draw), N, 10);
      const rows = points.toArrays();
      let seen = 0;
      for (const { first, count, ranks } of rankedNeighbors(points)) {
        for (let p = 0; p < count; p++) {
          const [i, own] = [first + p, rows[first + p]!];
          const squares = rows.map((row) =>
            row.reduce((sum, entry, d) => sum + (own[d]! - entry) * (own[d]! - entry), 0),
          );
          const expected = Array.from(rows.keys()).filter((j) => j !== i);
          expected.sort((a, b) => squares[a]! - squares[b]! || a - b);
          const found = new Array<number>(N);
          ranks(p).forEach((rank, j) => {
            found[rank] = j;
          });
          expect(found).toEqual([i, ...expected]);
          seen++;
        }
      }
      expect(seen).toBe(N);
    },
  );
});

describe('threads and engines', () => {
  const random = seededRandom(7);
  // Several blocks of rows, and many distances that are equal.
  const [Y, X] = [5, 2].map(
    (D) =>
      new Matrix(
        Float64Array.from({ length: 900 * D }, () => random.integer(6) / 8),
        900,
        D,
      ),
  ) as [Matrix, Matrix];
  const alone = localScores(Y, X, { neighbors: 7 });

  it('score the same bits on two threads', { tags: 'long' }, async () => {
    const threads = await startThreads(2);
    try {
      expect(threads.count).toBe(2);
      expect(threads.run(() => localScores(Y, X, { neighbors: 7 }))).toEqual(alone);
    } finally {
      await threads.dispose();
    }
  });

  it('rank alike without compiled routines', { tags: 'long' }, () => {
    const plain = withEngine(sharedMemory(), 'typescript', () => localScores(Y, X, { neighbors: 7 }));
    expect(plain.coRanking.matrix).toEqual(alone.coRanking.matrix);
    expect(plain.coRanking.agreement).toEqual(alone.coRanking.agreement);
    expect(plain.falsePairs).toEqual(alone.falsePairs);
    near(plain.pointwise.scaledStress, Array.from(alone.pointwise.scaledStress));
    expect(withEngine(sharedMemory(), 'typescript', () => trustworthiness(Y, X, 7))).toBe(trustworthiness(Y, X, 7));
  });

  it('give back all memory, also of work that is ended early', { tags: 'long' }, () => {
    const memory = sharedMemory();
    const before = memory.liveBytes;
    for (const { first } of rankedNeighbors(Y)) if (first === 0) break;
    localScores(Y, X);
    expect(memory.liveBytes).toBe(before);
  });
});

describe('local scores', () => {
  const { Y, X } = cases[0]!;

  it('list the pairs that a map joins and those it tears, the worst first', () => {
    // A ring that is cut open and laid out on a line, with its two ends far apart.
    const ring = Array.from({ length: 40 }, (_, i) => [Math.cos((i * Math.PI) / 20), Math.sin((i * Math.PI) / 20)]);
    const { tornPairs, falsePairs, pointwise } = localScores(
      ring,
      ring.map((_, i) => [i]),
      { neighbors: 2, pairs: 3 },
    );
    expect(tornPairs.slice(0, 2)).toEqual([
      { from: 0, to: 39, rank: 39 },
      { from: 39, to: 0, rank: 39 },
    ]);
    expect(tornPairs).toHaveLength(2);
    // The ends take the second next point instead.
    expect(falsePairs.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [39, 37],
    ]);
    expect(Math.min(...pointwise.continuity.subarray(1, 39))).toBe(1);
  });

  it('leave out points without a label, and are NaN without any', () => {
    const labels = Y.map((_, i) => (i < 30 ? 'a' : undefined));
    const { pointwise, overall } = localScores(Y, X, { neighbors: 5, labels });
    expect(pointwise.neighborhoodHit.filter(Number.isNaN)).toHaveLength(30);
    expect(overall.neighborhoodHit).toBeGreaterThan(0.2);
    expect(localScores(Y, X).overall.neighborhoodHit).toBeNaN();
  });

  it('explain invalid input', () => {
    expect(() => localScores(Y, X.slice(1))).toThrow('same rows, but they have 60 and 59');
    expect(() => localScores(Y, X, { neighbors: 30 })).toThrow('less than N/2 = 30, but 30');
    expect(() => localScores(Y, X, { labels: ['a'] })).toThrow('60 rows, but 1 label');
    expect(() => localScores(Y, X, { neighbours: 3 } as never)).toThrow("Did you mean 'neighbors'?");
    const huge = Y.map((row, i) => row.map((entry) => (i === 0 ? 1e200 : entry)));
    expect(() => localScores(huge, X)).toThrow(InvalidInputError);
  });
});
