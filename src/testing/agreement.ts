import { LatentFieldError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { seededRandom } from '../core/random.ts';

/**
 * Compares numbers with expected ones and reports the difference.
 *
 * @param scale - the number that `tolerance` is relative to; default the largest expected number
 * @throws LatentFieldError if one of them differs by more than the tolerance, naming the worst
 */
export function agreement(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  scale = largest(expected),
): string {
  if (actual.length !== expected.length) {
    throw new LatentFieldError(`${expected.length} numbers were expected, but there are ${actual.length}`);
  }
  let worst = 0;
  let at = 0;
  for (let i = 0; i < expected.length; i++) {
    const error = Math.abs(actual[i]! - expected[i]!);
    if (error <= worst) continue;
    at = i;
    worst = error;
    // NaN is the worst of all.
    if (!(error < Infinity)) break;
  }
  const relative = worst / (scale || 1);
  if (relative <= tolerance) return `largest error ${relative.toExponential(1)}, tolerance ${tolerance}`;
  throw new LatentFieldError(
    `entry ${at} is ${actual[at]} and should be ${expected[at]}: the error is ${relative.toExponential(1)} of the largest, the tolerance ${tolerance}`,
  );
}

/** Largest modulus. */
export function largest(numbers: ArrayLike<number>): number {
  let result = 0;
  for (let i = 0; i < numbers.length; i++) result = Math.max(result, Math.abs(numbers[i]!));
  return result;
}

/** Throws unless all numbers are finite. */
export function finite(numbers: ArrayLike<number>, what: string): void {
  for (let i = 0; i < numbers.length; i++) {
    if (!Number.isFinite(numbers[i]!)) throw new LatentFieldError(`entry ${i} of ${what} is ${numbers[i]}`);
  }
}

/** Standard normal points (rows×columns). */
export function randomPoints(rows: number, columns: number, seed: number): Matrix {
  const { normal } = seededRandom(seed);
  return new Matrix(Float64Array.from({ length: rows * columns }, normal), rows, columns);
}

/** The points with the second and the last one replaced by the first. */
export function withCoincident(X: Matrix): Matrix {
  const rows = X.toArrays();
  return Matrix.from(rows.map((row, i) => (i === 1 || i === rows.length - 1 ? rows[0]! : row)));
}
