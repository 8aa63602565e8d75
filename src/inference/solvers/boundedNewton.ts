import { areSame } from '../../core/plainNumbers.ts';
import { linearAlgebra } from '../../engine/dense/activeEngine.ts';
import { sharedMemory } from '../../engine/memory.ts';
import { nthSmallest } from '../../engine/vectors.ts';
import type {
  Box,
  Ending,
  Iterate,
  QuadraticDescent,
  QuadraticModel,
  Solver,
  SolverMemory,
  Step,
  Steps,
} from '../../model/solver.ts';
import { conjugateGradients, type Direction } from './conjugateGradients.ts';

/** Maximum number of rounds of sweeps and a Newton step. */
const MOST_ROUNDS = 30;

/** Maximum number of sweeps over the free variables in each round, which identify most active bounds. */
const INNER_SWEEPS = 3;

/**
 * Maximum number of variables for direct factorization of a Hessian, also if conjugate gradients need more products than a factorization costs. Above
 * it, no quadratic memory is used.
 */
const FEW = 1000;
const MOST_DENSE = 5000;
const PRODUCTS_OF_FACTOR = 1 / 20;

/** Maximum number of conjugate gradient products in one round, and bounds on the fraction of the residual that they leave. */
const MOST_PRODUCTS = 150;
const COARSE = 0.3;
const FINE = 1e-4;

type Pauses<T> = Generator<Step, T, unknown>;

/**
 * Minimizes a quadratic model within its bounds: sweeps of coordinate descent identify the active bounds, and a Newton step moves the other variables
 * to their minimum. Pauses from time to time.
 *
 * @param tolerance - largest change of a variable in a full sweep, in units of 1/√H_ii
 */
export function* minimized(
  descent: QuadraticDescent,
  { variables, lower, upper }: QuadraticModel,
  tolerance: number,
): Pauses<void> {
  const all = Int32Array.from(variables.keys());
  const between = (places: Int32Array) => {
    const d = descent.steps();
    const found = new Int32Array(places.length);
    let count = 0;
    for (let k = 0; k < places.length; k++) {
      const a = places[k]!;
      if (d[a]! > lower[a]! && d[a]! < upper[a]!) found[count++] = a;
    }
    return found.slice(0, count);
  };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let change = descent.sweep(all);
    yield PAUSE;
    if (change <= tolerance) return;
    const inner = between(all);
    let free = inner;
    for (let sweep = 0; sweep < INNER_SWEEPS && change > tolerance; sweep++) {
      const before = free.length;
      change = descent.sweep(inner);
      yield PAUSE;
      free = between(inner);
      // A sweep over many takes as long as several products of conjugate gradients.
      if (inner.length > FEW && free.length === before) break;
    }
    if (change > tolerance) yield* newtonStep(descent, { lower, upper }, free, (0.1 * tolerance) / change);
  }
}

const PAUSE: Step = { kind: 'pause' };

/**
 * Moves free variables along the Newton step, clipped at their bounds; by half, a quarter, … of it, until the model decreases.
 *
 * @param part - fraction of the slopes that may remain
 */
function* newtonStep(
  descent: QuadraticDescent,
  { lower, upper }: Pick<QuadraticModel, 'lower' | 'upper'>,
  places: Int32Array,
  part: number,
): Pauses<void> {
  const slopes = descent.slopes(places);
  const right = slopes.map((slope) => -slope);
  const step = yield* solved(descent, places, right, part);
  yield PAUSE;
  const steps = descent.steps();
  const before = Float64Array.from(places, (a) => steps[a]!);
  for (let length = 1; length > 1e-3; length /= 2) {
    const after = before.map((d, k) =>
      Math.max(lower[places[k]!]!, Math.min(upper[places[k]!]!, d + length * step[k]!)),
    );
    descent.move(places, after);
    const ahead = descent.slopes(places);
    yield PAUSE;
    // The mean of both slopes is the model's own, as it is quadratic.
    let change = 0;
    for (let k = 0; k < after.length; k++) change += 0.5 * (slopes[k]! + ahead[k]!) * (after[k]! - before[k]!);
    if (change < 0) return;
  }
  descent.move(places, before);
}

/** H⁻¹·right, up to a relative residual. */
function* solved(
  descent: QuadraticDescent,
  places: Int32Array,
  right: Float64Array,
  part: number,
): Pauses<Float64Array> {
  const count = places.length;
  if (count <= FEW) {
    const solution = solvedByFactor(descent, places, right);
    if (solution !== undefined) return solution;
  }
  const most = count <= FEW ? MOST_PRODUCTS : Math.min(MOST_PRODUCTS, Math.ceil(PRODUCTS_OF_FACTOR * count));
  const { solution, products } = yield* nearlySolved(descent, places, right, part, most);
  if (products < most || count <= FEW || count > MOST_DENSE) return solution;
  return solvedByFactor(descent, places, right) ?? solution;
}

