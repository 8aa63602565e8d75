import { Matrix } from 'latentfield';
import { expect, it } from 'vitest';
import { localCoordinates } from '../../../src/inference/places/localCoordinates.ts';

/** Coordinates around each of some points of f(x) = ½xᵀAx, A symmetric, whose gradient is Ax. */
function coordinatesOf(A: number[][], length: number): Matrix {
  const gradients = (points: readonly Float64Array[]) =>
    Matrix.from(points.map((x) => A.map((row) => row.reduce((sum, entry, d) => sum + entry * x[d]!, 0))));
  const run = localCoordinates(gradients, [Float64Array.of(0.3, -0.2)], length);
  let step = run.next();
  while (!step.done) step = run.next();
  return step.value[0]!;
}

/** T·A·Tᵀ */
const curvature = (T: Matrix, A: number[][]) =>
  [0, 1].map((i) =>
    [0, 1].map((j) =>
      A.reduce((sum, row, a) => sum + row.reduce((part, entry, b) => part + T.at(i, a) * entry * T.at(j, b), 0), 0),
    ),
  );

it('coordinates have curvature 1 or −1 along each, for any scale and angle', () => {
  const A = [
    [500, 120],
    [120, 40],
  ];
  const found = curvature(coordinatesOf(A, 10), A);
  expect(found[0]![0]).toBeCloseTo(1, 6);
  expect(found[1]![1]).toBeCloseTo(1, 6);
  expect(found[0]![1]).toBeCloseTo(0, 6);
  const saddle = [
    [-7, 2],
    [2, 3],
  ];
  const turned = curvature(coordinatesOf(saddle, 10), saddle);
  expect([turned[0]![0], turned[1]![1]].map((entry) => Math.round(entry! * 1e6) / 1e6)).toEqual([-1, 1]);
});

it('coordinates are no longer than the length where the function is flat or has no gradient', () => {
  const flat = coordinatesOf(
    [
      [4, 0],
      [0, 0],
    ],
    0.25,
  );
  const lengths = [0, 1].map((row) => Math.hypot(flat.at(row, 0), flat.at(row, 1)));
  expect(Math.max(...lengths)).toBeCloseTo(0.25, 12);
  expect(
    coordinatesOf(
      [
        [Number.NaN, 0],
        [0, 1],
      ],
      0.25,
    ).toArrays(),
  ).toEqual([
    [0.25, 0],
    [0, 0.25],
  ]);
});
