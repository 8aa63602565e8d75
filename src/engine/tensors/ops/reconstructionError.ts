import { InvalidInputError } from '../../../core/errors.ts';
import type { Reconstruction } from '../../graph/reconstructionWeights.ts';
import { doublesOf } from '../doubles.ts';
import { numericOperation } from '../tape.ts';
import type { Scalar, Tensor2D } from '../tensorflow.ts';

/**
 * Σ_i ‖x_i − Σ_j w_ij·x_j‖² = tr(XᵀMMᵀX) with Mᵀ = I − W, at O(neighbours·q); the gradient is 2MMᵀX.
 *
 * @param X - N×q
 * @param reconstruction - neighbours and weights w_ij of N points: those of point i are at starts[i] … starts[i + 1] − 1
 * @returns a scalar
 * @throws InvalidInputError when X has another number of rows
 * @see Roweis & Saul 2000, Nonlinear dimensionality reduction by locally linear embedding, Science 290
 * @example
 * ```ts
 * // Each of two points by the other one: 2·‖x_0 − x_1‖².
 * const reconstruction = {
 *   starts: Int32Array.of(0, 1, 2),
 *   neighbours: Int32Array.of(1, 0),
 *   weights: Float64Array.of(1, 1),
 * };
 * op.reconstructionError(op.tensor([[0], [3]]), reconstruction); // 18
 * ```
 */
export function reconstructionError(X: Tensor2D, { starts, neighbours, weights }: Reconstruction): Scalar {
  const [N, q] = X.shape;
  if (N !== starts.length - 1) {
    throw new InvalidInputError(
      `reconstructionError needs one row a point, but X is ${N}×${q} and there are weights of ${starts.length - 1} points.`,
    );
  }
  return numericOperation([X], ([x]) => {
    const points = doublesOf(x!);
    const residuals = points.slice();
    for (let i = 0; i < N; i++) {
      for (let n = starts[i]!; n < starts[i + 1]!; n++) {
        const j = neighbours[n]! * q;
        for (let d = 0; d < q; d++) residuals[i * q + d]! -= weights[n]! * points[j + d]!;
      }
    }
    const slopes = (slope: number) => {
      const gradient = residuals.slice();
      for (let i = 0; i < N; i++) {
        for (let n = starts[i]!; n < starts[i + 1]!; n++) {
          const j = neighbours[n]! * q;
          for (let d = 0; d < q; d++) gradient[j + d]! -= weights[n]! * residuals[i * q + d]!;
        }
      }
      return [gradient.map((entry) => 2 * slope * entry)];
    };
    return { value: residuals.reduce((sum, entry) => sum + entry * entry, 0), slopes };
  });
}
