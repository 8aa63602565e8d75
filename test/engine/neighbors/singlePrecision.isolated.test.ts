import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { completed } from '../../../src/core/progressiveWork.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { withEngine } from '../../../src/engine/dense/index.ts';
import { Float64Memory, sharedMemory } from '../../../src/engine/memory.ts';
import { scaledPoints, singleCandidates } from '../../../src/engine/neighbors/nearest.ts';
import { productSearch } from '../../../src/engine/neighbors/nearestNeighbors.ts';
import { columnMeans } from '../../../src/engine/neighbors/pointProducts.ts';
import { SINGLE_PRODUCTS } from '../../../src/engine/wasm/engineModule.ts';
import { kernelsOn, RECORD_BYTES, writeRecord } from '../../../src/engine/wasm/instance.ts';
import { spoiledMemory } from '../wasm/spoiledMemory.ts';
import { allByDistance } from './bruteForce.ts';

const points = (rows: number, columns: number, entry: (i: number, d: number) => number) =>
  new Matrix(
    Float64Array.from({ length: rows * columns }, (_, p) => entry(Math.floor(p / columns), p % columns)),
    rows,
    columns,
  );

/** Points on spheres around the first four: all that are on one differ in their distance to its center by a part of `spread` for each row, at most. */
function shells(rows: number, columns: number, spread: number): Matrix {
  const { normal } = seededRandom(4);
  const Y = points(rows, columns, () => normal());
  for (let i = 4; i < rows; i++) {
    const [direction, center] = [Y.row(i), Y.row(i % 4)];
    const length = (1 + spread * ((i * 7919) % rows)) / Math.hypot(...direction);
    for (let d = 0; d < columns; d++) Y.data[i * columns + d] = center[d]! + direction[d]! * length;
  }
  return Y;
}

const { normal } = seededRandom(8);
/** Hard cases: what single precision cannot tell apart, and sizes that fill neither groups of eight, nor blocks of 64, nor 256 columns. */
const CASES: Record<string, Matrix> = {
  'no structure': points(203, 40, normal),
  'distances that differ by 1e-9': shells(150, 24, 1e-9),
  'distances that differ by 1e-7': shells(131, 300, 1e-7),
  'two clusters of almost equal points': points(101, 520, (i) => (i % 2 === 0 ? 1 : -1) * 0.7 + 1e-7 * normal()),
  'products whose sums are always rounded down, by almost half of a digit': points(
    64,
    256,
    (i) => (i % 2 === 0 ? 1 : -1) * Math.fround(Math.sqrt((64225 + 0.5 - 2 ** -6) / 65536)),
  ),
  duplicates: points(90, 20, (i, d) => Math.sin((i % 9) * 31 + d)),
  'an outlier': points(77, 30, (i) => (i === 13 ? 1e9 : 0) + normal()),
  'a large offset': points(65, 33, () => 1e8 + normal()),
  'a scale of 1e-8': points(66, 17, () => 1e-8 * normal()),
  'a scale of 1e8': points(67, 257, () => 1e8 * normal()),
  'coordinates of very different size': points(80, 48, (_, d) => 10 ** (d - 40) * normal()),
};

const known = new Map<Matrix, ReturnType<typeof allByDistance>>();
function distancesOf(Y: Matrix) {
  const all = known.get(Y) ?? allByDistance(Y);
  known.set(Y, all);
  return all;
}

/** By blocks of products, whatever the size. */
function byProducts(Y: Matrix, k: number) {
  const indices = new Int32Array(Y.rows * k);
  const distances = new Float64Array(Y.rows * k);
  completed(productSearch(Y, Y)(k, indices, distances));
  return { indices, distances };
}

/** How many points have neighbors that are proven by single precision alone; tests the bound for each. */
function provenOf(Y: Matrix, k: number): number {
  const memory = spoiledMemory();
  const all = distancesOf(Y);
  const visited = new Set<number>();
  let proven = 0;
  const scaled = scaledPoints(Y, columnMeans(Y))!;
  const live = memory.liveBytes;
  completed(
    singleCandidates(scaled, memory, kernelsOn(memory), k, (i, rows, squares, others) => {
      visited.add(i);
      const chosen = new Map([...rows].map((row, p) => [row, squares[p]!]));
      expect(chosen.size).toBe(Math.min(Y.rows - 1, k + 2));
      for (const { row, distance } of all[i]!) {
        const square = chosen.get(row);
        // √ and its square are each off by half a digit.
        const isRight = square === undefined ? others <= distance ** 2 * (1 + 4e-16) : Math.sqrt(square) === distance;
        if (!isRight)
          expect.fail(`Point ${row} is at ${distance} of point ${i}, ${square} is said, ${others} of others.`);
      }
      if ([...chosen.values()].sort((a, b) => a - b)[k - 1]! < others) proven++;
    }),
  );
  expect(memory.liveBytes).toBe(live);
  expect(visited.size).toBe(Y.rows);
  return proven;
}

