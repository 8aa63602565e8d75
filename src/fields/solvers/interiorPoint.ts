import { isCount, isFiniteArray } from '../../core/plainNumbers.ts';
import { type LaplacianFactor, laplacianFactor } from '../../engine/sparse/laplacianFactor.ts';
import { conjugateGradients, type Direction, type Preconditioner } from '../../inference/solvers/conjugateGradients.ts';
import type { Solver, SolverMemory } from '../../model/solver.ts';
import { CONVERGED } from './denseWeights.ts';
import { type FieldProblem, restrictedTo, violationOf, weightScales } from './fieldProblem.ts';
import {
  betterOf,
  countsOf,
  damagedMemory,
  type FieldPoint,
  type FieldProgress,
  type FieldSearch,
  type FieldStep,
  mapped,
  pointAt,
  searchSolver,
} from './fieldSearch.ts';
import { type Interior, interiorStart, onSupport, pathTarget, stepLengths } from './interiorState.ts';
import { localInverse } from './localInverse.ts';

/** Violation at which the method stops: the rest is rounding. */
const GOAL = 5e-12;

/** Largest number of products with the Hessian for one step. */
const MOST_RESTRICTED_PRODUCTS = 60;

/**
 * Newton's method on the weights between their bounds, for a start with a known support. Steps use conjugate gradients and a factor of these edges
 * alone. They are projected onto the bounds and halved until the violation falls, since near the maximum the objective no longer distinguishes
 * points. The best point is the one with the smallest violation.
 *
 * @param factor - factor of the whole graph
 * @param start - one weight per edge, within the bounds
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

/** Relative residual of a step: small enough to finish the search if one step can, otherwise smaller the closer the end is. */
function partFor(residual: number): number {
  const last = (0.2 * GOAL) / residual;
  return last >= 1e-4 ? Math.min(0.1, last) : Math.max(1e-3, Math.min(0.1, Math.sqrt(residual)));
}

/** Newton's step of the free weights with all others fixed; weights at a bound above 0 are part of the field. */
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
  // A weight is kept fixed by a shift that prevents any step.
  const shift = Float64Array.from(present, (e) => (isFree[e] === 1 ? 0 : HELD));
  const right = Float64Array.from(resistances, (R, a) =>
    isFree[present[a]!] === 1 ? 1 - restricted.squaredDistances[a]! / (problem.copies * R) : 0,
  );
  const inverse = localInverse(own, restricted, shift);
  const system = { factor: own, resistances, shift, right, inverse };
  const { solution, products } = yield* newtonDirection(system, part, MOST_RESTRICTED_PRODUCTS);
  const step = solution.map((z, a) => z / resistances[a]!).filter((_, a) => isFree[present[a]!] === 1);
  return { step, evaluations: products + 1 };
}

/** A shift far above the Hessian's largest eigenvalue in scaled weights, which keeps a weight fixed. */
const HELD = 1e12;

/** Edges between their bounds or pulled off a bound, ascending. */
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

/** A system (S + diag(shift))·z = right in z_e = R_e·Δw_e, with S_ef = (a_eᵀU a_f)²/(R_e·R_f), for all edges of a factor at its weights. */
interface ScaledSystem {
  readonly factor: LaplacianFactor;
  readonly resistances: Float64Array;
  readonly shift: Float64Array;
  readonly right: Float64Array;
  readonly inverse: Preconditioner;
}

/**
 * Solves such a system by conjugate gradients; each product with S is a factorization.
 *
 * @param part - relative residual, in the norm of `inverse`, at which to stop
 * @param most - largest number of products
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

/** Mean product of weight and multiplier at which the zero weights are clear. */
const SMALLEST = 1e-12;

/**
 * Violation after Newton's method on a support above which the support was not clear after all, as with nearly equal points. The path then continues
 * to smaller mean products, down to the least, as long as this halves the violation.
 */
const CLEAR = 1e-8;
const SMALLER = 1e-3;
const LEAST = 1e-20;

/** Number of consecutive steps that may leave the mean product above this fraction of its minimum; after that, rounding keeps it up. */
const MOST_LEVEL_STEPS = 15;
const FALLS = 0.9;

