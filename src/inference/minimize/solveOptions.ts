import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, reasonOf } from '../../core/matrix.ts';
import {
  checkOptions,
  functionOf,
  givenOptions,
  limitFromZero,
  numberAboveZero,
  type OptionsIn,
  readGiven,
  signalOption,
  typed,
} from '../../core/options.ts';
import { firstNotFinite, firstNotPositive, isCount } from '../../core/plainNumbers.ts';
import { countGiven } from '../../core/wording.ts';
import type { Box, Solver } from '../../model/solver.ts';
import type { Progress, SolverState } from './solution.ts';

/** Options of {@link minimize} and of `solve` in `latentfield/inference`. */
export interface SolveOptions extends OptionsIn<typeof schema> {}

/** Options with everything filled in and checked. */
export interface SolveSettings
  extends Record<'maxIterations' | 'maxEvaluations' | 'tolerance' | 'relativeDecrease' | 'maxSeconds', number> {
  readonly start: Float64Array;
  readonly bounds: Box;
  /** Divisor of decreases; by default the size of the value. */
  readonly size: number | undefined;
  readonly scale: Float64Array;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: Progress) => unknown) | undefined;
  readonly state: SolverState | undefined;
}

const { POSITIVE_INFINITY: infinity, NEGATIVE_INFINITY } = Number;

const limitFrom = (least: number) => {
  const expected = `a whole number of at least ${least}, or Infinity`;
  const allowed = (count: number) => count >= least && (Number.isInteger(count) || count === infinity);
  return v.optional(v.pipe(v.number(expected), v.check(allowed, expected)));
};
const boundsSchema = v.strictObject(
  { lower: v.optional(v.any()), upper: v.optional(v.any()) },
  'an object { lower, upper }',
);
const schema = v.strictObject({
  /** Limits lower ≤ x ≤ upper, a number for all variables or an array with one per variable; ±Infinity for none. Only for `lbfgsb`. */
  bounds: v.optional(
    typed<{ readonly lower?: number | ArrayLike<number>; readonly upper?: number | ArrayLike<number> }>(),
  ),
  /** Typical size of each variable, positive: the solver works on z = x / scale. Default 1. */
  scale: v.optional(typed<number | ArrayLike<number>>()),
  /** Maximum number of iterations, including iterations of a resumed state; default 1000, and 0 evaluates only the start. */
  maxIterations: limitFrom(0),
  /** Maximum number of evaluations of the objective, including evaluations of a resumed state, at least 1; default no limit. */
  maxEvaluations: limitFrom(1),
  /** Converged when no entry of the scaled projected gradient exceeds it; default 1e-5. */
  tolerance: v.optional(limitFromZero),
  /** Converged when two consecutive iterations lower the value by at most this fraction of `size`; default 2.2e-9. */
  relativeDecrease: v.optional(limitFromZero),
  /**
   * Divisor of decreases of f, such as the number of observations, which does not depend on constants added to f. Default
   * max(|f|, |f₊|, 1).
   */
  size: v.optional(numberAboveZero),
  /** Stops before the first evaluation that would start this many seconds after the call; default no limit. */
  maxSeconds: v.optional(limitFromZero),
  /** Stops before the next evaluation once aborted. */
  signal: signalOption,
  /** Called with the start and after every iteration; returning false stops. */
  onProgress: v.optional(functionOf<(progress: Progress) => unknown>()),
  /** State of an earlier Solution of the same problem to resume from; only the length of the start is then checked. */
  state: v.optional(typed<SolverState>()),
});

/** Default maximum number of iterations. */
export const MOST_ITERATIONS = 1000;

/**
 * Checks the arguments of a minimization and fills in defaults. A start outside the bounds is moved to the nearest point within them.
 *
 * @throws InvalidInputError for an unusable argument, with its name, position and expected value
 */
