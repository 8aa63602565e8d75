import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { completed } from '../../../src/core/progressiveWork.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { withEngine } from '../../../src/engine/dense/index.ts';
import { sharedMemory } from '../../../src/engine/memory.ts';
import { nearestNeighbors, neighborsBy } from '../../../src/engine/neighbors/index.ts';
import { distanceBounds, ownCandidates, productSearch } from '../../../src/engine/neighbors/nearestNeighbors.ts';
import { allByDistance } from './bruteForce.ts';

const cloud = (rows: number, columns: number, seed: number, offset = 0, scale = 1) => {
  const { normal } = seededRandom(seed);
  return new Matrix(
    Float64Array.from({ length: rows * columns }, () => offset + scale * normal()),
    rows,
    columns,
  );
};

/** By blocks of products, whatever the size. */
function byProducts(Y: Matrix, k: number, queries = Y) {
  const indices = new Int32Array(queries.rows * k);
  const distances = new Float64Array(queries.rows * k);
  completed(productSearch(Y, queries)(k, indices, distances));
  return { indices, distances };
}

function expectExhaustive(Y: Matrix, k: number, found: { indices: Int32Array; distances: Float64Array }, queries = Y) {
  const expected = allByDistance(Y, queries).map((row) => row.slice(0, k));
  expect([...found.indices]).toEqual(expected.flatMap((row) => row.map((entry) => entry.row)));
  expect([...found.distances]).toEqual(expected.flatMap((row) => row.map((entry) => entry.distance)));
}

describe('neighbors by blocks of products', () => {
  it('agree with an exhaustive search, bit for bit, ties by row and duplicates included', () => {
    const coordinate = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ min: -3, max: 3, noNaN: true }));
    const points = fc
      .integer({ min: 1, max: 24 })
      .chain((D) => fc.array(fc.array(coordinate, { minLength: D, maxLength: D }), { minLength: 2, maxLength: 60 }))
      .map((values) => Matrix.from(values));
    fc.assert(
      fc.property(
        points,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(0, 1e6, -1e12),
        (Y, part, offset) => {
          const moved = new Matrix(
            Y.data.map((value) => value + offset),
            Y.rows,
            Y.columns,
          );
          const k = Math.max(1, Math.floor(part * (Y.rows - 1)));
          expectExhaustive(moved, k, byProducts(moved, k));
        },
      ),
      { numRuns: 120, seed: 1 },
    );
  });

  it('are the same on the engines wasm and typescript, over several blocks of rows and chunks', () => {
    const D = 900;
    const Y = cloud(320, D, 3, 1e6, 1e-3);
    // Points from 160 on are duplicates of others, or differ from them in one coordinate, by its last digit.
    for (let i = 0; i < 120; i++) {
      Y.data.copyWithin((i + 160) * D, i * D, (i + 1) * D);
      if (i % 2 === 0) Y.data[(i + 160) * D]! += 2 ** -33;
    }
    const found = withEngine(sharedMemory(), 'wasm', () => nearestNeighbors(Y, 4));
    expect(withEngine(sharedMemory(), 'typescript', () => nearestNeighbors(Y, 4))).toEqual(found);
    expectExhaustive(Y, 4, found);
    expect(Math.min(...found.distances)).toBe(0);
    expect(found).not.toHaveProperty('recall');
  });

  it('of other points are rows of Y, possibly all of them', () => {
    const [Y, queries] = [cloud(90, 30, 1), cloud(20, 30, 2, 5)];
    expectExhaustive(Y, 7, nearestNeighbors(Y, 7, { queries }), queries);
    expectExhaustive(Y, 90, nearestNeighbors(Y, 90, { queries }), queries);
  });

  it('are looked for among the k + 4 nearest by products, beyond which all are further', () => {
    const Y = cloud(200, 24, 6);
    const all = allByDistance(Y);
    completed(
      ownCandidates(Y, 3, (i, rows, others) => {
        const expected = all[i]!.slice(0, 7).map(({ row }) => row);
        expect([...rows]).toEqual(expected.sort((a, b) => a - b));
        expect(others).toBeLessThan(all[i]![7]!.distance ** 2);
        expect(others).toBeGreaterThan(all[i]![6]!.distance ** 2 - 1e-9);
      }),
    );
  });

  it('are exact where squares overflow or underflow', () => {
    for (const scale of [1e160, 1e-162]) {
      const Y = cloud(60, 20, 1, 0, scale);
      expectExhaustive(Y, 3, nearestNeighbors(Y, 3));
    }
  });

  it.each([
    ['far from the origin', 1e8, 1],
    ['at coordinates whose squares underflow', 0, 1e-163],
    ['one far from the others', 0, 1],
  ])('rest on bounds that are valid %s, and narrow', (name, offset, scale) => {
    const Y = cloud(40, 33, 5, offset, scale);
    if (name.startsWith('one')) Y.data.fill(1e9, 0, 33);
    const all = allByDistance(Y);
    completed(
      distanceBounds(Y, Y, (i, lower, upper) => {
        for (const { row, distance } of all[i]!) {
          // √ and its square are each off by half a digit.
          expect(lower[row]!).toBeLessThanOrEqual(distance ** 2 * (1 + 4e-16));
          expect(upper[row]!).toBeGreaterThanOrEqual(distance ** 2 * (1 - 4e-16));
          if (offset > 0) expect(upper[row]! - lower[row]!).toBeLessThan(1e-9);
        }
      }),
    );
  });
});

