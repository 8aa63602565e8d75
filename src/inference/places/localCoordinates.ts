import { Matrix } from '../../core/matrix.ts';
import { symmetricEigenpairs } from '../../engine/dense/eigenpairs.ts';
import { transposed } from '../../engine/dense/products.ts';
import { scaledIdentity } from '../../engine/dense/symmetric.ts';

/** Step of differences of the gradient, relative to the length. */
export const STEP = 1e-3;

/**
 * Coordinates z with x = x₀ + z·T around each of some points, such that the curvature of a function is about 1: the rows of T are v/√|λ| for the
 * eigenpairs (λ, v) of its Hessian, at most `length` long. The Hessian is computed by central differences of the gradient; pauses after every call.
 *
 * @param gradients - gradients of the function at one point per input point, in their order: n×q
 * @returns T of each point, q×q
 */
export function* localCoordinates(
  gradients: (points: readonly Float64Array[]) => Matrix,
  points: readonly Float64Array[],
  length: number,
): Generator<void, Matrix[], void> {
  const q = points[0]!.length;
  const hessians = yield* hessiansAt(gradients, points, STEP * length);
  return hessians.map((hessian) => {
    if (!hessian.data.every(Number.isFinite)) return scaledIdentity(q, length);
    const { values, vectors } = symmetricEigenpairs(hessian);
    const sizes = values.map((value) => Math.min(length, 1 / Math.sqrt(Math.abs(value))));
    return transposed(vectors).map((entry, e) => sizes[e]! * entry);
  });
}

/**
 * Hessians of a function at some points, q×q each, by central differences of its gradient. Pauses after every call.
 *
 * @param gradients - gradients of the function at one point per input point, in their order: n×q
 * @param step - step of the differences
 */
export function* hessiansAt(
  gradients: (points: readonly Float64Array[]) => Matrix,
  points: readonly Float64Array[],
  step: number,
): Generator<void, Matrix[], void> {
  const q = points[0]!.length;
  const hessians = points.map(() => Matrix.zeros(q, q));
  for (let d = 0; d < q; d++) {
    for (const sign of [1, -1]) {
      const found = gradients(points.map((point) => point.with(d, point[d]! + sign * step)));
      hessians.forEach(({ data }, k) => {
        found.row(k).forEach((entry, e) => {
          const half = (sign * entry) / (4 * step);
          data[d * q + e]! += half;
          data[e * q + d]! += half;
        });
      });
      yield;
    }
  }
  return hessians;
}
