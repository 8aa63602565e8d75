import { log, square } from '../../core/elementary/index.ts';
import { type MomentProblem, type PrecisionEntries, withInverse } from './momentProblem.ts';
import { newtonStep } from './penalizedNewton.ts';

/** First μ, its decay factor along the path, and the last μ. */
const FIRST = 0.03;
const PATH = 0.02;
const LAST = 1e-8;

/** Squared Newton decrement, in units of μ, below which μ is decreased. */
const CENTERED = 100;
const MOST_STEPS = 200;

/** Armijo fraction of the slope, reduction of a step that gains less, and fraction of the terms that rounding may hide. */
const GAIN = 0.1;
const SHORTER = 0.6;
const SHORTEST = 1e-9;
const LEVEL = 1e-13;

/** Fraction of the distance to where a multiplier would be 0. */
const WITHIN = 0.99;

/** Point of a search: entries of Θ, with value and gradient of the barrier function. */
interface Point {
  readonly x: Float64Array;
  readonly value: number;
  /** The sum of the moduli of its terms, which may cancel. */
  readonly terms: number;
  readonly gradient: Float64Array;
}

/**
 * Approximate maximum of log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij|, ρ > 0, with entries that clearly tend to 0 set to 0. It applies Newton's method to tr(SΘ)
 * − log|Θ| + Σ_e h(Θ_e), h(θ) = min over b − a = θ of 2ρ(a + b) − μ·(log a + log b), for falling μ. Each of these functions is convex and smooth, so
 * that the method converges from any start; here it starts at the maximum on a spanning tree. The curvature of h is computed from its multipliers, u
 * for b ≥ 0 and v = 4ρ − u for a ≥ 0, which are updated separately: 1/(b/u + a/v).
 *
 * @returns undefined if rounding stops the search before the zero entries are clear
 * @see Nocedal & Wright, Numerical Optimization (2006), ch. 19; Li & Toh, Math. Program. Comput. 2 (2010), on the graphical lasso
 */
export function centralPath(problem: MomentProblem): PrecisionEntries | undefined {
  const { size: N, sources, penalty } = problem;
  const count = sources.length;
  const all = Int32Array.from({ length: N + count }, (_, v) => v);
  const start = treeMaximum(problem);
  let mu = FIRST;
  let at = pointAt(problem, Float64Array.from([...start.diagonal, ...start.edges]), mu);
  const pull = Float64Array.from(start.edges, (theta) => pullAt(theta, penalty, mu));
  for (let step = 0; step < MOST_STEPS && at !== undefined; step++) {
    const shift = new Float64Array(N + count);
    for (let e = 0; e < count; e++) {
      const own = pullAt(at.x[N + e]!, penalty, mu);
      const toB = mu / ((2 * penalty - own) * (2 * penalty - pull[e]!));
      const toA = mu / ((2 * penalty + own) * (2 * penalty + pull[e]!));
      shift[N + e] = 1 / (toA + toB);
    }
    const down = at.gradient.map((slope) => -slope);
    const change = newtonStep(problem, at.x, all, down, shift);
    if (change === undefined) return undefined;
    const decrement = change.reduce((sum, entry, v) => sum + entry * down[v]!, 0);
    const next = further(problem, at, change, decrement, mu);
    if (next === undefined) return undefined;
    movePulls(pull, at.x.subarray(N), change.subarray(N), shift.subarray(N), penalty, mu);
    at = next;
    if (decrement > CENTERED * mu) continue;
    if (mu === LAST) return onSupport(problem, at.x, mu);
    mu = Math.max(LAST, PATH * mu);
    at = pointAt(problem, at.x, mu);
  }
  return undefined;
}

/** The result of a step to a lower barrier function; undefined if no step lowers it. */
function further(problem: MomentProblem, at: Point, change: Float64Array, decrement: number, mu: number) {
  const slack = LEVEL * at.terms;
  for (let length = 1; length > SHORTEST; length *= SHORTER) {
    const next = pointAt(
      problem,
      at.x.map((entry, v) => entry + length * change[v]!),
      mu,
    );
    if (next !== undefined && next.value <= at.value - GAIN * length * decrement + slack) return next;
  }
  return undefined;
}

/** h′(θ) = 2ρ − μ/b = μ/a − 2ρ at the a and b for θ; between −2ρ and 2ρ. */
function pullAt(theta: number, penalty: number, mu: number): number {
  const most = 2 * penalty;
  return (most * most * theta) / (mu + Math.sqrt(mu * mu + most * most * theta * theta));
}