/** A step aims at this fraction of the mean product. */
const CENTERING = 0.1;

/** Relative residual of a step's conjugate gradients, and largest number of products. */
const PART = 0.1;
const MOST_PRODUCTS = 30;

/** Number of initial steps w_e ← w_e·c·R_e/φ_e; each raises the objective, the first of them most. */
const FIRST = 5;

/** Violation below which the support of the start is kept. */
const NEAR = 1e-6;

/**
 * Maximizes the dual of a maximum-entropy problem on a sparse graph, by a primal-dual interior-point method followed by Newton's method on the
 * support that it identifies. Interior-point steps treat the bounds as curvature and do not need to know the zero weights. The number of steps does
 * not grow with the graph, and a step needs a few factorizations, so that the total cost grows like one factorization.
 *
 * With multipliers u for w ≥ 0, a step solves (H + diag(u/w))·Δw = R − φ/c + τ/w, H_ef = (a_eᵀU a_f)², and τ goes to 0. Weights that clearly tend to
 * 0 leave the system, and return if their constraint is violated.
 *
 * @param factor - factor of the whole graph, for exclusive use
 * @param start - one weight per edge, within the bounds. If it is near the maximum, its support is kept as long as this succeeds. Otherwise it is
 *   only a candidate for the best point: the maximum is independent of the start, and the method must begin well within the bounds
 * @param memory - saved state of an interrupted search; `start` is then its point
 * @see Nocedal & Wright, Numerical Optimization (2006), ch. 19; Silvey, Titterington & Torsney, Commun. Statist. A 7 (1978), on the first steps
 */
export function* interiorPoint(
  problem: FieldProblem,
  factor: LaplacianFactor,
  start: Float64Array,
  memory?: SolverMemory,
): FieldSearch {
  let { iterations, evaluations } = countsOf(memory, 2);
  const look = (weights: Float64Array): FieldPoint => {
    factor.update(weights, problem.basePrecision);
    evaluations++;
    return pointAt(problem, weights.slice(), factor.logDeterminant, factor.resistances());
  };
  let best = look(start);
  const progress = () => ({ ...best, iterations, evaluations });
  const isInterior = memory === undefined ? best.kktResidual > NEAR : memory.weights !== undefined;
  let state = isInterior ? interiorStart(problem, memory) : undefined;
  const { taken: earlier = 0, smallest: target = SMALLEST, support, level: levelSteps = 0 } = memory ?? {};
  const { least: leastProduct = Infinity, unclear: left = Infinity } = memory ?? {};
  if (!isCount(earlier)) throw damagedMemory('taken');
  if (typeof target !== 'number' || !(target > 0)) throw damagedMemory('smallest');
  if (!isCount(levelSteps)) throw damagedMemory('level');
  if (typeof leastProduct !== 'number') throw damagedMemory('least');
  if (typeof left !== 'number') throw damagedMemory('unclear');
  if (support !== undefined && !isFiniteArray(support, start.length)) throw damagedMemory('support');
  let taken = earlier;
  let smallest = target;
  let level = levelSteps;
  let least = leastProduct;
  let unclear = left;
  const ofInterior = () =>
    state === undefined
      ? {}
      : {
          ...state.memory(),
          ...{ taken, smallest, level },
          ...(least < Infinity && { least }),
          ...(unclear < Infinity && { unclear }),
        };
  let candidate = support ?? (state === undefined ? start : undefined);
  for (;;) {
    if (candidate === undefined && state !== undefined) {
      let R = look(state.weights).resistances;
      let own =
        state.edges.length < start.length ? restrictedField(problem, state.edges) : whole(problem, factor, state);
      for (;;) {
        if (taken > FIRST) state.select(R);
        if (taken >= FIRST) {
          const product = state.meanProduct();
          if (product < FALLS * least) [least, level] = [product, 0];
          if (product <= smallest || level > MOST_LEVEL_STEPS) break;
          level++;
        }
        if (taken < FIRST) state.multiply(R);
        else {
          if (own.edges !== state.edges) own = restrictedField(problem, state.edges);
          const found = yield* step(problem, own, state, R, own.factor === factor);
          evaluations += found;
        }
        const point = look(state.weights);
        R = point.resistances;
        best = betterOf(best, point);
        taken++;
        iterations++;
        if (taken === FIRST) state.begin(R);
        const counts = { iterations, evaluations };
        yield { ...progress(), memory: () => ({ ...ofInterior(), ...counts }) };
      }
      candidate = onSupport(problem, state, R);
    }
    const before = { iterations, evaluations };
    const after = <P extends FieldProgress>(point: P): P => ({
      ...point,
      ...betterOf<FieldPoint>(best, point),
      iterations: before.iterations + point.iterations,
      evaluations: before.evaluations + point.evaluations,
    });
    const found = yield* mapped(supportNewton(problem, factor, candidate!), (step) => {
      const point = after(step);
      const counts = { iterations: point.iterations, evaluations: point.evaluations };
      return { ...point, memory: () => ({ ...ofInterior(), ...step.memory(), ...counts }) };
    });
    const result = after(found);
    const isUnclear =
      state === undefined
        ? result.kktResidual > CLEAR
        : result.kktResidual > CLEAR &&
          smallest > LEAST &&
          level <= MOST_LEVEL_STEPS &&
          !(found.kktResidual > unclear / 2);
    if (!isUnclear) return result;
    best = result;
    iterations = result.iterations;
    evaluations = result.evaluations;
    if (state === undefined) state = interiorStart(problem);
    else {
      smallest *= SMALLER;
      unclear = found.kktResidual;
    }
    candidate = undefined;
  }
}

