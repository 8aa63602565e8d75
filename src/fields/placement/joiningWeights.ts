import { log, log1p, square } from '../../core/elementary/index.ts';
import { NumericalError } from '../../core/errors.ts';
import { cholesky, rowMajor, triangularSolve } from '../../engine/typescript/matrices.ts';

/** A point that joins a random field by edges to k of its points, with the rest of the field fixed. */
export interface JoiningProblem {
  /** φ for the k edges, ≥ 0; above 0 without an upper bound. */
  readonly squaredDistances: Float64Array;
  /** T: covariance of the k points in the field without the part common to all of its points; k×k. */
  readonly covariances: Float64Array;
  /** σ: variance of the new point alone and of the part common to all points, 1/λ + 1/(λN). */
  readonly common: number;
  /** c */
  readonly copies: number;
  /** 4C, may be Infinity. */
  readonly upper: number;
}

/** The weights of the edges, and derived quantities of the field. */
export interface JoiningWeights {
  /** w, k numbers. */
  readonly weights: Float64Array;
  /** c/2·log|I + SW| − ½·Σ w_j·φ_j, S = T + σ11ᵀ, W = diag(w): the gain in the objective due to the new edges. */
  readonly gain: number;
  /** (I + TW)⁻¹1: the effect of the common part that remains at each of the k points. */
  readonly shown: Float64Array;
  /** 1/(1/σ + Σ_j w_j·shown_j): variance of the common part. */
  readonly remaining: number;
  /** W^½·(I + W^½TW^½)⁻¹·W^½, k×k. */
  readonly reduction: Float64Array;
}

/** Largest violation of the optimality conditions at which Newton's method stops and its result is accepted. */
const GOAL = 1e-13;
const GOOD = 1e-8;
/** Violation below which Newton steps are judged by the violation itself. */
const NEAR = 1e-4;
const MOST_STEPS = 200;

/** Fraction of the scale of its weight below which an edge's resistance is not computed from 1 − (I + W^½SW^½)⁻¹, which is then close to 0. */
const SMALL = 1e-3;

/**
 * The weights that join a new point to k points of a field and maximize the field's objective with everything else fixed:
 *
 * max c/2·log|Q⁺(w)| − ½·Σ_j w_j·φ_j over 0 ≤ w_j ≤ 4C, and log|Q⁺(w)| = log|Q| + log λ + log|I + SW|
 *
 * with S_jl = U_jl + 1/λ, U = Q⁻¹, W = diag(w): without edges, the new point has variance 1/λ, and its edge to j has resistance S_jj. The problem is
 * concave; its gradient is c/2·M_jj − ½·φ_j with M = (S⁻¹ + W)⁻¹, its Hessian −c/2·M_jl². It is solved by projected Newton steps in w_j/min(c/φ_j,
 * 4C).
 *
 * The part common to all points, of variance σ, is separated from T like the mean of a Gaussian process from its covariance, so that no digits are
 * lost to a small λ: M = P + hhᵀ/(1/σ + wᵀh) with P = (T⁻¹ + W)⁻¹ and h = (I + TW)⁻¹1.
 *
 * @throws NumericalError if the optimality conditions cannot be met in double precision
 * @see Bertsekas, SIAM J. Control Optim. 20 (1982), on projected Newton methods; Rasmussen & Williams 2006, eq. 2.41
 */
export function joiningWeights(problem: JoiningProblem): JoiningWeights {
  const { squaredDistances, copies, upper } = problem;
  const k = squaredDistances.length;
  const scale = squaredDistances.map((distance) => Math.min(copies / distance, upper));
  const cost = squaredDistances.map((distance, j) => (scale[j]! * distance) / copies);
  const most = scale.map((s) => upper / s);
  const evaluate = evaluation(problem, scale, cost);
  let t = most.map((bound) => Math.min(bound, 1 / k));
  let at = evaluate(t);
  let residual = violation(t, at.gradient, most);
  for (let step = 0; step < MOST_STEPS && residual > GOAL; step++) {
    const direction = newtonDirection(t, at, most, residual);
    let next = at;
    let moved = t;
    let after = residual;
    let length = 1;
    for (; length > 1e-10; length /= 2) {
      moved = t.map((entry, j) => Math.max(0, Math.min(most[j]!, entry + length * direction[j]!)));
      next = evaluate(moved);
      after = violation(moved, next.gradient, most);
      // Close to the maximum rounding hides differences of the objective; the violation decides.
      if (residual < NEAR ? after < residual : next.value >= at.value) break;
    }
    if (length <= 1e-10) break;
    t = moved;
    at = next;
    residual = after;
  }
  if (!(residual <= GOOD)) {
    throw new NumericalError(
      `The weights that would join a new point to ${k} others meet their optimality conditions to ${residual.toExponential(1)} only: ` +
        'its distances to them, or theirs to each other, are too far apart. A finite slackPenalty bounds the weights.',
    );
  }
  const root = scale.map(Math.sqrt);
  return {
    weights: t.map((entry, j) => entry * scale[j]!),
    gain: (copies / 2) * at.value,
    shown: at.shown.map((entry, j) => entry / root[j]!),
    remaining: at.remaining,
    reduction: at.reduction.map((entry, p) => entry * root[Math.floor(p / k)]! * root[p % k]!),
  };
}

