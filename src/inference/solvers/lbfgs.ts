import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkOptions, type OptionsIn } from '../../core/options.ts';
import { isCount, isFiniteArray } from '../../core/plainNumbers.ts';
import { dot, norm } from '../../engine/vectors.ts';
import type { Iterate, Solver, SolverMemory, Steps } from '../../model/solver.ts';
import { cannotDescend, lineSearch } from './lineSearch.ts';

/** Options of the solvers that keep correction pairs. */
export interface PairOptions extends OptionsIn<typeof pairOptions> {}

/** Options of {@link lbfgs}. */
export interface LbfgsOptions extends OptionsIn<typeof schema> {}

const atLeastOne = 'a whole number of at least 1';

/** Schema of {@link PairOptions}. */
export const pairOptions = v.strictObject({
  /**
   * Number of correction pairs kept, at least 1. Default 10 for `lbfgsb`; for `lbfgs`, one pair per variable for up to 512 variables, at least 10,
   * and 100 for more.
   */
  history: v.optional(v.pipe(v.number(atLeastOne), v.integer(atLeastOne), v.minValue(1, atLeastOne))),
});

const schema = v.strictObject({
  ...pairOptions.entries,
  /**
   * Initial matrix of the quasi-Newton update: 'scalar' (default), (sᵀy/yᵀy)·I; or 'diagonal', which learns the scale of each variable from all pairs
   * so far. The diagonal needs fewer evaluations, and far fewer if scales differ widely, but among the many optima of a latent variable model it may
   * settle for a worse one that is nearer to the start.
   */
  scaling: v.optional(v.picklist(['scalar', 'diagonal'], "'scalar' or 'diagonal'"), 'scalar'),
});

/**
 * L-BFGS: quasi-Newton steps from the last few changes of the gradient, with a strong Wolfe line search. For smooth
 * objectives without bounds; the default of a fit.
 *
 * x₊ = x − α·H·∇f(x), H the BFGS inverse Hessian built from `history` pairs on top of a scalar or diagonal matrix. If a line search fails, it is
 * retried once along the steepest descent, without history, before the run ends. The benefit of history and diagonal is measured by
 * bench/reproductions/solverStudy.mjs.
 *
 * @param options - see {@link LbfgsOptions}
 * @returns a frozen description of the solver, for `minimize` or `fit`
 * @throws InvalidInputError for an unknown option, a history that is not a positive integer or another scaling
 * @see Nocedal, Wright (2006), Numerical Optimization, 2nd ed., Algorithm 7.5; Liu, Nocedal (1989); Gilbert, Lemaréchal (1989) for the diagonal
 * @example
 * ```ts
 * const { x } = minimize(([a, b]) => ({ value: a ** 2 + 3 * b ** 2, gradient: [2 * a, 6 * b] }), [1, 1], lbfgs());
 * ```
 */
export function lbfgs(options: LbfgsOptions = {}): Solver {
  const { history, scaling } = checkOptions(schema, options, 'lbfgs');
  return Object.freeze({
    name: 'lbfgs',
    bounded: false,
    stochastic: false,
    options: { ...(history !== undefined && { history }), scaling },
    begin(iterate: Iterate, _box: unknown, given?: SolverMemory) {
      const size = iterate.x.length;
      // A resumed run keeps its number of pairs, even if the default differs.
      const kept = history ?? pairsIn(given) ?? usualHistory(size);
      if (given !== undefined) checkPairs(given, kept, size, 'lbfgs');
      const memory = given ?? {};
      const pairs = correctionPairs(memory, kept, size);
      const diagonal = scaling === 'diagonal' ? inverseDiagonal(memory, pairs, 'lbfgs') : undefined;
      return { iterate, memory, steps: descend(iterate, pairs, diagonal) };
    },
  });
}

const pairsIn = (memory: SolverMemory | undefined): number | undefined => {
  const curvatures = memory?.curvatures;
  return curvatures instanceof Float64Array && curvatures.length > 0 ? curvatures.length : undefined;
};

const [FEWEST, MANY, SMALL] = [10, 100, 512];

/** One pair per variable for small problems. Latents lie in long flat valleys, and forty pairs are too few for these. */
const usualHistory = (size: number) => (size > SMALL ? MANY : Math.max(FEWEST, size));