function whole(problem: FieldProblem, factor: LaplacianFactor, { edges }: Interior): Restricted {
  return { edges, problem, factor };
}

/** The edges that remain, and a factor of them. */
interface Restricted {
  readonly edges: Int32Array;
  readonly problem: FieldProblem;
  readonly factor: LaplacianFactor;
}

function restrictedField(whole: FieldProblem, edges: Int32Array): Restricted {
  const problem = restrictedTo(whole, edges);
  return { edges, problem, factor: laplacianFactor(problem) };
}

/**
 * Moves weights and multipliers along the step of the perturbed conditions, at most almost to where the first of them would be 0.
 *
 * @param R - resistances of all edges
 * @param isReady - whether the factor belongs to the weights
 * @returns number of evaluations
 */
function* step(
  problem: FieldProblem,
  own: Restricted,
  state: Interior,
  R: Float64Array,
  isReady: boolean,
): Generator<undefined, number, void> {
  const ofEdges = (entries: Float64Array) => {
    const chosen = new Float64Array(own.edges.length);
    for (let a = 0; a < chosen.length; a++) chosen[a] = entries[own.edges[a]!]!;
    return chosen;
  };
  if (!isReady) own.factor.update(ofEdges(state.weights), problem.basePrecision);
  const resistances = ofEdges(R);
  const target = CENTERING * state.meanProduct();
  const { shift, right } = pathTarget(problem, state, resistances, target);
  const inverse = localInverse(own.factor, own.problem, shift);
  const system = { factor: own.factor, resistances, shift, right, inverse };
  const { solution, products } = yield* newtonDirection(system, PART, MOST_PRODUCTS);
  const change = solution.map((z, a) => z / resistances[a]!);
  state.move(change, target, stepLengths(problem, state, change, target));
  return products + (isReady ? 0 : 1);
}

/** The solver for the weights of a field on a sparse graph. */
export function sparseWeightsSolver(problem: FieldProblem): Solver {
  const { squaredDistances, copies } = problem;
  return searchSolver<FieldStep, FieldProgress>({
    name: 'interiorPoint',
    scale: weightScales(problem),
    begin: (start, memory) => interiorPoint(problem, laplacianFactor(problem), start, memory),
    pointAt: ({ weights, value, resistances }) => ({
      x: weights,
      value,
      gradient: resistances.map((R, e) => 0.5 * (copies * R - squaredDistances[e]!)),
    }),
    ending: ({ kktResidual }) =>
      kktResidual <= CONVERGED
        ? { status: 'converged', reason: 'no weight can be moved any further' }
        : { status: 'failed', reason: 'rounding lets no weight be moved any further' },
  });
}