/** H⁻¹·right by a Cholesky factorization; undefined if H is singular in double precision. */
function solvedByFactor(descent: QuadraticDescent, places: Int32Array, right: Float64Array): Float64Array | undefined {
  const count = places.length;
  const memory = sharedMemory();
  const algebra = linearAlgebra(memory);
  return memory.withBlock(8 * count * count, (hessian) =>
    memory.withBlock(8 * count, (offset) => {
      const H = memory.float64(hessian, count * count);
      descent.fill(places, H);
      for (let k = 0; k < count; k++) H[k * (count + 1)]! *= 1 + 1e-12;
      memory.float64(offset, count).set(right);
      if (algebra.cholesky(count, hessian) >= 0) return undefined;
      algebra.triangularSolve(count, 1, hessian, offset, false);
      algebra.triangularSolve(count, 1, hessian, offset, true);
      return memory.float64(offset, count).slice();
    }),
  );
}

function* nearlySolved(
  descent: QuadraticDescent,
  places: Int32Array,
  right: Float64Array,
  part: number,
  most: number,
): Pauses<Direction> {
  const inverse = (r: Float64Array, x: Float64Array) => {
    for (let k = 0; k < r.length; k++) x[k] = r[k]! / descent.diagonal[places[k]!]!;
  };
  const product = (v: Float64Array) => descent.product(places, v);
  const search = conjugateGradients({ right, product, inverse }, Math.max(FINE, Math.min(COARSE, part)), most);
  for (;;) {
    const { done, value } = search.next();
    if (done) return value;
    yield PAUSE;
  }
}

interface BoundedNewtonOptions {
  /** Typical size of the objective's gradient and curvature in the solver's variables; default 1. */
  readonly unit?: number;
  /** Initial point in the solver's variables; default all variables at their lower bounds. */
  readonly first?: () => Float64Array;
}

/** Largest violation, relative to the unit, at which the method converges, and at which its result is accepted if rounding prevents further progress. */
const GOAL = 5e-12;
const TOLERANCE = 1e-8;

/** Accuracy of the minimization of the quadratic model, as a maximum fraction of the violation. */
const INNER = 0.05;

/** Relative change of the value that counts as rounding: a step is accepted if the violation decreases. */
const ROUNDING = 1e-12;
const LEVEL = 1e-10;

/** Maximum number of consecutive steps without a gain beyond rounding and without a smaller violation. */
const MOST_LEVEL_STEPS = 10;

/** Required fraction of the decrease predicted by the slope. */
const SUFFICIENT_DECREASE = 1e-4;
const SHORTEST = 1e-8;

/**
 * Bounded Newton method for convex objectives with many variables that mostly end at a bound: each step minimizes the quadratic model by coordinate
 * descent over the free variables and those with the largest gradients away from a bound, and is halved until the objective decreases enough. It
 * requires a curvature with a quadratic model.
 *
 * @param options - see {@link BoundedNewtonOptions}
 * @see Hsieh, Sustik, Dhillon & Ravikumar, J. Mach. Learn. Res. 15 (2014), on the graphical lasso
 */
export function boundedNewton({ unit = 1, first }: BoundedNewtonOptions = {}): Solver {
  return Object.freeze<Solver>({
    name: 'quadraticApproximation',
    bounded: true,
    stochastic: false,
    needsCurvature: true,
    begin: (iterate: Iterate, box: Box, memory: SolverMemory = { begun: 0, level: 0 }) => ({
      iterate,
      memory,
      steps: descend(iterate, box, memory, unit, first),
    }),
  });
}

function* descend(iterate: Iterate, box: Box, memory: SolverMemory, unit: number, first?: () => Float64Array): Steps {
  if (memory.begun === 0 && first !== undefined && areSame(iterate.x, box.lower)) {
    const point = first();
    const { value, gradient } = yield { kind: 'evaluate', point };
    memory.begun = 1;
    if (value < iterate.value) {
      move(iterate, point, value, gradient);
      yield { kind: 'iteration', comparable: false };
    }
  }
  let residual = violation(iterate, box);
  const point = new Float64Array(iterate.x.length);
  for (;;) {
    if (residual <= GOAL * unit) return CONVERGED;
    const { curvature } = yield { kind: 'curvature' };
    const model = modelAt(iterate, box);
    const descent = curvature!.quadratic!(model);
    const part = Math.min(INNER, residual / unit);
    yield* minimized(descent, model, Math.max(0.1 * GOAL * unit, part * residual) / Math.sqrt(unit));
    const step = descent.steps();
    const slope = step.reduce((sum, d, a) => sum + d * model.gradient[a]!, 0);
    let length = 1;
    for (; ; length /= 2) {
      if (length < SHORTEST) {
        if (residual <= TOLERANCE * unit) return CONVERGED;
        return -slope <= ROUNDING * Math.abs(iterate.value) ? LEVELED : FAILED;
      }
      moveTo(point, iterate, box, model.variables, step, length);
      const { value, gradient } = yield { kind: 'evaluate', point };
      const size = Math.abs(iterate.value);
      const isLower = value <= iterate.value + SUFFICIENT_DECREASE * length * slope + ROUNDING * size;
      // Near the minimum rounding hides differences of the value; the violation decides.
      const ahead = violation({ x: point, gradient }, box);
      const isNearer = ahead < residual;
      if (!isLower && !(isNearer && value <= iterate.value + LEVEL * size)) continue;
      if (residual <= TOLERANCE * unit && !isNearer) return CONVERGED;
      const isLevel = !isNearer && -slope <= ROUNDING * size;
      const level = isLevel ? Number(memory.level ?? 0) + 1 : 0;
      if (level > MOST_LEVEL_STEPS) return LEVELED;
      memory.level = level;
      move(iterate, point, value, gradient);
      residual = ahead;
      break;
    }
    yield { kind: 'iteration', comparable: false };
  }
}