export function solveSettings(start: ArrayLike<number>, solver: Solver, given: SolveOptions): SolveSettings {
  checkSolver(solver);
  const options = givenOptions(given, 'minimize');
  checkOptions(schema, options, 'minimize');
  const { bounds = {} } = options;
  checkOptions(boundsSchema, bounds, 'bounds');

  const x = finiteStart(start);
  const box: Box = {
    lower: perVariable(bounds.lower ?? NEGATIVE_INFINITY, x.length, 'lower bounds'),
    upper: perVariable(bounds.upper ?? infinity, x.length, 'upper bounds'),
  };
  putInBox(x, box, solver);
  const scale = perVariable(options.scale ?? 1, x.length, 'scale');
  const flat = firstNotPositive(scale);
  if (flat >= 0) {
    throw new InvalidInputError(`The scale must be positive and finite, but entry ${flat} is ${scale[flat]}.`);
  }

  const { maxIterations = MOST_ITERATIONS, maxEvaluations = infinity, maxSeconds = infinity } = options;
  const { tolerance = 1e-5, relativeDecrease = 2.2e-9 } = options;
  return {
    start: x,
    bounds: box,
    scale,
    maxIterations,
    maxEvaluations,
    maxSeconds,
    tolerance,
    relativeDecrease,
    size: options.size,
    signal: options.signal,
    onProgress: options.onProgress,
    state: options.state,
  };
}

function checkSolver(solver: Solver): void {
  const isSolver = () => typeof solver === 'object' && solver !== null && typeof solver.begin === 'function';
  if (readGiven('The solver', isSolver)) return;
  const given = typeof solver === 'function' ? 'a function (was it called, as in lbfgs()?)' : describe(solver);
  throw new InvalidInputError(`The solver must be one of lbfgs(), lbfgsb(), scg() and adam(), but ${given} was given.`);
}

function finiteStart(start: ArrayLike<number>): Float64Array {
  const x = numbersOf(start, 'start');
  if (x.length === 0) throw new InvalidInputError('The start is empty: give it one number for each variable.');
  const bad = firstNotFinite(x);
  if (bad >= 0) throw new InvalidInputError(`The start must be finite, but entry ${bad} of ${x.length} is ${x[bad]}.`);
  return x;
}

function putInBox(x: Float64Array, { lower, upper }: Box, solver: Solver): void {
  for (let i = 0; i < x.length; i++) {
    const low = lower[i]!;
    const high = upper[i]!;
    if (!(low <= high) || low === infinity || high === NEGATIVE_INFINITY) {
      throw new InvalidInputError(
        `Each lower bound must be at most the upper bound, but for variable ${i} they are ${low} and ${high}.`,
      );
    }
    if (!solver.bounded && (low !== NEGATIVE_INFINITY || high !== infinity)) {
      throw new InvalidInputError(
        `${solver.name} cannot keep to bounds, but variable ${i} is bounded to [${low}, ${high}]. Use lbfgsb().`,
      );
    }
    x[i] = Math.max(low, Math.min(high, x[i]!));
  }
}

function perVariable(value: number | ArrayLike<number>, size: number, name: string): Float64Array {
  if (typeof value === 'number') return new Float64Array(size).fill(value);
  const entries = numbersOf(value, name);
  if (entries.length === size) return entries;
  throw new InvalidInputError(
    `The ${name} must be one number or ${size}, one for each variable, but ${countGiven(entries.length, 'number')}.`,
  );
}

/** Copy of the numbers; throws a typed error if they cannot be read. */
function numbersOf(values: ArrayLike<number>, name: string): Float64Array {
  try {
    return copyOf(values, name);
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    throw new InvalidInputError(`The ${name} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

function copyOf(values: ArrayLike<number>, name: string): Float64Array {
  if (typeof values !== 'object' || values === null || !isCount(values.length)) {
    throw new InvalidInputError(`The ${name} must be an array of numbers, but ${describe(values)} was given.`);
  }
  const copy = new Float64Array(values.length);
  for (let i = 0; i < copy.length; i++) {
    const entry: unknown = values[i];
    if (typeof entry !== 'number') {
      throw new InvalidInputError(`The ${name} must contain numbers, but entry ${i} is ${describe(entry)}.`);
    }
    copy[i] = entry;
  }
  return copy;
}
