import type { SolverMemory } from '../../model/solver.ts';
import { linearAlgebra } from '../../numerics/dense/activeEngine.ts';
import { sharedMemory } from '../../numerics/memory.ts';
import { resistancesOf, withDenseField } from '../density/denseField.ts';
import { type FieldProblem, violationOf } from '../density/kktResidual.ts';
import { countsOf, type FieldPoint, type FieldSearch, pointAt } from './fieldSearch.ts';
import { movedWithin } from './freeEdges.ts';

/** The method ends here: the rest is rounding. */
const GOAL = 1e-12;

/** Most weights that one step moves: those that violate their conditions most, when more are free. */
const MOST_FREE = 4000;

/**
 * Ascends the dual of a maximum-entropy problem by Newton steps on the free weights, those between their bounds or pulled off them;
 * at most 2N enter in one step, and at most 4000 move, the most violated ones first. The Hessian is −c/2·(a_eᵀU a_f)², a_e = e_i − e_j; steps are
 * projected onto the bounds and halved until the objective does not fall.
 *
 * @param start - one weight an edge, within the bounds
 * @param steps - most steps, those before an interruption included; 0 only measures
 * @param memory - what a step of an interrupted search remembered; `start` is then its point
 * @throws NumericalError when the precision at the start has no factor
 * @see Bertsekas, SIAM J. Control Optim. 20 (1982), on projected Newton methods
 */
export function* projectedNewton(
  problem: FieldProblem,
  start: Float64Array,
  steps: number,
  memory?: SolverMemory,
): FieldSearch {
  let { iterations, evaluations } = countsOf(memory, 1);
  let at = lookFrom(problem, start.slice(), -Infinity, iterations < steps)!;
  evaluations++;
  let stopped = false;
  const progress = () => ({ ...at.point, iterations, evaluations });
  while (at.step !== undefined && at.point.kktResidual > GOAL && !stopped) {
    const found = searchAlong(problem, at, at.step, iterations + 1 < steps);
    evaluations += found.evaluations;
    if (found.at === undefined) break;
    const before = at.point.kktResidual;
    const { kktResidual } = found.at.point;
    // Close to the maximum the objective no longer tells better from worse; the residual does.
    if (before < 1e-9 && kktResidual > before / 2) break;
    at = found.at;
    iterations++;
    const counts = { iterations, evaluations };
    stopped = yield { ...progress(), memory: () => counts };
  }
  return { ...progress(), stopped };
}

/** What the field at some weights tells: how good they are, and where to go from there. */
interface Look {
  readonly point: FieldPoint;
  /** The edges that move in the next step. */
  readonly free: Int32Array;
  /** How far; nothing at the goal, when none is wanted, or when the Hessian is singular in double precision. */
  readonly step: Float64Array | undefined;
}

/**
 * Looks around from some weights; nothing when the objective there is below `least`, or where the precision has no factor in double
 * precision.
 *
 * @param weights - kept
 * @param least - −∞ for a start, where a factor there must be
 */
function lookFrom(problem: FieldProblem, weights: Float64Array, least: number, goesOn: boolean): Look | undefined {
  const work = (logDeterminant: number, U: Float64Array, offset: number): Look | undefined => {
    const point = pointAt(problem, weights, logDeterminant, resistancesOf(problem, U));
    if (!(point.value >= least)) return undefined;
    if (!goesOn || point.kktResidual <= GOAL) return { point, free: new Int32Array(0), step: undefined };
    const free = freeWeights(problem, weights, point.resistances);
    return { point, free, step: newtonStep(problem, point.resistances, free, offset) };
  };
  const { basePrecision } = problem;
  return least === -Infinity
    ? withDenseField(problem, weights, basePrecision, work)
    : withDenseField(problem, weights, basePrecision, work, () => undefined);
}

/** Edges whose weight is between its bounds, and the most violated of those that want to leave one. */
function freeWeights(problem: FieldProblem, weights: Float64Array, R: Float64Array): Int32Array {
  const inner: Violation[] = [];
  const entering: Violation[] = [];
  for (let e = 0; e < weights.length; e++) {
    const weight = weights[e]!;
    const violation = Math.abs(violationOf(problem, weight, R[e]!, problem.squaredDistances[e]!));
    if (weight > 0 && weight < problem.upper) inner.push({ edge: e, violation });
    else if (violation > 0) entering.push({ edge: e, violation });
  }
  const free = [...inner, ...worst(entering, 2 * problem.size)];
  return Int32Array.from(worst(free, MOST_FREE), ({ edge }) => edge).sort();
}

interface Violation {
  readonly edge: number;
  readonly violation: number;
}

function worst(violations: Violation[], count: number): Violation[] {
  if (violations.length <= count) return violations;
  return violations.sort((a, b) => b.violation - a.violation || a.edge - b.edge).slice(0, count);
}

/** The step of each free weight, or nothing when the Hessian is singular in double precision; U is at `offset`. */
function newtonStep(
  { size: N, sources, targets, copies, squaredDistances }: FieldProblem,
  R: Float64Array,
  free: Int32Array,
  offset: number,
): Float64Array | undefined {
  const count = free.length;
  const memory = sharedMemory();
  const algebra = linearAlgebra(memory);
  const from = Int32Array.from(free, (e) => sources[e]!);
  const to = Int32Array.from(free, (e) => targets[e]!);
  return memory.withBlock(8 * count * count, (hessian) =>
    memory.withBlock(8 * count, (right) => {
      const H = memory.float64(hessian, count * count);
      const U = memory.float64(offset, N * N);
      const across = new Float64Array(N);
      for (let a = 0; a < count; a++) {
        const i = from[a]! * N;
        const j = to[a]! * N;
        for (let k = 0; k < N; k++) across[k] = U[i + k]! - U[j + k]!;
        for (let b = 0; b <= a; b++) {
          const product = across[from[b]!]! - across[to[b]!]!;
          H[a * count + b] = product * product;
        }
        H[a * (count + 1)]! *= 1 + 1e-12;
      }
      const gradient = memory.float64(right, count);
      for (let a = 0; a < count; a++) gradient[a] = R[free[a]!]! - squaredDistances[free[a]!]! / copies;
      if (algebra.cholesky(count, hessian) >= 0) return undefined;
      algebra.triangularSolve(count, 1, hessian, right, false);
      algebra.triangularSolve(count, 1, hessian, right, true);
      return memory.float64(right, count).slice();
    }),
  );
}

/** The first of the projected points at 1, ½, ¼, … of the step where the objective does not fall. */
function searchAlong(
  problem: FieldProblem,
  { point: { weights, value }, free }: Look,
  step: Float64Array,
  goesOn: boolean,
): { readonly at: Look | undefined; readonly evaluations: number } {
  const least = value - 1e-12 * Math.abs(value);
  let evaluations = 0;
  for (let length = 1; length > 1e-8; length /= 2) {
    const at = lookFrom(
      problem,
      movedWithin(problem, weights, free, (a) => length * step[a]!),
      least,
      goesOn,
    );
    evaluations++;
    if (at !== undefined) return { at, evaluations };
  }
  return { at: undefined, evaluations };
}
