import { linearAlgebra } from '../../engine/dense/activeEngine.ts';
import { sharedMemory } from '../../engine/memory.ts';
import type { QuadraticDescent, QuadraticModel, Step } from '../../model/solver.ts';
import { conjugateGradients, type Direction } from './conjugateGradients.ts';

/** Rounds of sweeps and a Newton step, at most. */
const MOST_ROUNDS = 30;

/** Sweeps over the variables between their bounds in each round, at most: they find out most of those that belong to a bound. */
const INNER_SWEEPS = 3;

/**
 * Variables up to which a Hessian is factored at once, and up to which it is where conjugate gradients do not get there in as many products as
 * take the time of a factor. Beyond, no array of their square is held.
 */
const FEW = 1000;
const MOST_DENSE = 5000;
const PRODUCTS_OF_FACTOR = 1 / 20;

/** Products of conjugate gradients in one round, and the part of the residual that they leave, at most and at least. */
const MOST_PRODUCTS = 150;
const COARSE = 0.3;
const FINE = 1e-4;

type Pauses<T> = Generator<Step, T, unknown>;

/**
 * Minimises a quadratic model within its bounds: sweeps of coordinate descent say which variables are at one, and a Newton step takes the others
 * to their minimum. Pauses now and then.
 *
 * @param tolerance - on what a sweep over all variables moves one, in units of 1/√H_ii
 */
export function* minimised(
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
 * Takes variables between their bounds along Newton's step, held at the bounds that it meets; half, a quarter, … of it, until the model
 * falls.
 *
 * @param part - of the slopes, to be left
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

/** H⁻¹·right, up to a part of it. */
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

/** H⁻¹·right by a Cholesky factor; nothing where H is singular in double precision. */
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
