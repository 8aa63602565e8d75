import { NumericalError } from '../../core/errors.ts';
import { linearAlgebra } from '../../engine/dense/activeEngine.ts';
import { sharedMemory } from '../../engine/memory.ts';
import type { SolverMemory } from '../../model/solver.ts';
import {
  entryHessian,
  type MomentProblem,
  momentResidual,
  type PrecisionEntries,
  pullOf,
  withInverse,
} from './momentProblem.ts';

/** Entries of a precision, with value and gradient of the density. */
export interface MomentPoint {
  readonly entries: PrecisionEntries;
  /** log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij| */
  readonly value: number;
  /** W − S on the diagonal and at the edges. */
  readonly excess: PrecisionEntries;
  readonly kktResidual: number;
}

/** The best point so far, and the number of iterations and evaluations. */
export interface MomentProgress extends MomentPoint {
  readonly iterations: number;
  readonly evaluations: number;
}

/** State of a search after an iteration. */
export interface MomentStep extends MomentProgress {
  /** A copy of the state that continues the search with the same bits. */
  memory(): SolverMemory;
}

/** A search for the maximum: yields every iteration, and returns its best point. */
export type MomentSearch = Generator<MomentStep, MomentProgress, void>;

const GOAL = 1e-12;

/** Fraction of the objective's terms that rounding may hide, and number of consecutive steps without a larger gain before the violation must halve. */
const LEVEL = 1e-13;
const MOST_LEVEL_STEPS = 10;

/** Largest number of entries of Θ moved in one step, unless more are nonzero. */
const MOST_FREE = 4000;

/** Largest number of entries of Θ that may differ from 0: their Hessian is dense. */
export const MOST_ENTRIES = 12_000;

/**
 * Maximizes log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij| by Newton steps within the orthant of the signs of Θ's entries, extended by zero entries whose gradient
 * exceeds the penalty. Entries that would change their sign stop at 0; if this does not raise the objective, the step ends at the first of them.
 *
 * @param start - entries of a positive definite Θ
 * @param goal - the violation of the optimality conditions at which to stop
 * @throws NumericalError if Θ is not positive definite, or too many of its entries differ from 0
 * @see Andrew & Gao 2007, on methods within orthants; Hsieh, Sustik, Dhillon & Ravikumar 2011
 */
export function* penalizedNewton(problem: MomentProblem, start: PrecisionEntries, goal = GOAL): MomentSearch {
  const { size: N } = problem;
  const x = Float64Array.from([...start.diagonal, ...start.edges]);
  let at = evaluate(problem, x, rethrow)!;
  let evaluations = 1;
  let iterations = 0;
  let level = 0;
  const progress = () => ({ ...pointOf(problem, at), iterations, evaluations });
  let residual = momentResidual(problem, at);
  while (residual > goal) {
    const step = orthantStep(problem, at.x, at.gradient);
    if (step === undefined) break;
    let found: PointValue | undefined;
    const hidden = LEVEL * at.terms;
    const least = densityOf(problem, at) - hidden;
    for (const length of lengthsOf(at.x, step, N)) {
      const candidate = evaluate(problem, movedBy(at.x, step, length, N));
      evaluations++;
      if (candidate === undefined || densityOf(problem, candidate) < least) continue;
      found = candidate;
      break;
    }
    if (found === undefined) break;
    const movedResidual = momentResidual(problem, found);
    // Close to the maximum rounding hides differences of the objective; the residual decides.
    const isNearer = movedResidual <= residual / 2;
    if (residual < 1e-9 && !isNearer) break;
    level = isNearer || densityOf(problem, found) > densityOf(problem, at) + hidden ? 0 : level + 1;
    if (level > MOST_LEVEL_STEPS) break;
    at = found;
    residual = movedResidual;
    iterations++;
    yield { ...progress(), memory: () => ({}) };
  }
  return progress();
}

/**
 * Value and gradient of the density at these entries.
 *
 * @throws NumericalError if Θ is not positive definite
 */
