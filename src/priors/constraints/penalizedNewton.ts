import { NumericalError } from '../../core/errors.ts';
import { float64Backend } from '../../core/float64/scope.ts';
import { linearAlgebra } from '../../core/linalg/activeEngine.ts';
import { type MomentProblem, type PrecisionEntries, withInverse } from './secondMoments.ts';

/** Where the method ended. */
export interface MomentSolution {
  readonly entries: PrecisionEntries;
  readonly kktResidual: number;
  readonly iterations: number;
  readonly evaluations: number;
}

const GOAL = 1e-12;

/** Most entries of Θ that one step moves. */
const MOST_FREE = 4000;

/**
 * Maximises log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij| by Newton steps within the orthant of the signs of Θ's entries, to which those that are 0
 * and want to leave it are added. Entries that would change their sign stop at 0; where that does not raise the objective, the step ends
 * at the first of them.
 *
 * @param start - entries of a positive definite Θ
 * @param steps - most steps; 0 only measures
 * @param goal - the violation of the optimality conditions at which it ends
 * @throws NumericalError when Θ is not positive definite
 * @see Andrew & Gao 2007, on methods within orthants; Hsieh, Sustik, Dhillon & Ravikumar 2011
 */
export function* penalizedNewton(
  problem: MomentProblem,
  start: PrecisionEntries,
  steps: number,
  goal = GOAL,
): Generator<void, MomentSolution, unknown> {
  const { size: N } = problem;
  let x: Float64Array = Float64Array.from([...start.diagonal, ...start.edges]);
  let at = evaluate(problem, x);
  if (at === undefined) throw new NumericalError('Newton steps start at a precision that is not positive definite.');
  let evaluations = 1;
  let iterations = 0;
  let residual = kktResidual(problem, x, at.gradient);
  while (iterations < steps && residual > goal) {
    const step = orthantStep(problem, x, at.gradient);
    if (step === undefined) break;
    let found: { readonly x: Float64Array; readonly at: PointValue } | undefined;
    for (const length of lengthsOf(x, step, N)) {
      const moved = movedBy(x, step, length, N);
      const candidate = evaluate(problem, moved);
      evaluations++;
      if (candidate === undefined || candidate.value < at.value - 1e-13 * Math.abs(at.value)) continue;
      found = { x: moved, at: candidate };
      break;
    }
    if (found === undefined) break;
    const movedResidual = kktResidual(problem, found.x, found.at.gradient);
    // Close to the maximum the objective no longer tells better from worse; the residual does.
    if (residual < 1e-9 && movedResidual > residual / 2) break;
    x = found.x;
    at = found.at;
    residual = movedResidual;
    iterations++;
    yield;
  }
  return { entries: { diagonal: x.slice(0, N), edges: x.slice(N) }, kktResidual: residual, iterations, evaluations };
}

/** Of the penalty, from one point of the path to the next. */
const PATH = 0.4;

/** The violation at which the path goes on. */
const ON_PATH = 1e-2;

/**
 * The maximum along a path of falling penalties, from the one at which Θ is diagonal: few signs change between two of them, where
 * Newton's method needs many steps to sort them all out at once.
 */
export function* penaltyPath(problem: MomentProblem, steps: number): Generator<void, MomentSolution, unknown> {
  const { variances, covariances } = problem;
  let penalty = covariances.reduce((most, covariance) => Math.max(most, Math.abs(covariance)), 0);
  let entries: PrecisionEntries = {
    diagonal: variances.map((variance) => 1 / variance),
    edges: new Float64Array(covariances.length),
  };
  let evaluations = 0;
  let iterations = 0;
  for (;;) {
    penalty = Math.max(problem.penalty, PATH * penalty);
    const last = penalty === problem.penalty;
    const stage = yield* penalizedNewton({ ...problem, penalty }, entries, steps, last ? GOAL : ON_PATH);
    entries = stage.entries;
    evaluations += stage.evaluations;
    iterations += stage.iterations;
    if (last) return { ...stage, evaluations, iterations };
  }
}

/** Whole and halved steps, and then those that change no sign. */
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
  readonly value: number;
  readonly gradient: Float64Array;
}