/** All quantities in scaled weights t = w/s: T̃ = √s·T·√s, M̃ = √s·M·√s; the objective and its derivatives in units of c/2. */
interface Evaluation {
  readonly value: number;
  /** M̃_jj − s_j·φ_j/c */
  readonly gradient: Float64Array;
  /** M̃ */
  readonly M: Float64Array;
  readonly shown: Float64Array;
  readonly remaining: number;
  readonly reduction: Float64Array;
}

function evaluation({ covariances, common }: JoiningProblem, scale: Float64Array, cost: Float64Array) {
  const k = scale.length;
  const d = scale.map(Math.sqrt);
  const T = covariances.map((entry, p) => entry * d[Math.floor(p / k)]! * d[p % k]!);
  return (t: Float64Array): Evaluation => {
    const root = t.map(Math.sqrt);
    const A = T.map((entry, p) => entry * root[Math.floor(p / k)]! * root[p % k]! + (p % (k + 1) === 0 ? 1 : 0));
    cholesky(k, rowMajor(A, k));
    let value = 0;
    for (let j = 0; j < k; j++) value += 2 * log(A[j * (k + 1)]!) - t[j]! * cost[j]!;
    const inverse = new Float64Array(k * k);
    for (let j = 0; j < k; j++) inverse[j * (k + 1)] = 1;
    triangularSolve(k, k, rowMajor(A, k), rowMajor(inverse, k), false);
    triangularSolve(k, k, rowMajor(A, k), rowMajor(inverse, k), true);
    const reduction = inverse.map((entry, p) => entry * root[Math.floor(p / k)]! * root[p % k]!);
    // A⁻¹u for u = √t·d.
    const a = times(
      inverse,
      root.map((entry, j) => entry * d[j]!),
    );
    let information = 0;
    for (let j = 0; j < k; j++) information += root[j]! * d[j]! * a[j]!;
    const remaining = 1 / (1 / common + information);
    value += log1p(common * information);
    const h = times(
      T,
      root.map((entry, j) => entry * a[j]!),
    ).map((entry, j) => d[j]! - entry);
    const M = new Float64Array(k * k);
    for (let j = 0; j < k; j++) {
      const taken = times(reduction, T.subarray(j * k, (j + 1) * k));
      for (let l = 0; l < k; l++) {
        let sum = T[j * k + l]! + h[j]! * h[l]! * remaining;
        for (let m = 0; m < k; m++) sum -= T[l * k + m]! * taken[m]!;
        M[j * k + l] = sum;
      }
      if (t[j]! >= SMALL) M[j * (k + 1)] = (1 - (inverse[j * (k + 1)]! - a[j]! * a[j]! * remaining)) / t[j]!;
    }
    const gradient = cost.map((entry, j) => M[j * (k + 1)]! - entry);
    return { value, gradient, M, shown: h, remaining, reduction };
  };
}

/** A·x, A k×k. */
function times(A: Float64Array, x: Float64Array): Float64Array {
  const k = x.length;
  return x.map((_, j) => {
    let sum = 0;
    for (let l = 0; l < k; l++) sum += A[j * k + l]! * x[l]!;
    return sum;
  });
}

/** ‖t − P(t + g)‖∞ where weights may move, and g on its own scale. */
function violation(t: Float64Array, gradient: Float64Array, most: Float64Array): number {
  let largest = 0;
  for (let j = 0; j < t.length; j++) {
    const g = gradient[j]!;
    if ((t[j]! <= 0 && g < 0) || (t[j]! >= most[j]! && g > 0)) continue;
    largest = Math.max(largest, Math.abs(g));
  }
  return largest;
}

/** Newton's step for the free weights, and the gradient's for weights that are pulled to a bound at or near them. */
function newtonDirection(t: Float64Array, { gradient, M }: Evaluation, most: Float64Array, residual: number) {
  const k = t.length;
  const next = Math.min(1e-3, residual);
  const free = Int32Array.from(t.keys()).filter((j) =>
    gradient[j]! < 0 ? t[j]! > Math.min(next, most[j]! / 2) : t[j]! < most[j]! - Math.min(next, most[j]! / 2),
  );
  const n = free.length;
  const H = new Float64Array(n * n);
  for (let a = 0; a < n; a++) {
    for (let b = 0; b <= a; b++) H[a * n + b] = square(M[free[a]! * k + free[b]!]!);
    H[a * (n + 1)]! *= 1 + 1e-12;
  }
  const step = Float64Array.from(free, (j) => gradient[j]!);
  const direction = gradient.slice();
  if (cholesky(n, rowMajor(H, n)) >= 0) return direction;
  triangularSolve(n, 1, rowMajor(H, n), rowMajor(step, 1), false);
  triangularSolve(n, 1, rowMajor(H, n), rowMajor(step, 1), true);
  free.forEach((j, a) => {
    direction[j] = step[a]!;
  });
  return direction;
}