export function measuredMoments(problem: MomentProblem, { diagonal, edges }: PrecisionEntries): MomentPoint {
  return pointOf(problem, evaluate(problem, Float64Array.from([...diagonal, ...edges]), rethrow)!);
}

/** Full and halved steps, followed by steps that change no sign. */
function lengthsOf(x: Float64Array, step: Float64Array, N: number): number[] {
  let first = 1;
  for (let v = N; v < x.length; v++) {
    const length = -x[v]! / step[v]!;
    if (length > 0 && length < first) first = length;
  }
  const within = Array.from({ length: 30 }, (_, k) => first * (1 + 1e-12) * 2 ** -k);
  return [1, 0.5, 0.25, 0.125].filter((length) => length > first).concat(within);
}

/** x + length·step, with entries that would change their sign at 0. */
function movedBy(x: Float64Array, step: Float64Array, length: number, N: number): Float64Array {
  return x.map((entry, v) => {
    const to = entry + length * step[v]!;
    return v >= N && entry !== 0 && Math.sign(to) !== Math.sign(entry) ? 0 : to;
  });
}

interface PointValue {
  readonly x: Float64Array;
  /** log|Θ| − tr(SΘ) */
  readonly smooth: number;
  /** The sum of the moduli of its terms, which may cancel. */
  readonly terms: number;
  /** W − S at the positions of x. */
  readonly gradient: Float64Array;
}

function densityOf({ size: N, penalty }: MomentProblem, { x, smooth }: PointValue): number {
  let size = 0;
  for (let v = N; v < x.length; v++) size += Math.abs(x[v]!);
  return smooth - 2 * penalty * size;
}

function pointOf(problem: MomentProblem, at: PointValue): MomentPoint {
  const { size: N } = problem;
  const entries = (all: Float64Array) => ({ diagonal: all.slice(0, N), edges: all.slice(N) });
  return {
    entries: entries(at.x),
    value: densityOf(problem, at),
    excess: entries(at.gradient),
    kktResidual: momentResidual(problem, at),
  };
}

function rethrow(error: NumericalError): never {
  throw error;
}

/**
 * Value and gradient of the density at x; undefined if Θ is not positive definite.
 *
 * @param x - retained
 */
function evaluate(
  problem: MomentProblem,
  x: Float64Array,
  without: (error: NumericalError) => PointValue | undefined = () => undefined,
): PointValue | undefined {
  const { size: N, sources, targets, variances, covariances } = problem;
  const work = (logDeterminant: number, W: Float64Array): PointValue | undefined => {
    const gradient = new Float64Array(x.length);
    let smooth = logDeterminant;
    let terms = Math.abs(logDeterminant);
    for (let i = 0; i < N; i++) {
      smooth -= variances[i]! * x[i]!;
      terms += Math.abs(variances[i]! * x[i]!);
      gradient[i] = W[i * (N + 1)]! - variances[i]!;
    }
    for (let e = 0; e < covariances.length; e++) {
      smooth -= 2 * covariances[e]! * x[N + e]!;
      terms += Math.abs(2 * covariances[e]! * x[N + e]!);
      gradient[N + e] = W[targets[e]! * N + sources[e]!]! - covariances[e]!;
    }
    return { x, smooth, terms, gradient };
  };
  return withInverse(problem, { diagonal: x.subarray(0, N), edges: x.subarray(N) }, work, without);
}

/**
 * The Newton decrement √(gᵀH⁻¹g) of the density at these entries. As −log|Θ| is self-concordant, a decrement below 1 proves that a maximum exists; if
 * there is none, it stays at 1 or above, however small the gradient becomes. Infinite if the Hessian is singular in double precision.
 *
 * @throws NumericalError as {@link penalizedNewton} does
 * @see Nesterov & Nemirovskii, Interior-Point Polynomial Algorithms in Convex Programming (1994), §2.2
 */
export function newtonDecrement(problem: MomentProblem, entries: PrecisionEntries): number {
  const { size: N, penalty } = problem;
  const { x, gradient } = evaluate(problem, Float64Array.from([...entries.diagonal, ...entries.edges]), rethrow)!;
  const step = orthantStep(problem, x, gradient);
  if (step === undefined) return Infinity;
  const squared = step.reduce(
    (sum, entry, v) => sum + (v < N ? gradient[v]! : 2 * pullOf(x[v]!, gradient[v]!, penalty)) * entry,
    0,
  );
  return Math.sqrt(Math.max(0, squared));
}

