import { square } from '../../../core/elementary/index.ts';
import { Matrix } from '../../../core/matrix.ts';
import { isCount, isFiniteArray } from '../../../core/plainNumbers.ts';
import { seededRandom } from '../../../core/random.ts';
import { symmetricEigenpairs } from '../../../engine/dense/eigenpairs.ts';
import { signOfLargest } from '../../../engine/typescript/symmetricEigen.ts';
import { damagedMemory } from '../../../fields/solvers/fieldSearch.ts';
import type { SolverMemory } from '../../../model/solver.ts';
import { updatedMultipliers } from './augmentedLagrangian.ts';
import {
  type BottomOfStress,
  type OptimalityGap,
  optimalityGap,
  stressBottom,
  type UnfoldingResiduals,
  unfoldingResiduals,
} from './unfoldingCertificate.ts';
import { unfoldingMinimum } from './unfoldingMinimum.ts';
import { center, excesses, squaredNorm, type UnfoldingProblem } from './unfoldingProblem.ts';

/** Result of an unfolding. */
export interface Unfolding extends UnfoldingResiduals, OptimalityGap {
  /** Columns of Y: the rank that YYᵀ was allowed. */
  readonly rank: number;
  /** N×rank, centered. */
  readonly Y: Float64Array;
  /** Multipliers w, one per edge. */
  readonly multipliers: Float64Array;
  /** Smallest eigenvalue of L(w) on centered vectors: at least 1 if w is dual feasible. */
  readonly bottom: number;
  /** Largest violation of the optimality conditions of the semidefinite program. */
  readonly kktResidual: number;
}

/** Progress of a search for an unfolding. */
interface UnfoldingStep {
  readonly iterations: number;
  readonly evaluations: number;
  /** ‖Y‖², and the largest entry of the gradient of the augmented Lagrangian; at iterations. */
  readonly reached?: { readonly norm: number; readonly gradientNorm: number };
  /** Result if the search ended at this point; at the start and at iterations. */
  readonly unfolding?: () => Unfolding;
  /** Memory to resume from; at the beginning of a round. */
  readonly memory?: SolverMemory;
}

/** Residual at which the method converges, and the larger one that is accepted if rounding prevents further progress. */
const GOAL = 1e-8;
const NEAR = 1e-7;
const MOST_ROUNDS_WITHOUT_GAIN = 3;

/** Tolerance on the bottom of L(w) below 1, as a multiple of the other residuals, without further rounds. */
const NEGLIGIBLE = 1e-5;
const FAR = 1e3;

/** Maximum number of rounds of minimizing and updating the multipliers. */
const MOST_ROUNDS = 60;

/** Fraction of the previous violation above which a round increases the weight of violations. */
const SUFFICIENT_CHANGE = 0.25;
const GROWTH = 10;

/** Largest weight of violations: above it, rounding errors alone move the multipliers by more than the tolerance. */
const MOST_WEIGHT = 1e7;

/**
 * Maximum variance unfolding by low-rank factorization: the method of multipliers minimizes the augmented Lagrangian over N×r points in each round.
 * At the end, the bottom of L(w) shows whether the semidefinite program is solved; if it is not, its eigenvector becomes a further column of Y, and
 * the rounds continue.
 *
 * Pauses after every step of a minimization, and within Newton steps after every product with the Hessian.
 *
 * @param rank - initial number of columns
 * @param goal - largest violation of the optimality conditions
 * @param memory - memory of an interrupted search at the beginning of a round
 * @see Burer & Monteiro 2003, §3–4; Weinberger & Saul 2004
 */