/** Points near a curved set of four dimensions in 30, and its neighbors. */
const curved = (rows: number) => {
  const { normal } = seededRandom(2);
  const directions = Float64Array.from({ length: 120 }, normal);
  const values = Array.from({ length: rows }, () => {
    const z = Array.from({ length: 4 }, normal);
    return Array.from({ length: 30 }, (_, j) => {
      const along = z.reduce((sum, value, c) => sum + value * directions[4 * j + c]!, 0);
      return Math.sin(along) + 0.05 * normal();
    });
  });
  return Matrix.from(values);
};

describe('neighbor descent', () => {
  it('reaches 95 % of the neighbors, the same for the same seed, and reports the share', () => {
    const Y = curved(1500);
    const exact = nearestNeighbors(Y, 10);
    const found = neighborsBy('descent', Y, 10, 4);
    const sets = Array.from({ length: 1500 }, (_, i) => new Set(exact.indices.subarray(10 * i, 10 * i + 10)));
    const hits = [...found.indices].filter((row, p) => sets[Math.floor(p / 10)]!.has(row)).length;
    const recall = hits / 15_000;
    expect(recall).toBeGreaterThan(0.95);
    // A sample of 256 points.
    expect(Math.abs(found.recall! - recall)).toBeLessThan(0.02);
    const again = neighborsBy('descent', Y, 10, 4);
    expect(again).toEqual(found);
    const other = neighborsBy('descent', Y, 10, 5);
    expect(other.indices).not.toEqual(found.indices);
    for (let i = 0; i < 1500; i++) {
      const row = found.distances.subarray(10 * i, 10 * i + 10);
      expect([...row]).toEqual([...row].sort((a, b) => a - b));
      expect(found.indices.subarray(10 * i, 10 * i + 10)).not.toContain(i);
    }
  });

  it('finds the same on every engine, and gives back its memory', () => {
    const Y = cloud(700, 23, 3);
    const live = sharedMemory().liveBytes;
    const [plain, compiled] = (['typescript', 'wasm'] as const).map((engine) =>
      withEngine(sharedMemory(), engine, () => neighborsBy('descent', Y, 6, 2)),
    );
    expect(compiled).toEqual(plain);
    expect(sharedMemory().liveBytes).toBe(live);
  });

  it('finds all where few points are there or many coincide', () => {
    const few = cloud(15, 20, 1);
    expect(neighborsBy('descent', few, 14)).toEqual({ ...nearestNeighbors(few, 14), recall: 1 });
    const equal = neighborsBy('descent', Matrix.zeros(2000, 20), 5);
    expect(Math.max(...equal.distances)).toBe(0);
    expect(equal.recall).toBe(1);
  });

  it("is the choice of 'auto' for 50 000 points, unless they lie near a set of few dimensions", {
    tags: 'long',
  }, () => {
    const { normal } = seededRandom(1);
    const line = Float64Array.from({ length: 50_000 }, normal);
    const along = new Matrix(
      Float64Array.from({ length: 16 * 50_000 }, (_, p) => line[Math.floor(p / 16)]! * (1 + (p % 16))),
      50_000,
      16,
    );
    expect(neighborsBy('auto', along, 2)).not.toHaveProperty('recall');
    const wide = cloud(50_000, 16, 3);
    expect(neighborsBy('auto', wide, 2).recall).toBeGreaterThan(0.9);
    const fewer = new Matrix(wide.data.subarray(0, 16 * 2000), 2000, 16);
    expect(neighborsBy('auto', fewer, 2)).not.toHaveProperty('recall');
  });
});