/** The objective, and W − S in the places of x; nothing where Θ is not positive definite. */
function evaluate(problem: MomentProblem, x: Float64Array): PointValue | undefined {
  const { size: N, sources, targets, variances, covariances, penalty } = problem;
  try {
    return withInverse(problem, { diagonal: x.subarray(0, N), edges: x.subarray(N) }, (logDeterminant, W) => {
      const gradient = new Float64Array(x.length);
      let value = logDeterminant;
      for (let i = 0; i < N; i++) {
        value -= variances[i]! * x[i]!;
        gradient[i] = W[i * (N + 1)]! - variances[i]!;
      }
      for (let e = 0; e < covariances.length; e++) {
        value -= 2 * (covariances[e]! * x[N + e]! + penalty * Math.abs(x[N + e]!));
        gradient[N + e] = W[targets[e]! * N + sources[e]!]! - covariances[e]!;
      }
      return { value, gradient };
    });
  } catch (error) {
    if (error instanceof NumericalError) return undefined;
    throw error;
  }
}

/** Largest violation of W_ii = S_ii, W_ij − S_ij = ρ·sign(Θ_ij) and |W_ij − S_ij| ≤ ρ where Θ_ij = 0, relative to √(S_ii·S_jj). */
function kktResidual(problem: MomentProblem, x: Float64Array, gradient: Float64Array): number {
  const { size: N, sources, targets, variances, penalty } = problem;
  let largest = 0;
  for (let v = 0; v < x.length; v++) {
    const [i, j] = v < N ? [v, v] : [sources[v - N]!, targets[v - N]!];
    const pull = v < N ? gradient[v]! : pullOf(x[v]!, gradient[v]!, penalty);
    largest = Math.max(largest, Math.abs(pull) / Math.sqrt(variances[i]! * variances[j]!));
  }
  return largest;
}

function pullOf(x: number, gradient: number, penalty: number): number {
  if (x !== 0) return gradient - penalty * Math.sign(x);
  return Math.sign(gradient) * Math.max(0, Math.abs(gradient) - penalty);
}

/**
 * The Newton step of the entries that are not 0 or want to leave it; of the latter only those that it moves the way they want. Nothing when
 * the Hessian is singular in double precision.
 */
function orthantStep(problem: MomentProblem, x: Float64Array, gradient: Float64Array): Float64Array | undefined {
  const { size: N, penalty } = problem;
  const pulls = gradient.map((entry, v) => (v < N ? entry : pullOf(x[v]!, entry, penalty)));
  const inner = Int32Array.from(x.keys()).filter((v) => v < N || x[v] !== 0);
  let entering = Int32Array.from(x.keys()).filter((v) => v >= N && x[v] === 0 && pulls[v] !== 0);
  const room = Math.max(1, Math.min(N, MOST_FREE - inner.length));
  if (entering.length > room) {
    entering = entering.sort((a, b) => Math.abs(pulls[b]!) - Math.abs(pulls[a]!) || a - b).slice(0, room);
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

/** p with Hp = slope, H_ab = tr(W·E_a·W·E_b), E_a the symmetric unit matrix of entry a. */
function newtonStep(
  problem: MomentProblem,
  x: Float64Array,
  free: Int32Array,
  slope: Float64Array,
): Float64Array | undefined {
  const { size: N, sources, targets } = problem;
  const count = free.length;
  const rows = free.map((v) => (v < N ? v : sources[v - N]!));
  const columns = free.map((v) => (v < N ? v : targets[v - N]!));
  const memory = float64Backend().memory64;
  const algebra = linearAlgebra(memory);
  return memory.withBlock(8 * count * count, (hessian) =>
    memory.withBlock(8 * count, (right) => {
      withInverse(problem, { diagonal: x.subarray(0, N), edges: x.subarray(N) }, (_, W) => {
        const H = memory.float64(hessian, count * count);
        for (let a = 0; a < count; a++) {
          const i = rows[a]! * N;
          const j = columns[a]! * N;
          const scaleA = rows[a] === columns[a] ? 1 : 2;
          for (let b = 0; b <= a; b++) {
            const k = rows[b]!;
            const l = columns[b]!;
            const scaleB = k === l ? 1 : 2;
            H[a * count + b] = 0.5 * scaleA * scaleB * (W[i + k]! * W[j + l]! + W[i + l]! * W[j + k]!);
          }
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