function* descend(iterate: Iterate, pairs: CorrectionPairs, diagonal: InverseDiagonal | undefined): Steps {
  const search = lineSearch(iterate.x.length);
  const direction = new Float64Array(iterate.x.length);
  const weights = new Float64Array(pairs.history);

  for (;;) {
    let steepest = pairs.count === 0;
    let expected = 0;
    const tried: Float64Array[] = [];
    // The first direction with a slope shows what decrease is in sight; a quasi-Newton one knows the curvature.
    for (;;) {
      if (steepest) negate(direction, iterate.gradient);
      else quasiNewton(direction, iterate.gradient, pairs, diagonal?.entries, weights);
      const slope = dot(direction, iterate.gradient);
      const firstStep = steepest ? Math.min(1, 1 / norm(direction)) : 1;
      if (!(expected > 0)) expected = -slope * firstStep;
      if (slope < 0 && (yield* search.along(iterate, direction, slope, firstStep, LONGEST_STEP))) break;
      if (slope < 0) tried.push(direction.slice());
      if (steepest) return yield* cannotDescend(iterate, expected, tried);
      steepest = true;
    }
    const { accepted } = search;
    if (steepest) {
      pairs.clear();
      diagonal?.clear();
    }
    const slot = pairs.add(iterate, accepted);
    if (slot >= 0) diagonal?.learn(slot);
    iterate.x.set(accepted.x);
    iterate.gradient.set(accepted.gradient);
    iterate.value = accepted.value;
    yield { kind: 'iteration', comparable: true };
  }
}

const LONGEST_STEP = 1e20;

function negate(direction: Float64Array, gradient: Float64Array): void {
  for (let i = 0; i < direction.length; i++) direction[i] = -gradient[i]!;
}

/**
 * direction ← −H·gradient by the two-loop recursion (Nocedal and Wright, Algorithm 7.4). The update of a pair and the product with the next one are
 * fused into one pass: forty pairs cost a tenth of an evaluation with 300 points.
 */
function quasiNewton(
  direction: Float64Array,
  gradient: Float64Array,
  pairs: CorrectionPairs,
  diagonal: Float64Array | undefined,
  weights: Float64Array,
): void {
  const { steps, changes, curvatures, size, count, inverseScale } = pairs;
  negate(direction, gradient);
  let product = dotRow(steps, pairs.slot(count - 1) * size, direction);
  for (let k = count - 1; k >= 0; k--) {
    const slot = pairs.slot(k);
    const weight = product / curvatures[slot]!;
    weights[k] = weight;
    product = addRow(direction, -weight, changes, slot * size, steps, pairs.slot(Math.max(k - 1, 0)) * size);
  }
  for (let i = 0; i < size; i++) direction[i] = direction[i]! * (diagonal?.[i] ?? inverseScale);
  product = dotRow(changes, pairs.slot(0) * size, direction);
  for (let k = 0; k < count; k++) {
    const slot = pairs.slot(k);
    const correction = product / curvatures[slot]!;
    const next = pairs.slot(Math.min(k + 1, count - 1));
    product = addRow(direction, weights[k]! - correction, steps, slot * size, changes, next * size);
  }
}

function dotRow(rows: Float64Array, start: number, vector: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += rows[start + i]! * vector[i]!;
  return sum;
}

/** vector ← vector + factor·(row of `rows`); returns its product with a row of `others`. */
function addRow(
  vector: Float64Array,
  factor: number,
  rows: Float64Array,
  start: number,
  others: Float64Array,
  next: number,
): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) {
    const entry = vector[i]! + factor * rows[start + i]!;
    vector[i] = entry;
    sum += others[next + i]! * entry;
  }
  return sum;
}

/** Diagonal approximation D > 0 of the inverse Hessian, which learns the scale of each variable from correction pairs. */
interface InverseDiagonal {
  readonly entries: Float64Array;
  /** Updates the diagonal with the latest pair of the ring. */
  learn(slot: number): void;
  clear(): void;
}

/**
 * After each pair (s, y), D is first multiplied by sᵀy / yᵀDy, so that yᵀDy = sᵀy, and then its inverse B is updated like the diagonal of a BFGS
 * matrix: b_i ← b_i + y_i²/sᵀy − (b_i s_i)²/sᵀBs. It starts from (sᵀy/yᵀy)·I at the first pair.
 *
 * @param memory - contains D, so that a run can be resumed; initialized if it is empty
 * @see Gilbert, Lemaréchal (1989), Some numerical experiments with variable-storage quasi-Newton algorithms, Math. Programming 45
 */
export function inverseDiagonal(memory: SolverMemory, pairs: CorrectionPairs, solver: string): InverseDiagonal {
  const { size, steps, changes, curvatures } = pairs;
  if (memory.diagonal === undefined && pairs.count === 0) memory.diagonal = new Float64Array(size);
  const { diagonal: entries } = memory;
  const isOne = isFiniteArray(entries, size);
  if (!isOne || !(entries.every((entry) => entry > 0) || entries.every((entry) => entry === 0))) {
    throw new InvalidInputError(
      `The state given to ${solver} does not contain the scale of ${size} variables. Resume with the same problem and release that it ` +
        'was saved from.',
    );
  }

  return {
    entries,
    learn(slot) {
      // Zeros until the first pair.
      if (entries[0] === 0) entries.fill(pairs.inverseScale);
      const start = slot * size;
      const curvature = curvatures[slot]!;
      let lengthOfChange = 0;
      for (let i = 0; i < size; i++) lengthOfChange += square(changes[start + i]!) * entries[i]!;
      const factor = curvature / lengthOfChange;
      let lengthOfStep = 0;
      for (let i = 0; i < size; i++) {
        entries[i] = entries[i]! * factor;
        lengthOfStep += square(steps[start + i]!) / entries[i]!;
      }
      for (let i = 0; i < size; i++) {
        const b = 1 / entries[i]!;
        const next = b + square(changes[start + i]!) / curvature - square(b * steps[start + i]!) / lengthOfStep;
        // Positive but for rounding, which shows where a variable moved alone and the gradient in it did not.
        if (next > Number.EPSILON * b) entries[i] = 1 / next;
      }
    },
    clear() {
      entries.fill(0);
    },
  };
}