/** Value and gradient of the barrier function; undefined if Θ is not positive definite. */
function pointAt(problem: MomentProblem, x: Float64Array, mu: number): Point | undefined {
  const { size: N, sources, targets, variances, covariances, penalty } = problem;
  const work = (logDeterminant: number, W: Float64Array): Point | undefined => {
    const gradient = new Float64Array(x.length);
    let value = -logDeterminant;
    let terms = Math.abs(logDeterminant);
    for (let i = 0; i < N; i++) {
      value += variances[i]! * x[i]!;
      terms += Math.abs(variances[i]! * x[i]!);
      gradient[i] = variances[i]! - W[i * (N + 1)]!;
    }
    for (let e = 0; e < sources.length; e++) {
      const theta = x[N + e]!;
      const own = pullAt(theta, penalty, mu);
      const [a, b] = [mu / (2 * penalty + own), mu / (2 * penalty - own)];
      value += 2 * covariances[e]! * theta + 2 * penalty * (a + b) - mu * log(a * b);
      terms += Math.abs(2 * covariances[e]! * theta) + 2 * penalty * (a + b);
      gradient[N + e] = 2 * (covariances[e]! - W[targets[e]! * N + sources[e]!]!) + own;
    }
    return { x, value, terms, gradient };
  };
  const entries = { diagonal: x.subarray(0, N), edges: x.subarray(N) };
  return withInverse<Point | undefined>(problem, entries, work, () => undefined);
}

/** Moves 2ρ − u for all edges by the linearized equations b·u = a·v = μ for a change of Θ_ij, as far as multipliers stay above 0. */
function movePulls(
  pull: Float64Array,
  theta: Float64Array,
  change: Float64Array,
  shift: Float64Array,
  penalty: number,
  mu: number,
): void {
  const moved = pull.map((p, e) => {
    const across = mu / (2 * penalty - p) - mu / (2 * penalty + p);
    return shift[e]! * (theta[e]! + change[e]! - across);
  });
  let length = 1;
  moved.forEach((by, e) => {
    const room = by > 0 ? 2 * penalty - pull[e]! : 2 * penalty + pull[e]!;
    length = Math.min(length, (WITHIN * room) / Math.abs(by));
  });
  moved.forEach((by, e) => {
    pull[e]! += length * by;
  });
}

/** The maximum if Θ has entries only at the edges of a spanning tree of the largest correlations, where it is known in closed form: covariances there are S_ij ∓ ρ. */
function treeMaximum({ size: N, sources, targets, variances, covariances, penalty }: MomentProblem): PrecisionEntries {
  const across = covariances.map((s) => Math.sign(s) * Math.max(0, Math.abs(s) - penalty));
  const part = (e: number) => square(across[e]!) / (variances[sources[e]!]! * variances[targets[e]!]!);
  const parts = across.map((_, e) => part(e));
  const order = Int32Array.from(across.keys()).sort((e, f) => parts[f]! - parts[e]! || e - f);
  const parent = Int32Array.from({ length: N }, (_, i) => i);
  const root = (i: number) => {
    let top = i;
    while (parent[top] !== top) top = parent[top] = parent[parent[top]!]!;
    return top;
  };
  const diagonal = variances.map((variance) => 1 / variance);
  const edges = new Float64Array(across.length);
  for (const e of order) {
    const [i, j, s] = [sources[e]!, targets[e]!, across[e]!];
    const [from, to] = [root(i), root(j)];
    const determinant = variances[i]! * variances[j]! - s * s;
    if (s === 0 || from === to || !(determinant > 0)) continue;
    parent[from] = to;
    diagonal[i]! += variances[j]! / determinant - 1 / variances[i]!;
    diagonal[j]! += variances[i]! / determinant - 1 / variances[j]!;
    edges[e] = -s / determinant;
  }
  return { diagonal, edges };
}

/** Entries, with 0 for those that are smaller, relative to the diagonal, than the multipliers that keep them there, relative to the penalty. */
function onSupport({ size: N, sources, targets, penalty }: MomentProblem, x: Float64Array, mu: number) {
  const edges = x.slice(N);
  edges.forEach((theta, e) => {
    const unit = Math.sqrt(x[sources[e]!]! * x[targets[e]!]!) / (2 * penalty);
    const own = Math.abs(pullAt(theta, penalty, mu));
    const multiplier = 2 * penalty - own;
    if (mu / multiplier <= multiplier * unit) edges[e] = 0;
  });
  return { diagonal: x.slice(0, N), edges };
}