/** Error about a Hessian that is too large. */
function tooManyEntries(count: number): NumericalError {
  return new NumericalError(
    `${count} entries of the precision differ from 0, so that Newton's method needs a dense Hessian of ${count}×${count} numbers ` +
      `(${((8 * count * count) / 2 ** 30).toFixed(1)} GiB); it takes up to ${MOST_ENTRIES}. Give fewer points, fewer neighbors or a larger penalty.`,
  );
}

/**
 * The Newton step of the nonzero entries and of zero entries whose gradient exceeds the penalty, if the step moves them along their gradient.
 * Undefined if the Hessian is singular in double precision.
 */
function orthantStep(problem: MomentProblem, x: Float64Array, gradient: Float64Array): Float64Array | undefined {
  const { size: N, penalty } = problem;
  const pulls = gradient.map((entry, v) => (v < N ? entry : pullOf(x[v]!, entry, penalty)));
  const inner = Int32Array.from(x.keys()).filter((v) => v < N || x[v] !== 0);
  if (inner.length > MOST_ENTRIES) throw tooManyEntries(inner.length);
  let entering = Int32Array.from(x.keys()).filter((v) => v >= N && x[v] === 0 && pulls[v] !== 0);
  const most = Math.max(1, Math.min(N, MOST_FREE - inner.length));
  if (entering.length > most) {
    entering = entering.sort((a, b) => Math.abs(pulls[b]!) - Math.abs(pulls[a]!) || a - b).slice(0, most);
  }
  for (;;) {
    const free = Int32Array.from([...inner, ...entering]);
    const slope = Float64Array.from(free, (v) => (v < N ? pulls[v]! : 2 * pulls[v]!));
    const step = newtonStep(problem, x, free, slope);
    if (step === undefined) return undefined;
    const full = new Float64Array(x.length);
    free.forEach((v, a) => {
      full[v] = step[a]!;
    });
    const willing = entering.filter((v) => Math.sign(full[v]!) === Math.sign(pulls[v]!));
    if (willing.length === entering.length) return full;
    entering = willing;
  }
}

/**
 * Solves (H + diag(shift))·p = slope for some entries x of Θ, where H_ab = tr(W·E_a·W·E_b), E_a the symmetric unit matrix of entry a. Undefined if
 * the matrix is singular in double precision.
 *
 * @throws NumericalError if Θ is not positive definite
 */
export function newtonStep(
  problem: Pick<MomentProblem, 'size' | 'sources' | 'targets'>,
  x: Float64Array,
  free: Int32Array,
  slope: Float64Array,
  shift?: Float64Array,
): Float64Array | undefined {
  const { size: N, sources, targets } = problem;
  const count = free.length;
  const rows = free.map((v) => (v < N ? v : sources[v - N]!));
  const columns = free.map((v) => (v < N ? v : targets[v - N]!));
  const memory = sharedMemory();
  const algebra = linearAlgebra(memory);
  return memory.withBlock(8 * count * count, (hessian) =>
    memory.withBlock(8 * count, (right) => {
      withInverse(problem, { diagonal: x.subarray(0, N), edges: x.subarray(N) }, (_, W) => {
        const H = memory.float64(hessian, count * count);
        const entry = entryHessian(N, W, rows, columns);
        for (let a = 0; a < count; a++) {
          for (let b = 0; b <= a; b++) H[a * count + b] = entry(a, b);
          if (shift !== undefined) H[a * (count + 1)]! += shift[a]!;
        }
      });
      memory.float64(right, count).set(slope);
      if (algebra.cholesky(count, hessian) >= 0) return undefined;
      algebra.triangularSolve(count, 1, hessian, right, false);
      algebra.triangularSolve(count, 1, hessian, right, true);
      return memory.float64(right, count).slice();
    }),
  );
}