describe('candidates by single precision', () => {
  it.each(Object.entries(CASES))('leave out no point that is nearer than their bound: %s', (_, Y) => {
    provenOf(Y, 5);
    provenOf(Y, 1);
    provenOf(Y, Y.rows - 1);
  });

  it('prove the neighbors of points in many dimensions, except those that single precision cannot distinguish', {
    tags: 'long',
  }, () => {
    expect(provenOf(points(400, 300, normal), 10)).toBeGreaterThan(390);
    // The centers of the four shells.
    expect(provenOf(shells(150, 24, 1e-9), 5)).toBe(146);
  });

  it('are bounds that miss by little more than roundings can: less than they are made smaller by', () => {
    // Half of ‖x‖² is 65 and more; each of 257 roundings is off by 2⁻²⁴ of the sum at most.
    const Y = points(9, 256, (i, d) => (i % 2 === 0 ? 1 : -1) * (0.7 + 0.001 * i) + 1e-3 * normal() * (d % 2));
    const memory = spoiledMemory();
    const all = distancesOf(Y);
    completed(
      singleCandidates(scaledPoints(Y, columnMeans(Y))!, memory, kernelsOn(memory), 1, (i, _rows, _squares, others) => {
        const third = all[i]![2]!.distance ** 2;
        const norms = 2 * 256 * 0.71 ** 2;
        expect(others).toBeGreaterThan(third - 4 * (257 / 2 + 6) * 2 ** -24 * norms);
      }),
    );
  });
});

describe('neighbors by candidates in single precision', () => {
  it.each(Object.entries(CASES))('agree with an exhaustive search, bit for bit, on every engine: %s', (_, Y) => {
    for (const k of [1, 6, Y.rows - 1]) {
      const expected = distancesOf(Y).map((row) => row.slice(0, k));
      for (const engine of ['wasm', 'typescript'] as const) {
        const found = withEngine(sharedMemory(), engine, () => byProducts(Y, k));
        expect([...found.indices]).toEqual(expected.flatMap((row) => row.map((entry) => entry.row)));
        expect([...found.distances]).toEqual(expected.flatMap((row) => row.map((entry) => entry.distance)));
      }
    }
  });
});

describe('products in single precision', () => {
  it('are summed in the order of the coordinates, layer by layer', () => {
    const memory = new Float64Memory();
    const kernels = kernelsOn(memory);
    const [n, first, groups] = [320, 8, 2];
    for (const [columns, layer] of [
      [1, 8],
      [7, 7],
      [30, 16],
      [33, 8],
    ] as const) {
      const packed = Float32Array.from({ length: n * columns }, normal);
      const at = (i: number, d: number) => {
        const start = d - (d % layer);
        const depth = Math.min(layer, columns - start);
        return packed[n * start + (i - (i % 8)) * depth + 8 * (d - start) + (i % 8)]!;
      };
      const [atPacked, atC] = [memory.allocate(4 * packed.length), memory.allocate(32 * groups * n)];
      memory.float32(atPacked, packed.length).set(packed);
      memory.float32(atC, 8 * groups * n).fill(-7);
      const given = { first, groups, n, columns, layer, packed: atPacked, c: atC };
      kernels.singleProducts(writeRecord(memory, SINGLE_PRODUCTS, memory.allocate(RECORD_BYTES), given));
      const found = memory.float32(atC, 8 * groups * n);
      for (let i = 0; i < 8 * groups; i++) {
        for (let j = 0; j < n; j++) {
          let total = 0;
          for (let start = 0; start < columns && first + j < n; start += layer) {
            let sum = 0;
            for (let d = start; d < Math.min(columns, start + layer); d++) {
              const product = at(first + i, d) * at(first + j, d);
              sum = Math.fround(sum + Math.fround(product));
            }
            total = start === 0 ? sum : Math.fround(total + sum);
          }
          expect(found[i * n + j]).toBe(first + j >= n ? -7 : total);
        }
      }
    }
  });
});
