import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, reasonOf } from '../../core/matrix.ts';
import { checkOptions, givenOptions, readGiven, signalOption } from '../../core/options.ts';
import { firstNotFinite, firstNotPositive, isCount } from '../../core/plainNumbers.ts';
import { countGiven } from '../../core/wording.ts';
import type { Box, Solver } from '../../model/solver.ts';
import type { Progress, SolverState } from './solution.ts';

/** Options of {@link minimize} and {@link solve}. */
export interface SolveOptions {
  /** Limits lower ≤ x ≤ upper, one number for all variables or one each; ±Infinity for none. Only for `lbfgsb`. */
  readonly bounds?: { readonly lower?: number | ArrayLike<number>; readonly upper?: number | ArrayLike<number> };
  /** Typical size of each variable, positive: the solver works on z = x / scale. 1 when left out. */
  readonly scale?: number | ArrayLike<number>;
  /** Most iterations, those of a resumed state included; 1000 when left out, 0 evaluates the start only. */
  readonly maxIterations?: number;
  /** Most evaluations of the objective, those of a resumed state included, at least 1; no limit when left out. */
  readonly maxEvaluations?: number;
  /** Converged when no entry of the scaled projected gradient exceeds it; 1e-5 when left out. */
  readonly tolerance?: number;
  /** Converged when two iterations in a row lower the value by at most this part of max(|f|, |f₊|, 1); 2.2e-9 when left out. */
  readonly relativeDecrease?: number;
  /** Stops before the first evaluation that would start this many seconds after the call; no limit when left out. */
  readonly maxSeconds?: number;
  /** Stops before the next evaluation once aborted. */
  readonly signal?: AbortSignal;
  /** Called with the start and after every iteration; returning false stops. */
  readonly onProgress?: (progress: Progress) => unknown;
  /** State of an earlier Solution of the same problem, to go on from; the start is then only checked for its length. */
  readonly state?: SolverState;
}

/** Options with everything filled in and checked. */
export interface SolveSettings
  extends Required<Omit<SolveOptions, 'bounds' | 'scale' | 'signal' | 'onProgress' | 'state'>> {
  readonly start: Float64Array;
  readonly bounds: Box;
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
const fromZero = 'a number of at least 0';
const notNegative = v.pipe(v.number(fromZero), v.minValue(0, fromZero));
const boundsSchema = v.strictObject(
  { lower: v.optional(v.any()), upper: v.optional(v.any()) },
  'an object { lower, upper }',
);
const schema = v.strictObject({
  bounds: v.optional(v.any()),
  scale: v.optional(v.any()),
  maxIterations: limitFrom(0),
  maxEvaluations: limitFrom(1),
  tolerance: v.optional(notNegative),
  relativeDecrease: v.optional(notNegative),
  maxSeconds: v.optional(notNegative),
  signal: signalOption,
  onProgress: v.optional(v.function('a function')),
  state: v.optional(v.any()),
});

/** Most iterations, unless given. */
export const MOST_ITERATIONS = 1000;

/**
 * Fills in and checks what a minimization is given. A start outside the bounds is moved to the nearest point within.
 *
 * @throws InvalidInputError for what cannot be used, by name, position and what was expected
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

/** A copy; what cannot be read is an error that says so. */
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
      throw new InvalidInputError(`The ${name} must hold numbers, but entry ${i} is ${describe(entry)}.`);
    }
    copy[i] = entry;
  }
  return copy;
}
