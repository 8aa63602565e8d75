import { describe, expect, it } from 'vitest';
import type { Matrix } from '../../../src/core/matrix.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { symmetricEigenpairs } from '../../../src/engine/dense/eigenpairs.ts';
import { type MatrixParts, pivotedCholesky, rootNumbers } from '../../../src/engine/dense/pivotedCholesky.ts';
import { typescriptEngine } from '../../../src/engine/typescript/typescriptEngine.ts';
import { wasmEngine } from '../../../src/engine/wasm/wasmEngine.ts';
import { spoiledMemory } from '../wasm/spoiledMemory.ts';
import { fromEntries } from './matrices.ts';

/** R, where there is one, and how many entries of the matrix were asked for. */
function factored(
  make: typeof wasmEngine | typeof typescriptEngine,
  A: Matrix,
  limits: { remainder: number; most: number },
) {
  const n = A.rows;
  const memory = spoiledMemory();
  let asked = 0;
  const fill = (target: number, rows: Int32Array, columns: ArrayLike<number>) => {
    asked += rows.length * columns.length;
    const to = memory.float64(target, rows.length * columns.length);
    for (let a = 0; a < rows.length; a++) {
      for (let b = 0; b < columns.length; b++) to[a * columns.length + b] = A.at(rows[a]!, columns[b]!);
    }
  };
  const all = Array.from({ length: n }, (_, i) => i);
  const parts: MatrixParts = {
    size: n,
    diagonal: A.at(0, 0),
    rows: (rows, target) => fill(target, rows, all),
    among: (rows, target) => fill(target, rows, rows),
  };
  const root = memory.allocate(8 * rootNumbers(n, limits.most));
  const live = memory.liveBytes;
  const rank = pivotedCholesky(memory, make(memory), parts, limits, root);
  expect(memory.liveBytes).toBe(live);
  return { rank, R: rank === undefined ? undefined : memory.float64(root, rank * n).slice(), asked };
}

/** A − RᵀR. */
function remainderOf(A: Matrix, R: Float64Array, rank: number): Matrix {
  const n = A.rows;
  return fromEntries(n, n, (i, j) => {
    let sum = A.at(i, j);
    for (let k = 0; k < rank; k++) sum -= R[k * n + i]! * R[k * n + j]!;
    return sum;
  });
}

const trace = (A: Matrix) =>
  Array.from({ length: A.rows }, (_, i) => A.at(i, i)).reduce((sum, entry) => sum + entry, 0);

/** exp(−‖x_i − x_j‖²/2) */
const rbf = (points: readonly (readonly number[])[]) =>
  fromEntries(points.length, points.length, (i, j) => {
    const squares = points[i]!.map((entry, d) => (entry - points[j]![d]!) * (entry - points[j]![d]!));
    return Math.exp(-0.5 * squares.reduce((sum, square) => sum + square, 0));
  });

const { normal } = seededRandom(1);
const plane = Array.from({ length: 200 }, () => [normal(), normal()]);
const twice = plane.slice(0, 100).flatMap((point) => [point, point]);
const distinct = Array.from({ length: 20 }, (_, i) => [i + 1]);
const copiesFirst = [...Array.from({ length: 180 }, () => [0]), ...distinct];
const clusters = Array.from({ length: 200 }, (_, i) => [10 * Math.floor(i / 40) + 0.1 * normal()]);

describe.each([
  ['wasm', wasmEngine],
  ['typescript', typescriptEngine],
] as const)('pivotedCholesky, %s', (_name, make) => {
  it.each([
    ['points of a plane', plane],
    ['points that are there twice', twice],
    ['copies of one point before others', copiesFirst],
    ['clusters far apart, one after the other', clusters],
  ])('leaves a positive semidefinite remainder of at most the trace that it may: %s', (_what, points) => {
    const A = rbf(points);
    for (const remainder of [1e-3, 1e-6, 1e-9]) {
      const { rank, R } = factored(make, A, { remainder, most: 200 });
      const E = remainderOf(A, R!, rank!);
      expect(Math.abs(trace(E))).toBeLessThanOrEqual(remainder + 200 * Number.EPSILON);
      const least = symmetricEigenpairs(E).values[0]!;
      expect(least).toBeGreaterThan(-200 * Number.EPSILON);
    }
  });

  it('takes hardly more rows than the best approximation of that trace', () => {
    const A = rbf(plane);
    const { values } = symmetricEigenpairs(A);
    const remainder = 1e-9;
    let [best, rest] = [200, 0];
    while (rest + Math.max(0, values[200 - best]!) <= remainder) rest += Math.max(0, values[200 - best--]!);
    const { rank } = factored(make, A, { remainder, most: 200 });
    expect(rank).toBeGreaterThanOrEqual(best);
    expect(rank).toBeLessThanOrEqual(1.3 * best);
  });

  it('finds the rank of a matrix that has one', () => {
    const angles = Array.from({ length: 150 }, (_, i) => i);
    // cos(a − b) = cos a cos b + sin a sin b
    const A = fromEntries(150, 150, (i, j) => Math.cos(angles[i]! - angles[j]!));
    const { rank, R } = factored(make, A, { remainder: 1e-10, most: 20 });
    expect(rank).toBe(2);
    expect(Math.max(...remainderOf(A, R!, 2).data.map(Math.abs))).toBeLessThan(1e-14);
    expect(factored(make, A, { remainder: 1e-10, most: 1 }).rank).toBeUndefined();
  });

  it('gives up early where the rank is too high', () => {
    const line = Array.from({ length: 600 }, (_, i) => [0.5 * i]);
    const A = rbf(line);
    const { rank, asked } = factored(make, A, { remainder: 1e-10, most: 180 });
    expect(rank).toBeUndefined();
    expect(asked).toBeLessThan(600 * 600 * 0.15);
  });

  it('never takes more rows than it may', () => {
    const A = rbf(plane);
    const { rank } = factored(make, A, { remainder: 1e-9, most: 200 });
    expect(factored(make, A, { remainder: 1e-9, most: Math.ceil(1.2 * rank!) }).rank).toBe(rank);
    for (const most of [rank! - 1, Math.floor(0.9 * rank!), 10, 1]) {
      expect(factored(make, A, { remainder: 1e-9, most }).rank).toBeUndefined();
    }
  });

  it('gives up on entries that are not numbers', () => {
    const A = rbf(plane);
    A.data.fill(Number.NaN, 200, 400);
    expect(factored(make, A, { remainder: 1e-9, most: 200 }).rank).toBeUndefined();
    expect(
      factored(
        make,
        fromEntries(70, 70, () => Number.NaN),
        { remainder: 1e-9, most: 70 },
      ).rank,
    ).toBeUndefined();
  });
});
