import type { NumericalError } from '../../core/errors.ts';
import { type MomentProblem, type PrecisionEntries, withInverse } from '../density/secondMoments.ts';
import { newtonStep } from './penalizedNewton.ts';

/** Steps at most: about 20 are usual. */
const MOST_STEPS = 80;

/** The part of the mean product of bounds and multipliers that the first step aims at, and those after steps of some part of Newton's, or less. */
const FIRST_CENTRING = 0.3;
const CENTRING = [
  [0.99, 0.01],
  [0.9, 0.1],
  [0.5, 0.3],
  [0, 0.5],
] as const;

/** a and b at first, in the unit of Θ_ij. */
const FIRST_SIZE = 10;

/** The mean product, relative to the penalty, at which it is clear which entries are 0. */
const SMALLEST = 1e-6;

/** Part of the way to where a bound or a multiplier would be 0, and of a step after which Θ is not positive definite. */
const WITHIN = 0.99;
const SHORTER = 0.6;
const SHORTEST = 1e-6;

/** Θ_ij = b − a with multipliers of a ≥ 0 and b ≥ 0, one of each edge. */
interface Split {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly forA: Float64Array;
  readonly forB: Float64Array;
}

/**
 * Nearly the maximum of log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij|, ρ > 0, entries that are clearly on their way to 0 at 0: a primal-dual interior-point method,
 * whose steps see the penalty as curvature and so need not know the signs of the entries. With Θ_ij = b − a and multipliers u of b ≥ 0, v of a ≥ 0, a step
 * solves (H + diag(σ))·ΔΘ = r, σ = 1/(b/u + a/v), and the products b·u and a·v go to 0.
 *
 * @returns nothing where rounding ends the way before it is clear which entries are 0
 * @see Nocedal & Wright, Numerical Optimization (2006), ch. 19; Li & Toh, Math. Program. Comput. 2 (2010), on the graphical lasso
 */
export function interiorMoments(problem: MomentProblem): PrecisionEntries | undefined {
  const { size: N, sources, targets, variances, covariances, penalty } = problem;
  const scale = Float64Array.from(sources, (i, e) => Math.sqrt(variances[i]! * variances[targets[e]!]!));
  const all = Int32Array.from({ length: N + scale.length }, (_, v) => v);
  let x = Float64Array.from(all, (v) => (v < N ? 1 / variances[v]! : 0));
  let excess = excessAt(problem, x)!;
  const split: Split = {
    a: scale.map((s) => FIRST_SIZE / s),
    b: scale.map((s) => FIRST_SIZE / s),
    forA: covariances.map((s) => 2 * penalty + Math.max(0, -2 * s)),
    forB: covariances.map((s) => 2 * penalty + Math.max(0, 2 * s)),
  };
  let centring: number = FIRST_CENTRING;
  for (let step = 0; step < MOST_STEPS; step++) {
    const target = centring * meanProduct(split);
    const { slope, shift } = pathTarget(split, N, excess, penalty, target);
    const change = newtonStep(problem, x, all, slope, shift);
    if (change === undefined) return undefined;
    const moved = moves(split, change.subarray(N), shift.subarray(N), excess.subarray(N), penalty, target);
    let length = WITHIN * longest(split.a, moved.a, longest(split.b, moved.b, 1 / WITHIN));
    const along = (t: number) => x.map((entry, v) => entry + t * change[v]!);
    let next = excessAt(problem, along(length));
    while (next === undefined && length > SHORTEST) {
      length *= SHORTER;
      next = excessAt(problem, along(length));
    }
    if (next === undefined) return undefined;
    x = along(length);
    excess = next;
    const ofMultipliers = WITHIN * longest(split.forA, moved.forA, longest(split.forB, moved.forB, 1 / WITHIN));
    add(split.a, moved.a, length);
    add(split.b, moved.b, length);
    add(split.forA, moved.forA, ofMultipliers);
    add(split.forB, moved.forB, ofMultipliers);
    centring = CENTRING.find(([part]) => Math.min(length, ofMultipliers) >= part)![1];
    if (meanProduct(split) <= SMALLEST * penalty && length > 0.5) return onSupport(x, split, scale, N);
  }
  return undefined;
}