export function* unfold(
  problem: UnfoldingProblem,
  rank: number,
  goal = GOAL,
  memory?: SolverMemory,
): Generator<UnfoldingStep, Unfolding, void> {
  const bottomOf = stressBottom(problem);
  const minimum = unfoldingMinimum(problem);
  const begun = memory === undefined ? firstRound(problem, rank, bottomOf) : roundIn(problem, memory);
  const { leastWeight } = begun;
  let { Y, r, multipliers, round, weight, tolerance, before, least, unimproved } = begun;
  let violations = excesses(problem, Y, r);
  let [iterations, evaluations] = [0, 0];
  const ended = (
    points: Float64Array,
    own: number,
    excess: Float64Array,
    w: Float64Array,
    bottom: number,
  ): Unfolding => {
    const residuals = unfoldingResiduals(problem, points, own, excess, w);
    const kktResidual = Math.max(worstOf(residuals), 1 - bottom);
    const gap = optimalityGap(problem, points, excess, w, bottom);
    return { ...residuals, ...gap, rank: own, Y: points, multipliers: w, bottom, kktResidual };
  };
  for (; ; round++) {
    const own = {
      Y,
      multipliers,
      numbers: Float64Array.of(r, round, weight, leastWeight, tolerance, before, least, unimproved),
    };
    yield { iterations, evaluations, memory: own, ...(round === 0 && { unfolding: standingAt(Y) }) };
    const first = worstOf(unfoldingResiduals(problem, Y, r, violations, multipliers));
    unimproved = first < least / 2 ? 0 : unimproved + 1;
    least = Math.min(least, first);
    const mustEnd = round >= MOST_ROUNDS;
    const ends = mustEnd || first <= goal || (first <= NEAR && unimproved >= MOST_ROUNDS_WITHOUT_GAIN);
    if (ends || first <= NEGLIGIBLE) {
      const { value: bottom, vector } = bottomOf(multipliers);
      const isLow = !mustEnd && 1 - bottom > FAR * first && r < problem.size - 1;
      if (ends && !isLow) {
        yield { iterations, evaluations };
        return ended(Y, r, violations, multipliers, bottom);
      }
      if (isLow) {
        ({ Y, r } = withColumn(problem, Y, r, vector));
        weight = Math.max(leastWeight, weight / square(GROWTH));
        tolerance = 1e-3;
        before = Infinity;
        least = Infinity;
      }
    }
    const search = minimum(Y, r, multipliers, weight, tolerance);
    let step = search.next();
    for (let done = 0; !step.done; step = search.next()) {
      const at = step.value;
      const counts = { iterations: iterations + at.iterations, evaluations: evaluations + at.evaluations };
      if (at.iterations === done) yield counts;
      else {
        const { Y: points, gradientNorm } = at.standing();
        const reached = { norm: squaredNorm(points), gradientNorm };
        yield { ...counts, reached, unfolding: standingAt(points) };
      }
      done = at.iterations;
    }
    const { settled } = step.value;
    ({ Y } = step.value);
    iterations += step.value.iterations;
    evaluations += step.value.evaluations;
    violations = excesses(problem, Y, r);
    const updated = updatedMultipliers(problem, violations, multipliers, weight);
    const change = updated.reduce((most, w, e) => Math.max(most, Math.abs(w - multipliers[e]!)), 0) / weight;
    multipliers = updated;
    if (settled && change > Math.max(GOAL / 10, SUFFICIENT_CHANGE * before))
      weight = Math.min(MOST_WEIGHT, weight * GROWTH);
    before = change;
    tolerance = Math.max(GOAL / 2, 0.1 * tolerance);
  }

  /** Result at some points of this round. */
  function standingAt(points: Float64Array): () => Unfolding {
    const [own, last, stiffness] = [r, multipliers, weight];
    return () => {
      const excess = excesses(problem, points, own);
      const w = updatedMultipliers(problem, excess, last, stiffness);
      return ended(points, own, excess, w, bottomOf(w).value);
    };
  }
}

const worstOf = ({ feasibility, stationarity, complementarity }: UnfoldingResiduals): number =>
  Math.max(feasibility, stationarity, complementarity);

/** State at the beginning of a round. */
interface Round {
  readonly Y: Float64Array;
  readonly r: number;
  readonly multipliers: Float64Array;
  readonly round: number;
  readonly weight: number;
  readonly leastWeight: number;
  readonly tolerance: number;
  readonly before: number;
  readonly least: number;
  readonly unimproved: number;
}

function firstRound(problem: UnfoldingProblem, r: number, bottomOf: ReturnType<typeof stressBottom>): Round {
  const { Y, weight } = unfoldingStart(problem, r, bottomOf);
  const multipliers = new Float64Array(problem.sources.length);
  const fresh = { round: 0, tolerance: 0.1, before: Infinity, least: Infinity, unimproved: 0 };
  return { Y, r, multipliers, weight, leastWeight: weight, ...fresh };
}

