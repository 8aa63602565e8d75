import { type LaplacianFactor, laplacianFactor } from '../../core/sparse/laplacianFactor.ts';
import { type FieldProblem, kktResidual, restrictedTo, violationOf } from './kktResidual.ts';
import { localInverse } from './localInverse.ts';
import { newtonDirection } from './newtonDirection.ts';
import type { NewtonResult } from './projectedNewton.ts';

/** The method ends here: the rest is rounding. */
const GOAL = 5e-12;

/** Most products with the Hessian for one step. */
const MOST_PRODUCTS = 60;

/** What a search for the maximum on a sparse graph led to. */
export interface SparseResult extends NewtonResult {
  /** Whether it was told to end. */
  readonly stopped: boolean;
}

/**
 * Newton's method on the weights between their bounds, for a start at which it is known which those are: steps by conjugate gradients on
 * a factor of these edges alone, projected onto the bounds and halved until the violation falls, since near the maximum the objective no longer
 * tells points apart. Ends at the best point when `true` is sent in.
 *
 * @param factor - of the whole graph
 * @param start - one weight an edge, within the bounds
 * @param steps - most steps; 0 only measures
 * @see Dembo, Eisenstat & Steihaug, SIAM J. Numer. Anal. 19 (1982), on inexact Newton methods
 */
export function* supportNewton(
  problem: FieldProblem,
  factor: LaplacianFactor,
  start: Float64Array,
  steps: number,
): Generator<void, SparseResult, boolean> {
  const { basePrecision, upper } = problem;
  let evaluations = 0;
  const measured = (weights: Float64Array) => {
    factor.update(weights, basePrecision);
    evaluations++;
    return kktResidual(problem, weights, factor.resistances());
  };
  let weights: Float64Array = start.slice();
  let residual = measured(weights);
  let iterations = 0;
  let stopped = false;
  while (iterations < steps && residual > GOAL && !stopped) {
    const free = freeEdges(problem, weights, factor.resistances());
    const found = yield* stepOn(problem, factor, weights, free, Math.max(1e-3, Math.min(0.1, Math.sqrt(residual))));
    evaluations += found.evaluations;
    stopped = found.stopped;
    const before = residual;
    let moved = weights;
    for (let length = 1; length > 1e-3 && residual >= before && !stopped; length /= 2) {
      moved = weights.slice();
      for (let a = 0; a < free.length; a++) {
        const e = free[a]!;
        moved[e] = Math.max(0, Math.min(upper, weights[e]! + length * found.step[a]!));
      }
      residual = measured(moved);
      stopped = yield;
    }
    if (!(residual < before)) {
      residual = before;
      break;
    }
    weights = moved;
    iterations++;
  }
  return { weights, kktResidual: residual, iterations, evaluations, stopped };
}

/** Edges between their bounds or pulled off one. */
function freeEdges(problem: FieldProblem, weights: Float64Array, R: Float64Array): Int32Array {
  const free: number[] = [];
  for (let e = 0; e < weights.length; e++) {
    const between = weights[e]! > 0 && weights[e]! < problem.upper;
    if (between || violationOf(problem, weights[e]!, R[e]!, problem.squaredDistances[e]!) !== 0) free.push(e);
  }
  return Int32Array.from(free);
}

/** Newton's step of the free weights where all others stay; those at a bound above 0 are part of the field. */
function* stepOn(
  problem: FieldProblem,
  factor: LaplacianFactor,
  weights: Float64Array,
  free: Int32Array,
  part: number,
): Generator<void, { step: Float64Array; evaluations: number; stopped: boolean }, boolean> {
  const isFree = new Uint8Array(weights.length);
  for (const e of free) isFree[e] = 1;
  const present = Int32Array.from(weights.keys()).filter((e) => isFree[e] === 1 || weights[e]! > 0);
  const restricted = restrictedTo(problem, present);
  const own = laplacianFactor(restricted);
  own.update(
    Float64Array.from(present, (e) => weights[e]!),
    problem.basePrecision,
  );
  const resistances = own.resistances();
  // A weight that stays is held by a shift that no step moves.
  const shift = Float64Array.from(present, (e) => (isFree[e] === 1 ? 0 : HELD));
  const right = Float64Array.from(resistances, (R, a) =>
    isFree[present[a]!] === 1 ? 1 - restricted.squaredDistances[a]! / (problem.copies * R) : 0,
  );
  const inverse = localInverse(factor, restricted, shift);
  const system = { factor: own, resistances, shift, right, inverse };
  const { scaled, products, stopped } = yield* newtonDirection(system, part, MOST_PRODUCTS);
  const step = scaled.map((z, a) => z / resistances[a]!).filter((_, a) => isFree[present[a]!] === 1);
  return { step, evaluations: products + 1, stopped };
}

/** Far above the Hessian's largest eigenvalue in scaled weights. */
const HELD = 1e12;
