import { doublesOf } from '../matrix.ts';
import { type Tensor, type Tensor2D, tf } from '../tensorflow.ts';
import { tensor } from './creation.ts';

/**
 * Squared Euclidean distances between the rows of A (n×q) and B (m×q): d²_ij = Σ_k (a_ik − b_jk)², by direct differences — never
 * negative, exactly 0 for coincident points, no cancellation — with gradients in both. Pass the same tensor twice for the
 * distances within one set.
 *
 * @returns n×m
 * @example
 * ```ts
 * op.squaredDistances(X, X);
 * ```
 */
export function squaredDistances(A: Tensor2D, B: Tensor2D): Tensor2D {
  return A === B ? within(A) : between(A, B);
}

const within = tf.customGrad((...args: unknown[]) => {
  const [A, save] = args as [Tensor2D, (tensors: Tensor[]) => void];
  const [n, q] = A.shape;
  save([A]);
  const value = tensor(differences(doublesOf(A), n, doublesOf(A), n, q), [n, n]);
  return {
    value,
    // Each pair appears twice and each point on both sides.
    gradFunc: (dy: Tensor, saved: Tensor[]) => {
      const points = doublesOf(saved[0]!);
      const weights = doublesOf(dy);
      const left = contraction(weights, points, n, points, n, q, false);
      contraction(weights, points, n, points, n, q, true).forEach((entry, i) => {
        left[i]! += entry;
      });
      return tensor(left, [n, q]);
    },
  };
}) as (A: Tensor2D) => Tensor2D;

const between = tf.customGrad((...args: unknown[]) => {
  const [A, B, save] = args as [Tensor2D, Tensor2D, (tensors: Tensor[]) => void];
  const [n, q] = A.shape;
  const m = B.shape[0];
  save([A, B]);
  const value = tensor(differences(doublesOf(A), n, doublesOf(B), m, q), [n, m]);
  return {
    value,
    gradFunc: (dy: Tensor, saved: Tensor[]) => {
      const a = doublesOf(saved[0]!);
      const b = doublesOf(saved[1]!);
      const weights = doublesOf(dy);
      return [
        tensor(contraction(weights, a, n, b, m, q, false), [n, q]),
        tensor(contraction(weights, b, m, a, n, q, true), [m, q]),
      ];
    },
  };
}) as (A: Tensor2D, B: Tensor2D) => Tensor2D;

function differences(a: Float64Array, n: number, b: Float64Array, m: number, q: number): Float64Array {
  const result = new Float64Array(n * m);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let k = 0; k < q; k++) {
        const difference = a[i * q + k]! - b[j * q + k]!;
        sum += difference * difference;
      }
      result[i * m + j] = sum;
    }
  }
  return result;
}

/** 2·Σ_j w_ij·(a_i − b_j) for every row i of a, with w n×m, or m×n when `transposed`. */
function contraction(
  w: Float64Array,
  a: Float64Array,
  n: number,
  b: Float64Array,
  m: number,
  q: number,
  transposed: boolean,
): Float64Array {
  const result = new Float64Array(n * q);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const weight = 2 * w[transposed ? j * n + i : i * m + j]!;
      for (let k = 0; k < q; k++) result[i * q + k]! += weight * (a[i * q + k]! - b[j * q + k]!);
    }
  }
  return result;
}
