import { NumericalError } from '../../../core/errors.ts';
import type { Random } from '../../../core/random.ts';
import { cholesky } from '../../../engine/typescript/matrices.ts';

/** A Euclidean metric: the inverse of the mass matrix, which is about the covariance of the variables. */
export interface Metric {
  /** n variances, or an n×n covariance row by row. */
  readonly inverse: Float64Array;
  /** M⁻¹p */
  velocity(p: Float64Array): Float64Array;
  /** p ~ N(0, M) */
  momentum(random: Random): Float64Array;
}

/** A metric of independent variables. */
export function diagonalMetric(inverse: Float64Array): Metric {
  const deviations = inverse.map(Math.sqrt);
  const n = inverse.length;
  return {
    inverse,
    velocity(p) {
      const v = new Float64Array(n);
      for (let i = 0; i < n; i++) v[i] = inverse[i]! * p[i]!;
      return v;
    },
    momentum(random) {
      const p = new Float64Array(n);
      for (let i = 0; i < n; i++) p[i] = random.normal() / deviations[i]!;
      return p;
    },
  };
}

/**
 * A metric of dependent variables.
 *
 * @param inverse - n×n covariance, row by row
 * @throws NumericalError when it is not positive definite
 */
export function denseMetric(inverse: Float64Array, n: number): Metric {
  const factor = inverse.slice();
  const pivot = cholesky(n, { data: factor, start: 0, rowStride: n, columnStride: 1 });
  if (pivot >= 0) {
    throw new NumericalError(
      `The covariance of a dense metric (${n}×${n}) is not positive definite: its pivot ${pivot} is ${factor[pivot * n + pivot]}. Take metric: 'diagonal'.`,
    );
  }
  return {
    inverse,
    velocity(p) {
      const v = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += inverse[i * n + j]! * p[j]!;
        v[i] = sum;
      }
      return v;
    },
    // p = L⁻ᵀz has covariance (LLᵀ)⁻¹.
    momentum(random) {
      const p = Float64Array.from({ length: n }, () => random.normal());
      for (let i = n - 1; i >= 0; i--) {
        for (let j = i + 1; j < n; j++) p[i]! -= factor[j * n + i]! * p[j]!;
        p[i]! /= factor[i * n + i]!;
      }
      return p;
    },
  };
}

/** The metric of variances (n entries) or of a covariance (n×n). */
export const metricOf = (inverse: Float64Array, n: number): Metric =>
  inverse.length === n ? diagonalMetric(inverse) : denseMetric(inverse, n);
