import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { nearestNeighbors, withinRadius, withinRadiusInParts } from '../../../src/engine/neighbors/index.ts';
import { allByDistance } from './bruteForce.ts';

/** Points of which many coincide or are at equal distances: coordinates are small integers, sometimes halves or not on a grid. */
const points = (rows: number) =>
  fc
    .integer({ min: 1, max: 11 })
    .chain((columns) =>
      fc.array(
        fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ min: -3, max: 3, noNaN: true })), {
          minLength: columns,
          maxLength: columns,
        }),
        { minLength: rows, maxLength: 90 },
      ),
    )
    .map((values) => Matrix.from(values));

const cloud = (rows: number, columns: number, seed: number) => {
  const { normal } = seededRandom(seed);
  return new Matrix(
    Float64Array.from({ length: rows * columns }, () => normal()),
    rows,
    columns,
  );
};

function expectNearest(Y: Matrix, k: number, queries?: Matrix): void {
  const { indices, distances } = nearestNeighbors(Y, k, queries === undefined ? {} : { queries });
  const expected = allByDistance(Y, queries).map((row) => row.slice(0, k));
  expect([...indices]).toEqual(expected.flatMap((row) => row.map((entry) => entry.row)));
  expect([...distances]).toEqual(expected.flatMap((row) => row.map((entry) => entry.distance)));
}

function expectWithin(Y: Matrix, r: number, queries?: Matrix): void {
  const { starts, indices, distances } = withinRadius(Y, r, queries === undefined ? {} : { queries });
  const expected = allByDistance(Y, queries).map((row) =>
    row.filter((entry) => entry.distance <= r).sort((a, b) => a.row - b.row),
  );
  expect(starts[0]).toBe(0);
  expected.forEach((row, i) => {
    expect([...indices.subarray(starts[i], starts[i + 1])]).toEqual(row.map((entry) => entry.row));
    expect([...distances.subarray(starts[i], starts[i + 1])]).toEqual(row.map((entry) => entry.distance));
  });
  expect(starts[expected.length]).toBe(indices.length);
}

describe('nearest neighbors', () => {
  it('agree with an exhaustive search, ties by row and duplicates included', () => {
    fc.assert(
      fc.property(points(2), fc.double({ min: 0, max: 1, noNaN: true }), (Y, part) => {
        expectNearest(Y, Math.max(1, Math.floor(part * (Y.rows - 1))));
      }),
      { numRuns: 150, seed: 1 },
    );
  });

  it.each([
    [700, 2, 6],
    [500, 3, 1],
    [300, 20, 5],
    [150, 3, 149],
  ])('agree with an exhaustive search for %i points in %i dimensions, k = %i', (rows, columns, k) => {
    expectNearest(cloud(rows, columns, 3), k);
  });

  it('of other points are rows of Y, possibly all of them', () => {
    expectNearest(cloud(200, 3, 1), 7, cloud(60, 3, 2));
    expectNearest(cloud(5, 2, 1), 5, cloud(9, 2, 2));
    const Y = cloud(40, 2, 4);
    const own = nearestNeighbors(Y, 1, { queries: Y.toArrays() });
    expect([...own.indices]).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it('of points that all coincide are the first rows', () => {
    const { indices, distances } = nearestNeighbors(Matrix.zeros(5000, 3), 3);
    expect([...indices.subarray(0, 12)]).toEqual([1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2]);
    expect([...indices.subarray(14997)]).toEqual([0, 1, 2]);
    expect(Math.max(...distances)).toBe(0);
  });

  it('keep their digits far from the origin', () => {
    const Y = Matrix.from([[1e8], [1e8 + 1], [1e8 + 3], [1e8 + 3.5]]);
    expect([...nearestNeighbors(Y, 1).distances]).toEqual([1, 1, 0.5, 0.5]);
  });

  it('refuse k out of range, missing values, and queries in another space', () => {
    expect(() => nearestNeighbors([[0], [1]], 2)).toThrow(InvalidInputError);
    expect(() => nearestNeighbors([[0], [1]], 2)).toThrow(
      '2 nearest neighbors among 2 points were requested: request a whole number from 1 to 1',
    );
    expect(() => nearestNeighbors([[0], [1]], 0)).toThrow(InvalidInputError);
    expect(() => nearestNeighbors([[0], [1], [2]], 1.5)).toThrow(InvalidInputError);
    expect(() =>
      nearestNeighbors(
        [
          [0, 1],
          [1, Number.NaN],
        ],
        1,
      ),
    ).toThrow('entry [1][1] is NaN');
    expect(() => nearestNeighbors([], 1)).toThrow('shape 0×0');
    expect(() => nearestNeighbors([[0], [1]], 1, { queries: [[0, 1]] })).toThrow('queries has 2 columns');
  });
});

describe('points within a radius', () => {
  it('agree with an exhaustive search, at exactly that distance too', () => {
    fc.assert(
      fc.property(
        points(1),
        fc.oneof(fc.integer({ min: 0, max: 4 }), fc.double({ min: 0, max: 9, noNaN: true })),
        (Y, r) => expectWithin(Y, r),
      ),
      { numRuns: 150, seed: 1 },
    );
  });

  it('are complete for many points, all points, and other points', () => {
    expectWithin(cloud(500, 3, 1), 0.5);
    expectWithin(cloud(100, 3, 1), Infinity);
    expectWithin(cloud(300, 2, 1), 0.5, cloud(70, 2, 2));
  });

  it('refuse a radius that is not one', () => {
    expect(() => withinRadius([[0]], -1)).toThrow('within a radius of -1');
    expect(() => withinRadius([[0]], Number.NaN)).toThrow(InvalidInputError);
    expect(withinRadius([[0]], 1).indices.length).toBe(0);
  });
});

it('a search within a radius pauses after 256 queries, and after 20 000 neighbors, with the same result', () => {
  const points = Matrix.from(Array.from({ length: 600 }, (_, i) => [Math.sin(i), Math.cos(3 * i)]));
  const parts = (r: number) => {
    const search = withinRadiusInParts(points, r);
    const pauses: number[] = [];
    for (let step = search.next(); ; step = search.next()) {
      if (step.done) return { pauses, found: step.value };
      pauses.push(step.value);
    }
  };
  const near = parts(0.01);
  expect(near.pauses).toEqual([257 / 600, 513 / 600]);
  expect(near.found).toEqual(withinRadius(points, 0.01));
  // Each has all 599 others: 34 queries are more than 20 000 neighbors.
  const all = parts(10);
  expect(all.pauses.slice(0, 2)).toEqual([34 / 600, 68 / 600]);
  expect(all.found.indices).toHaveLength(600 * 599);
});