/** @throws InvalidInputError if the memory does not belong to a search of this problem */
function roundIn({ size, sources }: UnfoldingProblem, { Y, multipliers, numbers }: SolverMemory): Round {
  if (!(numbers instanceof Float64Array) || numbers.length !== 8) throw damagedMemory('numbers');
  const [r, round, weight, leastWeight, tolerance, before, least, unimproved] = numbers as unknown as number[];
  if (!isCount(r, 1) || !isCount(round) || numbers.some((entry) => !(entry >= 0))) throw damagedMemory('numbers');
  if (!isFiniteArray(Y, size * r)) throw damagedMemory('Y');
  if (!isFiniteArray(multipliers, sources.length)) throw damagedMemory('multipliers');
  const others = { weight: weight!, leastWeight: leastWeight!, tolerance: tolerance!, before: before!, least: least! };
  return { Y, r, multipliers, round, unimproved: unimproved!, ...others };
}

/** Y on its principal axes with one more column, or with a column of zero length replaced, along a direction. */
function withColumn(
  { sources, targets }: UnfoldingProblem,
  Y: Float64Array,
  r: number,
  direction: Float64Array,
): { Y: Float64Array; r: number } {
  const { columns, eigenvalues } = principalColumns(Y, r);
  const kept = eigenvalues.findIndex((value) => value <= 1e-12 * eigenvalues[0]!);
  const q = kept < 0 ? r : kept;
  let longest = 0;
  sources.forEach((i, e) => {
    longest = Math.max(longest, Math.abs(direction[i]! - direction[targets[e]!]!));
  });
  const wider = new Float64Array((Y.length / r) * (q + 1));
  for (let i = 0; i < direction.length; i++) {
    for (let c = 0; c < q; c++) wider[i * (q + 1) + c] = columns.at(i, c);
    wider[i * (q + 1) + q] = (0.1 * direction[i]!) / longest;
  }
  return { Y: wider, r: q + 1 };
}

/**
 * Random points with edges of the right length on average, and the initial weight of violations: 1/λ of the unweighted Laplacian, the multiplier that
 * balances the objective if all edges share it, so that edges then stretch by about their length.
 */
function unfoldingStart(
  problem: UnfoldingProblem,
  r: number,
  bottomOf: (multipliers: Float64Array) => BottomOfStress,
): { Y: Float64Array; weight: number } {
  const random = seededRandom(1);
  const Y = Float64Array.from({ length: problem.size * r }, () => random.normal());
  center(Y, r);
  const { sources } = problem;
  const mean = 1 + excesses(problem, Y, r).reduce((sum, excess) => sum + excess, 0) / sources.length;
  const { value } = bottomOf(new Float64Array(sources.length).fill(1));
  return { Y: Y.map((entry) => entry / Math.sqrt(mean)), weight: 1 / value };
}

/** Orthogonal columns, and their squared norms, descending. */
interface PrincipalColumns {
  /** Columns, N×r, with the entry of largest modulus in each column positive. */
  readonly columns: Matrix;
  /** The eigenvalues of YᵀY, r entries, which include all nonzero eigenvalues of YYᵀ. */
  readonly eigenvalues: Float64Array;
}

/** Rotation of an N×r array onto its principal axes: V·Λ^½ of YYᵀ, from the r×r matrix YᵀY. */
export function principalColumns(Y: Float64Array, r: number): PrincipalColumns {
  const N = Y.length / r;
  const moments = Matrix.zeros(r, r);
  for (let p = 0; p < Y.length; p += r) {
    for (let a = 0; a < r; a++) for (let b = 0; b <= a; b++) moments.data[a * r + b]! += Y[p + a]! * Y[p + b]!;
  }
  for (let a = 0; a < r; a++) for (let b = 0; b < a; b++) moments.data[b * r + a] = moments.data[a * r + b]!;
  const { vectors } = symmetricEigenpairs(moments);
  const columns = Matrix.zeros(N, r);
  const eigenvalues = new Float64Array(r);
  for (let c = 0; c < r; c++) {
    const column = new Float64Array(N);
    for (let i = 0; i < N; i++) {
      for (let a = 0; a < r; a++) column[i]! += Y[i * r + a]! * vectors.at(a, r - 1 - c);
    }
    const sign = signOfLargest(column, 0, N);
    for (let i = 0; i < N; i++) {
      columns.data[i * r + c] = sign * column[i]!;
      eigenvalues[c]! += square(column[i]!);
    }
  }
  return { columns, eigenvalues };
}