/**
 * The latest `history` correction pairs s = x₊ − x, y = g₊ − g, in a ring that is allocated once: pair k of `count`, counted from the oldest, is row
 * `slot(k)` of `steps` and `changes`.
 */
export interface CorrectionPairs {
  readonly history: number;
  readonly size: number;
  readonly count: number;
  /** s, history × size. */
  readonly steps: Float64Array;
  /** y, history × size. */
  readonly changes: Float64Array;
  /** sᵀy of each slot. */
  readonly curvatures: Float64Array;
  /** sᵀy / yᵀy of the newest pair, the scale of the inverse Hessian; 1 without pairs. */
  readonly inverseScale: number;
  slot(k: number): number;
  /** Adds the pair that leads from one iterate to the next, unless its curvature is lost in rounding. Returns its slot or −1. */
  add(from: Iterate, to: Iterate): number;
  clear(): void;
}

/** @param memory - contains the ring, so that it is always the state to resume from; initialized if it is empty */
export function correctionPairs(memory: SolverMemory, history: number, size: number): CorrectionPairs {
  const ring = ringOf(memory, history, size);
  const { steps, changes, curvatures } = ring;

  return {
    history,
    size,
    steps,
    changes,
    curvatures,
    get count() {
      return ring.count;
    },
    get inverseScale() {
      return ring.inverseScale;
    },
    slot: (k) => (ring.newest - ring.count + 1 + k + 2 * history) % history,

    add(from, to) {
      let curvature = 0;
      let changeNorm = 0;
      let slope = 0;
      for (let i = 0; i < size; i++) {
        const s = to.x[i]! - from.x[i]!;
        const y = to.gradient[i]! - from.gradient[i]!;
        curvature += s * y;
        changeNorm += y * y;
        slope += s * from.gradient[i]!;
      }
      if (!(curvature > Number.EPSILON * Math.abs(slope)) || !(changeNorm > 0)) return -1;
      const slot = (ring.newest + 1) % history;
      for (let i = 0; i < size; i++) {
        steps[slot * size + i] = to.x[i]! - from.x[i]!;
        changes[slot * size + i] = to.gradient[i]! - from.gradient[i]!;
      }
      curvatures[slot] = curvature;
      ring.newest = slot;
      ring.count = Math.min(ring.count + 1, history);
      ring.inverseScale = curvature / changeNorm;
      return slot;
    },

    clear() {
      ring.count = 0;
      ring.inverseScale = 1;
    },
  };
}

interface Ring {
  steps: Float64Array;
  changes: Float64Array;
  curvatures: Float64Array;
  count: number;
  newest: number;
  inverseScale: number;
}

function ringOf(memory: SolverMemory, history: number, size: number): Ring {
  if (Object.keys(memory).length === 0) {
    Object.assign(memory, {
      steps: new Float64Array(history * size),
      changes: new Float64Array(history * size),
      curvatures: new Float64Array(history),
      count: 0,
      newest: history - 1,
      inverseScale: 1,
    });
  }
  return memory as unknown as Ring;
}

/**
 * Rejects a missing or damaged ring of pairs.
 *
 * @param memory - state of an earlier run
 * @param solver - named in the error
 * @throws InvalidInputError
 */
export function checkPairs(memory: SolverMemory, history: number, size: number, solver: string): void {
  const { steps, changes, curvatures, count, newest, inverseScale } = memory;
  const fits =
    isFiniteArray(steps, history * size) &&
    isFiniteArray(changes, history * size) &&
    isFiniteArray(curvatures, history) &&
    isCount(count, 0, history) &&
    isCount(newest, 0, history - 1) &&
    curvatures.every((curvature, slot) => curvature > 0 || (newest - slot + history) % history >= count) &&
    typeof inverseScale === 'number' &&
    inverseScale > 0 &&
    Number.isFinite(inverseScale);
  if (fits) return;
  throw new InvalidInputError(
    `The state given to ${solver} does not contain ${history} correction pairs of ${size} variables. Resume with the same ` +
      'history and the same problem that it was saved from.',
  );
}