const CONVERGED: Ending = { status: 'converged', reason: 'no variable can be moved any further' };
const LEVELED: Ending = {
  status: 'converged',
  test: 'rounding',
  reason: 'what a step would still gain is lost in rounding',
};
const FAILED: Ending = {
  status: 'failed',
  reason: 'no step along the direction of the quadratic model improves the value',
};

function modelAt(iterate: Iterate, box: Box): QuadraticModel {
  const variables = activeVariables(iterate, box);
  const { length } = variables;
  const gradient = new Float64Array(length);
  const lower = new Float64Array(length);
  const upper = new Float64Array(length);
  for (let a = 0; a < length; a++) {
    const i = variables[a]!;
    gradient[a] = iterate.gradient[i]!;
    lower[a] = box.lower[i]! - iterate.x[i]!;
    upper[a] = box.upper[i]! - iterate.x[i]!;
  }
  return { variables, gradient, lower, upper };
}

function moveTo(
  point: Float64Array,
  { x }: Iterate,
  { lower, upper }: Box,
  variables: Int32Array,
  step: Float64Array,
  length: number,
): void {
  point.set(x);
  for (let a = 0; a < variables.length; a++) {
    const i = variables[a]!;
    point[i] = Math.max(lower[i]!, Math.min(upper[i]!, x[i]! + length * step[a]!));
  }
}

function move(iterate: Iterate, point: Float64Array, value: number, gradient: Float64Array): void {
  iterate.x.set(point);
  iterate.gradient.set(gradient);
  iterate.value = value;
}

type Point = Pick<Iterate, 'x' | 'gradient'>;

/** Number of variables that may leave a bound in one step, per free variable, and its minimum. */
const ENTERING = 3;
const LEAST = 200;

/** Violation of the optimality conditions by each variable: |g| between its bounds, and at a bound only if the gradient points away from it. */
function pull(x: number, g: number, { lower, upper }: Box, i: number): number {
  if (x <= lower[i]!) return Math.max(0, -g);
  if (x >= upper[i]!) return Math.max(0, g);
  return Math.abs(g);
}

/** Largest violation: 0 if the Karush–Kuhn–Tucker conditions are satisfied. */
export function violation({ x, gradient }: Point, box: Box): number {
  let largest = 0;
  for (let i = 0; i < x.length; i++) {
    const size = pull(x[i]!, gradient[i]!, box, i);
    if (size > largest) largest = size;
  }
  return largest;
}

/** Free variables, and variables at a bound with the largest gradients away from it, ascending. */
export function activeVariables({ x, gradient }: Point, box: Box): Int32Array {
  const { lower, upper } = box;
  const { length } = x;
  const isBetween = (i: number) => x[i]! > lower[i]! && x[i]! < upper[i]!;
  // Counted first: arrays of all variables are memory that the system has to give, and few of them are candidates.
  let many = 0;
  for (let i = 0; i < length; i++) if (isBetween(i) || pull(x[i]!, gradient[i]!, box, i) !== 0) many++;
  const candidates = new Int32Array(many);
  /** Violations of the variables; ∞ for free variables, which are all included. */
  const pulls = new Float64Array(many);
  let count = 0;
  let inner = 0;
  for (let i = 0; i < length; i++) {
    let size = Number.POSITIVE_INFINITY;
    if (isBetween(i)) inner++;
    else {
      size = pull(x[i]!, gradient[i]!, box, i);
      if (size === 0) continue;
    }
    candidates[count] = i;
    pulls[count++] = size;
  }
  const most = inner + Math.max(LEAST, ENTERING * inner);
  if (count <= most) return candidates.slice(0, count);
  const least = nthSmallest(pulls.slice(0, count), count - most);
  let above = 0;
  for (let k = 0; k < count; k++) if (pulls[k]! > least) above++;
  const active = new Int32Array(most);
  for (let k = 0, level = most - above, taken = 0; k < count; k++) {
    if (pulls[k]! < least || (pulls[k] === least && level-- <= 0)) continue;
    active[taken++] = candidates[k]!;
  }
  return active;
}
