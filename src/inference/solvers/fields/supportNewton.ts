import { type LaplacianFactor, laplacianFactor } from '../../../engine/sparse/laplacianFactor.ts';
import { conjugateGradients, type Direction, type Preconditioner } from '../conjugateGradients.ts';
import { type FieldProblem, restrictedTo, violationOf } from './fieldProblem.ts';
import { type FieldPoint, type FieldSearch, pointAt } from './fieldSearch.ts';
import { localInverse } from './localInverse.ts';

/** The method ends here: the rest is rounding. */
const GOAL = 5e-12;

/** Most products with the Hessian for one step. */
const MOST_PRODUCTS = 60;

/**
 * Newton's method on the weights between their bounds, for a start at which it is known which those are: steps by conjugate gradients on
 * a factor of these edges alone, projected onto the bounds and halved until the violation falls, since near the maximum the objective no longer
 * distinguishes points. Its best point is that of the smallest violation.
 *
 * @param factor - of the whole graph
 * @param start - one weight an edge, within the bounds
 * @see Dembo, Eisenstat & Steihaug, SIAM J. Numer. Anal. 19 (1982), on inexact Newton methods
 */
export function* supportNewton(problem: FieldProblem, factor: LaplacianFactor, start: Float64Array): FieldSearch {
  let evaluations = 0;
  const look = (weights: Float64Array) => {
    factor.update(weights, problem.basePrecision);
    evaluations++;
    return pointAt(problem, weights, factor.logDeterminant, factor.resistances());
  };
  let at = look(start.slice());
  let iterations = 0;
  while (at.kktResidual > GOAL) {
    const free = freeEdges(problem, at.weights, at.resistances);
    const part = partFor(at.kktResidual);
    const found = yield* stepOn(problem, at, free, part);
    evaluations += found.evaluations;
    let next = at;
    for (let length = 1; length > 1e-3 && !(next.kktResidual < at.kktResidual); length /= 2) {
      next = look(movedWithin(problem, at.weights, free, (a) => length * found.step[a]!));
      yield;
    }
    if (!(next.kktResidual < at.kktResidual)) break;
    at = next;
    iterations++;
    const { weights } = at;
    yield { ...at, iterations, evaluations, memory: () => ({ support: weights.slice() }) };
  }
  return { ...at, iterations, evaluations };
}

/** The part of the residual that a step leaves: what ends the search, where a step can; otherwise less the nearer it is to the end. */
function partFor(residual: number): number {
  const last = (0.2 * GOAL) / residual;
  return last >= 1e-4 ? Math.min(0.1, last) : Math.max(1e-3, Math.min(0.1, Math.sqrt(residual)));
}

/** Newton's step of the free weights where all others stay; those at a bound above 0 are part of the field. */
function* stepOn(
  problem: FieldProblem,
  { weights, resistances: R }: FieldPoint,
  free: Int32Array,
  part: number,
): Generator<undefined, { step: Float64Array; evaluations: number }, void> {
  const isFree = new Uint8Array(weights.length);
  for (const e of free) isFree[e] = 1;
  const present = Int32Array.from(weights.keys()).filter((e) => isFree[e] === 1 || weights[e]! > 0);
  const restricted = restrictedTo(problem, present);
  const own = laplacianFactor(restricted);
  own.update(
    Float64Array.from(present, (e) => weights[e]!),
    problem.basePrecision,
  );
  const resistances = Float64Array.from(present, (e) => R[e]!);
  // A weight that stays is held by a shift that no step moves.
  const shift = Float64Array.from(present, (e) => (isFree[e] === 1 ? 0 : HELD));
  const right = Float64Array.from(resistances, (R, a) =>
    isFree[present[a]!] === 1 ? 1 - restricted.squaredDistances[a]! / (problem.copies * R) : 0,
  );
  const inverse = localInverse(own, restricted, shift);
  const system = { factor: own, resistances, shift, right, inverse };
  const { solution, products } = yield* newtonDirection(system, part, MOST_PRODUCTS);
  const step = solution.map((z, a) => z / resistances[a]!).filter((_, a) => isFree[present[a]!] === 1);
  return { step, evaluations: products + 1 };
}

/** Far above the Hessian's largest eigenvalue in scaled weights. */
const HELD = 1e12;

/** Edges between their bounds or pulled off one, ascending. */
function freeEdges(problem: FieldProblem, weights: Float64Array, R: Float64Array): Int32Array {
  const free: number[] = [];
  for (let e = 0; e < weights.length; e++) {
    const between = weights[e]! > 0 && weights[e]! < problem.upper;
    if (between || violationOf(problem, weights[e]!, R[e]!, problem.squaredDistances[e]!) !== 0) free.push(e);
  }
  return Int32Array.from(free);
}

/** Weights moved along a step of some edges, within their bounds. */
function movedWithin(
  { upper }: FieldProblem,
  weights: Float64Array,
  edges: Int32Array,
  step: (a: number, e: number) => number,
): Float64Array {
  const moved = weights.slice();
  for (let a = 0; a < edges.length; a++) {
    const e = edges[a]!;
    moved[e] = Math.max(0, Math.min(upper, weights[e]! + step(a, e)));
  }
  return moved;
}

/** A system (S + diag(shift))·z = right in z_e = R_e·Δw_e, S_ef = (a_eᵀU a_f)²/(R_e·R_f), for all edges of a factor at its weights. */
interface ScaledSystem {
  readonly factor: LaplacianFactor;
  readonly resistances: Float64Array;
  readonly shift: Float64Array;
  readonly right: Float64Array;
  readonly inverse: Preconditioner;
}

/**
 * Solves such a system by conjugate gradients; each product with S is a factorisation.
 *
 * @param part - of the residual's norm under `inverse` that is left
 * @param most - most products
 */
export function newtonDirection(
  { factor, resistances, shift, right, inverse }: ScaledSystem,
  part: number,
  most: number,
): Generator<undefined, Direction, void> {
  const count = right.length;
  const change = new Float64Array(count);
  const product = (direction: Float64Array) => {
    for (let a = 0; a < count; a++) change[a] = direction[a]! / resistances[a]!;
    const image = factor.resistanceDecrease(change);
    for (let a = 0; a < count; a++) image[a] = image[a]! / resistances[a]! + shift[a]! * direction[a]!;
    return image;
  };
  return conjugateGradients({ right, product, inverse }, part, most);
}