/** W − S in the places of x; nothing where Θ is not positive definite. */
function excessAt(problem: MomentProblem, x: Float64Array): Float64Array | undefined {
  const { size: N, sources, targets, variances, covariances } = problem;
  return withInverse<Float64Array | undefined>(
    problem,
    { diagonal: x.subarray(0, N), edges: x.subarray(N) },
    (_, W) =>
      x.map((__, v) =>
        v < N ? W[v * (N + 1)]! - variances[v]! : W[targets[v - N]! * N + sources[v - N]!]! - covariances[v - N]!,
      ),
    (_: NumericalError) => undefined,
  );
}

function meanProduct({ a, b, forA, forB }: Split): number {
  let sum = 0;
  for (let e = 0; e < a.length; e++) sum += a[e]! * forA[e]! + b[e]! * forB[e]!;
  return sum / (2 * a.length);
}

/** r and σ of the step that aims at products of `target`. */
function pathTarget({ a, b, forA, forB }: Split, N: number, excess: Float64Array, penalty: number, target: number) {
  const slope = excess.slice();
  const shift = new Float64Array(excess.length);
  for (let e = 0; e < a.length; e++) {
    const g = excess[N + e]!;
    const [up, down] = [b[e]! / forB[e]!, a[e]! / forA[e]!];
    const sigma = 1 / (up + down);
    shift[N + e] = sigma;
    slope[N + e] = sigma * (up * (2 * (g - penalty) + target / b[e]!) - down * (-2 * (g + penalty) + target / a[e]!));
  }
  return { slope, shift };
}

/** How a and b, and their multipliers, move when their differences move by `change`. */
function moves(
  { a, b, forA, forB }: Split,
  change: Float64Array,
  sigma: Float64Array,
  excess: Float64Array,
  penalty: number,
  target: number,
): Split {
  const none = () => new Float64Array(a.length);
  const moved = { a: none(), b: none(), forA: none(), forB: none() };
  for (let e = 0; e < a.length; e++) {
    const g = excess[e]!;
    const [up, down] = [b[e]! / forB[e]!, a[e]! / forA[e]!];
    const rightB = 2 * (g - penalty) + target / b[e]!;
    const rightA = -2 * (g + penalty) + target / a[e]!;
    // What the Hessian makes of the step at this edge.
    const bent = sigma[e]! * (up * rightB - down * rightA - change[e]!);
    moved.b[e] = up * (rightB - bent);
    moved.a[e] = down * (rightA + bent);
    moved.forB[e] = target / b[e]! - forB[e]! - moved.b[e]! / up;
    moved.forA[e] = target / a[e]! - forA[e]! - moved.a[e]! / down;
  }
  return moved;
}

/** Largest t up to `most` at which no entry of x + t·change is below 0. */
function longest(x: Float64Array, change: Float64Array, most: number): number {
  let length = most;
  for (let e = 0; e < x.length; e++) if (change[e]! < 0) length = Math.min(length, -x[e]! / change[e]!);
  return length;
}

function add(x: Float64Array, change: Float64Array, length: number): void {
  for (let e = 0; e < x.length; e++) x[e]! += length * change[e]!;
}

/** Entries with those at 0 that are smaller, in the unit of the variances, than the multipliers that keep them there. */
function onSupport(x: Float64Array, { a, b, forA, forB }: Split, scale: Float64Array, N: number): PrecisionEntries {
  const edges = x.slice(N);
  for (let e = 0; e < edges.length; e++) {
    const s = scale[e]!;
    const isAway = b[e]! * s > forB[e]! / s || a[e]! * s > forA[e]! / s;
    if (!isAway) edges[e] = 0;
  }
  return { diagonal: x.slice(0, N), edges };
}
