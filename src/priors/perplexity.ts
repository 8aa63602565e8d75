import { checkAllPairs } from '../core/allPairs.ts';
import { exp, log } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { squaredDistance } from '../numerics/graph/squaredDistance.ts';

/**
 * Joint probabilities of pairs of points, p_ij = (p_j|i + p_i|j)/(2N) with p_j|i ∝ exp(−b_i·‖y_i − y_j‖²), every b_i such that the
 * entropy of p_·|i is the logarithm of the perplexity. N×N, its diagonal 0, its sum 1.
 *
 * @throws InvalidInputError when the perplexity is not between 1 and N − 1
 * @see van der Maaten & Hinton 2008, eqs. 1 and §3.1
 */
export function jointProbabilities(Y: Matrix, perplexity: number): Matrix {
  const N = Y.rows;
  if (N < 3) {
    throw new InvalidInputError(
      `The prior 'tsne' takes at least 3 points, but there are ${N}: one other point is the only neighbour, wherever it lies. Give more points, or take gplvm.`,
    );
  }
  if (!(perplexity > 1 && perplexity < N - 1)) {
    throw new InvalidInputError(
      `The perplexity of prior 'tsne' must lie between 1 and ${N - 1}, the number of other points, but ${perplexity} was given.`,
    );
  }
  checkAllPairs(
    "The prior 'tsne'",
    N,
    'Give it fewer points, or take the prior locality, which looks at neighbours only.',
  );
  const P = Matrix.zeros(N, N);
  for (let i = 0; i < N; i++) {
    const squares = Float64Array.from({ length: N }, (_, j) =>
      squaredDistance(Y.data, i * Y.columns, j * Y.columns, Y.columns),
    );
    conditional(squares, i, log(perplexity)).forEach((probability, j) => {
      P.data[i * N + j]! += probability / (2 * N);
      P.data[j * N + i]! += probability / (2 * N);
    });
  }
  return P;
}

/** p_·|i whose entropy in nats is `target`, by bisection on log b; as near as coincident points allow. */
function conditional(squares: Float64Array, i: number, target: number): Float64Array {
  const others = squares.filter((_, j) => j !== i);
  const nearest = others.reduce((least, square) => Math.min(least, square), Infinity);
  const mean = others.reduce((sum, square) => sum + square - nearest, 0) / others.length;
  const probabilities = new Float64Array(squares.length);
  if (mean === 0) return probabilities.fill(1 / others.length).fill(0, i, i + 1);
  let low = -log(mean) - 50;
  let high = -log(mean) + 50;
  for (let step = 0; step < 200 && high - low > 4 * Number.EPSILON * Math.max(1, Math.abs(low)); step++) {
    const middle = (low + high) / 2;
    if (entropyAt(exp(middle)) > target) low = middle;
    else high = middle;
  }
  entropyAt(exp((low + high) / 2));
  return probabilities;

  /** Fills `probabilities` for the precision b and returns their entropy log Z + b·⟨d²⟩. */
  function entropyAt(b: number): number {
    let total = 0;
    let moment = 0;
    squares.forEach((square, j) => {
      const excess = square - nearest;
      const weight = j === i ? 0 : exp(-b * excess);
      probabilities[j] = weight;
      total += weight;
      moment += weight * excess;
    });
    for (let j = 0; j < probabilities.length; j++) probabilities[j]! /= total;
    return log(total) + (b * moment) / total;
  }
}
