import type { FieldFactor } from './fieldFactor.ts';
import { type FieldProblem, kktResidual, violationOf, weightScale } from './kktResidual.ts';
import type { NewtonResult } from './projectedNewton.ts';

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
 * long stopped telling points apart.
 *
 * @param start - one weight an edge, within the bounds
 * @param steps - most steps; 0 only measures
 * @see Dembo, Eisenstat & Steihaug, SIAM J. Numer. Anal. 19 (1982)
 */
export function* inexactNewton(
  problem: FieldProblem,
  factor: FieldFactor,
  start: Float64Array,
  steps: number,
): Generator<void, NewtonResult, unknown> {
  const { basePrecision, squaredDistances, upper } = problem;
  const scale = squaredDistances.map((distance) => weightScale(problem, distance));
  let evaluations = 0;
  const resistancesAt = (weights: Float64Array) => {
    evaluations++;
    return factor.evaluate(weights, basePrecision).resistances;
  };
  let weights: Float64Array = start.slice();
  let R = resistancesAt(weights);
  let residual = kktResidual(problem, weights, R);
  let iterations = 0;
  while (iterations < steps && residual > GOAL) {
    const { free, falling } = freeEdges(problem, weights, R, scale);
    const step = yield* conjugateGradients(problem, resistancesAt, weights, R, free, scale, Math.min(0.1, residual));
    let improved = false;
    for (let length = 1; length > 1e-3 && !improved; length /= 2) {
      const moved = weights.slice();
      free.forEach((e, a) => {
        moved[e] = Math.max(0, Math.min(upper, weights[e]! + length * scale[e]! * step[a]!));
      });
      for (const e of falling) moved[e] = 0;
      const movedR = resistancesAt(moved);
      const movedResidual = kktResidual(problem, moved, movedR);
      yield;
      if (movedResidual >= residual) continue;
      weights = moved;
      R = movedR;
      residual = movedResidual;
      improved = true;
    }
    if (!improved) break;
    iterations++;
  }
  return { weights, kktResidual: residual, iterations, evaluations };
}

/** Edges between their bounds or pulled off one; and, apart, those that a step along the gradient alone would take to 0. */
function freeEdges(problem: FieldProblem, weights: Float64Array, R: Float64Array, scale: Float64Array) {
  const free: number[] = [];
  const falling: number[] = [];
  weights.forEach((weight, e) => {
    const violation = violationOf(problem, weight, R[e]!, problem.squaredDistances[e]!);
    if (weight > 0 && weight + scale[e]! * violation <= 0) falling.push(e);
    else if ((weight > 0 && weight < problem.upper) || violation !== 0) free.push(e);
  });
  return { free: Int32Array.from(free), falling };
}

/** p with Hp ≈ g on the free edges in scaled weights, H = −∂g/∂z and g = s·(R − φ/c), to a part of g's norm. */
function* conjugateGradients(
  problem: FieldProblem,
  resistancesAt: (weights: Float64Array) => Float64Array,
  weights: Float64Array,
  R: Float64Array,
  free: Int32Array,
  scale: Float64Array,
  part: number,
): Generator<void, Float64Array, unknown> {
  const { squaredDistances, copies, upper } = problem;
  const residual = Float64Array.from(free, (e) => scale[e]! * (R[e]! - squaredDistances[e]! / copies));
  const solution = new Float64Array(free.length);
  const direction = residual.slice();
  let energy = dot(residual, residual);
  const goal = part * part * energy;
  for (let k = 0; k < MOST_PRODUCTS && energy > goal; k++) {
    const reach = reachOf(direction, free, weights, scale, upper);
    const ahead = weights.slice();
    free.forEach((e, a) => {
      ahead[e] = Math.max(0, Math.min(upper, weights[e]! + reach * scale[e]! * direction[a]!));
    });
    const aheadR = resistancesAt(ahead);
    yield;
    const product = Float64Array.from(free, (e) => (scale[e]! * (R[e]! - aheadR[e]!)) / reach);
    const curvature = dot(direction, product);
    if (!(curvature > 0)) break;
    const length = energy / curvature;
    const before = energy;
    for (let a = 0; a < free.length; a++) {
      solution[a]! += length * direction[a]!;
      residual[a]! -= length * product[a]!;
    }
    energy = dot(residual, residual);
    for (let a = 0; a < free.length; a++) direction[a] = residual[a]! + (energy / before) * direction[a]!;
  }
  return solution;
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

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}
