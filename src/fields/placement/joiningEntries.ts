import { NumericalError } from '../../core/errors.ts';
import { cholesky, rowMajor, triangularSolve } from '../../engine/typescript/matrices.ts';

/** A point that joins a field of precision Θ through entries θ for k of its points, with Θ fixed. */
export interface JoiningMoments {
  /** W = Θ⁻¹ restricted to the k points, k×k. */
  readonly covariances: Float64Array;
  /** S_**, ≥ 0. */
  readonly variance: number;
  /** S_*j, k numbers. */
  readonly moments: Float64Array;
  /** ρ ≥ 0 */
  readonly penalty: number;
}

/** The entries of the precision with one more point. */
export interface JoiningEntries {
  /** θ, k numbers. */
  readonly entries: Float64Array;
  /** Θ_**; Infinity where S_** is 0. */
  readonly own: number;
}

/** Sweeps over the coordinates between two solutions for the nonzero entries. */
const SWEEPS = 10;
const MOST_ROUNDS = 1000;
/** Largest violation of the optimality conditions, relative to ρ + max|S_*j|. */
const GOAL = 1e-10;

/**
 * The entries of one more row of the graphical lasso, with everything else fixed: max log(t − θᵀWθ) − S_**·t − 2·S_*ᵀθ − 2ρ·‖θ‖₁.
 *
 * t = 1/S_** + θᵀWθ at the maximum, which leaves the lasso min ½·S_**·θᵀWθ + S_*ᵀθ + ρ‖θ‖₁: coordinate descent determines the zero entries and the
 * signs of the others, whose equations are then solved.
 *
 * @throws NumericalError if the optimality conditions cannot be met
 * @see Friedman, Hastie & Tibshirani 2008
 */
export function joiningEntries({ covariances: W, variance, moments, penalty }: JoiningMoments): JoiningEntries {
  const k = moments.length;
  const entries = new Float64Array(k);
  if (variance === 0) return { entries, own: Infinity };
  const scale = penalty + moments.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  const gradientOf = (theta: Float64Array, j: number) => {
    let sum = 0;
    for (let l = 0; l < k; l++) sum += W[j * k + l]! * theta[l]!;
    return moments[j]! + variance * sum;
  };
  const violation = (theta: Float64Array) => {
    let most = 0;
    theta.forEach((entry, j) => {
      const g = gradientOf(theta, j);
      most = Math.max(most, entry === 0 ? Math.abs(g) - penalty : Math.abs(g + penalty * Math.sign(entry)));
    });
    return most;
  };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      for (let j = 0; j < k; j++) {
        const pull = gradientOf(entries, j) - variance * W[j * (k + 1)]! * entries[j]!;
        entries[j] = -Math.sign(pull) * (Math.max(0, Math.abs(pull) - penalty) / (variance * W[j * (k + 1)]!));
      }
    }
    const solved = solvedFor(entries, { covariances: W, variance, moments, penalty });
    if (solved !== undefined && violation(solved) <= GOAL * scale)
      return { entries: solved, own: ownOf(solved, W, variance) };
    if (violation(entries) <= GOAL * scale) return { entries, own: ownOf(entries, W, variance) };
  }
  throw new NumericalError(
    `The entries that would join a new point to ${k} others meet their optimality conditions to ${(violation(entries) / scale).toExponential(1)} ` +
      'only, as their covariance is nearly singular. A larger penalty helps.',
  );
}

/** The solution with the signs of these entries, and 0 where they are 0; undefined if it has other signs. */
function solvedFor(
  entries: Float64Array,
  { covariances: W, variance, moments, penalty }: JoiningMoments,
): Float64Array | undefined {
  const k = entries.length;
  const free = Int32Array.from(entries.keys()).filter((j) => entries[j] !== 0);
  const n = free.length;
  const A = new Float64Array(n * n);
  for (let a = 0; a < n; a++) for (let b = 0; b <= a; b++) A[a * n + b] = variance * W[free[a]! * k + free[b]!]!;
  const b = Float64Array.from(free, (j) => -moments[j]! - penalty * Math.sign(entries[j]!));
  if (cholesky(n, rowMajor(A, n)) >= 0) return undefined;
  triangularSolve(n, 1, rowMajor(A, n), rowMajor(b, 1), false);
  triangularSolve(n, 1, rowMajor(A, n), rowMajor(b, 1), true);
  if (penalty > 0 && free.some((j, a) => Math.sign(b[a]!) !== Math.sign(entries[j]!))) return undefined;
  const solved = new Float64Array(k);
  free.forEach((j, a) => {
    solved[j] = b[a]!;
  });
  return solved;
}

/** 1/S_** + θᵀWθ */
function ownOf(theta: Float64Array, W: Float64Array, variance: number): number {
  const k = theta.length;
  let sum = 0;
  for (let j = 0; j < k; j++) for (let l = 0; l < k; l++) sum += theta[j]! * W[j * k + l]! * theta[l]!;
  return 1 / variance + sum;
}
