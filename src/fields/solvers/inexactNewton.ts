import type { SolverMemory } from '../../model/solver.ts';
import type { FieldFactor } from '../density/fieldFactor.ts';
import { type FieldProblem, violationOf, weightScale } from '../density/kktResidual.ts';
import { conjugateGradients } from './conjugateGradients.ts';
import { countsOf, type FieldSearch, pointAt } from './fieldSearch.ts';
import { freeEdges, movedWithin } from './freeEdges.ts';

/** The method ends here. */
const GOAL = 1e-10;

/** Most products with the Hessian for one step. */
const MOST_PRODUCTS = 60;

/** Of the scaled weights: how far a difference reaches. */
const REACH = 1e-5;

/**
 * Newton's method where the Hessian is too large to be formed: steps on the free weights by conjugate gradients, products with the
 * Hessian as differences of gradients. It works in z = w/s, s = min(c/φ, 4C), where the Hessian is near the identity for weights that
 * meet their constraints alone. Steps are projected onto the bounds and halved until the violation falls: there the objective has
 * long stopped telling points apart. Its best point is that of the smallest violation.
 *
 * @param start - one weight an edge, within the bounds
 * @param steps - most steps, those before an interruption included; 0 only measures
 * @param memory - what a step of an interrupted search remembered; `start` is then its point
 * @see Dembo, Eisenstat & Steihaug, SIAM J. Numer. Anal. 19 (1982)
 */
export function* inexactNewton(
  problem: FieldProblem,
  factor: FieldFactor,
  start: Float64Array,
  steps: number,
  memory?: SolverMemory,
): FieldSearch {
  const { basePrecision, squaredDistances, copies, upper } = problem;
  const scale = squaredDistances.map((distance) => weightScale(problem, distance));
  let { iterations, evaluations } = countsOf(memory, 1);
  const look = (weights: Float64Array) => {
    evaluations++;
    const { logDeterminant, resistances } = factor.evaluate(weights, basePrecision);
    return pointAt(problem, weights, logDeterminant, resistances);
  };
  let at = look(start.slice());
  let stopped = false;
  while (iterations < steps && at.kktResidual > GOAL && !stopped) {
    const { weights, resistances: R } = at;
    const falling = new Set(fallingEdges(problem, weights, R, scale));
    const free = freeEdges(problem, weights, R).filter((e) => !falling.has(e));
    const along = (direction: Float64Array, length: number) =>
      movedWithin(problem, weights, free, (a, e) => length * scale[e]! * direction[a]!);
    const found = yield* conjugateGradients(
      {
        right: Float64Array.from(free, (e) => scale[e]! * (R[e]! - squaredDistances[e]! / copies)),
        product: (direction) => {
          const reach = reachOf(direction, free, weights, scale, upper);
          evaluations++;
          const ahead = factor.evaluate(along(direction, reach), basePrecision).resistances;
          return Float64Array.from(free, (e) => (scale[e]! * (R[e]! - ahead[e]!)) / reach);
        },
      },
      Math.min(0.1, at.kktResidual),
      MOST_PRODUCTS,
    );
    stopped = found.stopped;
    let next = at;
    for (let length = 1; length > 1e-3 && !(next.kktResidual < at.kktResidual) && !stopped; length /= 2) {
      const moved = along(found.solution, length);
      for (const e of falling) moved[e] = 0;
      next = look(moved);
      stopped = yield;
    }
    if (!(next.kktResidual < at.kktResidual)) break;
    at = next;
    iterations++;
    const counts = { iterations, evaluations };
    if (!stopped) stopped = yield { ...at, ...counts, memory: () => counts };
  }
  return { ...at, iterations, evaluations, stopped };
}

/** Edges that a step along the gradient alone would take to 0. */
function fallingEdges(problem: FieldProblem, weights: Float64Array, R: Float64Array, scale: Float64Array): number[] {
  const falling: number[] = [];
  for (let e = 0; e < weights.length; e++) {
    const violation = violationOf(problem, weights[e]!, R[e]!, problem.squaredDistances[e]!);
    if (weights[e]! > 0 && weights[e]! + scale[e]! * violation <= 0) falling.push(e);
  }
  return falling;
}

/** How far along a direction a difference may go without leaving the bounds. */
function reachOf(
  direction: Float64Array,
  free: Int32Array,
  weights: Float64Array,
  scale: Float64Array,
  upper: number,
): number {
  let largest = 0;
  for (const entry of direction) largest = Math.max(largest, Math.abs(entry));
  let reach = REACH / largest;
  free.forEach((e, a) => {
    const move = scale[e]! * direction[a]!;
    const room = move < 0 ? weights[e]! : upper - weights[e]!;
    // A weight at its bound that moves on is held there: its part of the difference is missing.
    if (room > 0 && reach * Math.abs(move) > room) reach = Math.max(room / Math.abs(move), (1e-3 * REACH) / largest);
  });
  return reach;
}
