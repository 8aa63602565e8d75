import * as v from 'valibot';
import { pow } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkOptions, functionOf, givenOptions, numberAboveZero, type OptionsIn } from '../../core/options.ts';
import { isCount, isFiniteArray } from '../../core/plainNumbers.ts';
import type { Evaluation, Iterate, Solver, SolverMemory, Step, Steps } from '../../model/solver.ts';

/** Options of {@link adam}. */
export interface AdamOptions extends OptionsIn<typeof schema> {}

const decay = 'a number in [0, 1)';
const decaySchema = v.pipe(v.number(decay), v.minValue(0, decay), v.ltValue(1, decay));
const schema = v.strictObject({
  /** Largest step of a variable, positive, or a function of the iteration (from 1); default 0.1. */
  learningRate: v.optional(
    v.union(
      [numberAboveZero, functionOf<(iteration: number) => number>()],
      'a number above 0, or a function of the iteration that returns one',
    ),
  ),
  /** Decay of the mean of gradients, in [0, 1); default 0.9. */
  beta1: v.optional(decaySchema, 0.9),
  /** Decay of the mean of squared gradients, in [0, 1); default 0.999. */
  beta2: v.optional(decaySchema, 0.999),
  /** Constant added to the root of the mean square, positive; default 1e-8. */
  epsilon: v.optional(numberAboveZero, 1e-8),
  /** Whether the objective varies between evaluations, as with mini-batches: the last point is then the result. */
  stochastic: v.optional(v.boolean('true or false'), false),
});

const LEARNING_RATE = 0.1;

const MOST_HALVINGS = 50;

/**
 * Adam: steps by the running mean of the gradient over the root of the running mean of its square, both corrected for
 * their start at zero. One evaluation per iteration; suitable for objectives that vary from call to call.
 *
 * x ← x − η·m̂ / (√v̂ + ε). A step to a point where the objective is not finite is halved until it is finite. The steps do not shrink automatically:
 * use a decreasing `learningRate` to get closer than η to a minimum. The decrease of the value is not a termination test.
 *
 * If an objective involves some of the variables at a time, such as the variational means and variances of a batch, an iteration updates only these:
 * each variable's m and v and their corrections count only the iterations that involved it.
 *
 * @param options - see {@link AdamOptions}
 * @returns a frozen description of the solver, for `minimize` or `fit`
 * @throws InvalidInputError for an unknown option or a value out of range
 * @see Kingma, Ba (2015), Adam: a method for stochastic optimization, ICLR, Algorithm 1
 * @example
 * ```ts
 * const falling = (iteration: number) => 0.1 / Math.sqrt(iteration);
 * const { x } = minimize(objective, [1, 1], adam({ learningRate: falling }), { maxIterations: 2000 });
 * ```
 */
export function adam(options: AdamOptions = {}): Solver {
  const { beta1, beta2, epsilon, stochastic } = checkOptions(schema, options, 'adam');
  const { learningRate = LEARNING_RATE } = givenOptions(options, 'adam');
  const rate = typeof learningRate === 'number' ? () => learningRate : learningRate;
  return Object.freeze({
    name: 'adam',
    bounded: false,
    stochastic,
    takesPlaces: true,
    options: { learningRate, beta1, beta2, epsilon, stochastic },
    begin(iterate: Iterate, _box: unknown, given?: SolverMemory) {
      const size = iterate.x.length;
      const isPartial = iterate.places !== undefined;
      if (given !== undefined) checkMoments(given, size, isPartial);
      const memory = given ?? {
        mean: new Float64Array(size),
        square: new Float64Array(size),
        iteration: 0,
        ...(isPartial && { seen: new Float64Array(size) }),
      };
      return {
        iterate,
        memory,
        steps: descend(iterate, memory as unknown as Moments, { rate, beta1, beta2, epsilon }),
      };
    },
  });
}

interface Moments {
  /** Running mean of the gradient. */
  readonly mean: Float64Array;
  /** Running mean of the squared gradient. */
  readonly square: Float64Array;
  /** Number of iterations that involved each variable, if they differ between variables. */
  readonly seen?: Float64Array;
  iteration: number;
}

interface Rule {
  readonly rate: (iteration: number) => number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
}

function* descend(iterate: Iterate, moments: Moments, rule: Rule): Steps {
  // Equal to the iterate except for the variables of a step: no iteration touches others.
  const point = iterate.x.slice();
  const request: Step = { kind: 'evaluate', point };
  const all = iterate.places === undefined ? Int32Array.from(point.keys()) : undefined;

  for (;;) {
    const iteration = moments.iteration + 1;
    let step = stepAt(rule, iteration);
    const places = all ?? iterate.places!;
    const direction = directionAt(iterate, moments, places, rule);
    let evaluation: Evaluation = { value: Number.NaN, gradient: iterate.gradient };
    for (let halvings = 0; Number.isNaN(evaluation.value); halvings++) {
      if (halvings > MOST_HALVINGS) {
        return {
          status: 'failed',
          reason: `the objective is not finite anywhere along the step, down to ${step} of it`,
        };
      }
      for (let k = 0; k < places.length; k++) point[places[k]!] = iterate.x[places[k]!]! + step * direction[k]!;
      evaluation = yield request;
      step /= 2;
    }
    remember(iterate, moments, places, rule);
    moments.iteration = iteration;
    moveTo(iterate, point, places, evaluation);
    yield { kind: 'iteration', comparable: false };
  }
}

function stepAt({ rate }: Rule, iteration: number): number {
  const step = rate(iteration);
  if (step > 0 && step < Number.POSITIVE_INFINITY) return step;
  throw new InvalidInputError(
    `The learningRate of adam must be a positive number at every iteration, but at ${iteration} it is ${step}.`,
  );
}

/** Step direction −m̂ / (√v̂ + ε) of the variables with these indices. */
function directionAt(
  { gradient }: Iterate,
  { mean, square, seen, iteration }: Moments,
  places: Int32Array,
  { beta1, beta2, epsilon }: Rule,
): Float64Array {
  const direction = new Float64Array(places.length);
  let [count, meanCorrection, squareCorrection] = [0, 0, 0];
  for (let k = 0; k < places.length; k++) {
    const i = places[k]!;
    const own = (seen === undefined ? iteration : seen[i]!) + 1;
    if (own !== count) {
      count = own;
      meanCorrection = 1 - pow(beta1, own);
      squareCorrection = 1 - pow(beta2, own);
    }
    const first = beta1 * mean[i]! + (1 - beta1) * gradient[i]!;
    const second = beta2 * square[i]! + (1 - beta2) * gradient[i]! * gradient[i]!;
    direction[k] = -first / meanCorrection / (Math.sqrt(second / squareCorrection) + epsilon);
  }
  return direction;
}

function remember(
  { gradient }: Iterate,
  { mean, square, seen }: Moments,
  places: Int32Array,
  { beta1, beta2 }: Rule,
): void {
  for (const i of places) {
    mean[i] = beta1 * mean[i]! + (1 - beta1) * gradient[i]!;
    square[i] = beta2 * square[i]! + (1 - beta2) * gradient[i]! * gradient[i]!;
    if (seen !== undefined) seen[i]!++;
  }
}

/** Updates some variables and their gradient entries from an evaluated point. */
function moveTo(
  iterate: Iterate,
  point: Float64Array,
  places: Int32Array,
  { value, gradient, places: own }: Evaluation,
): void {
  for (const i of places) iterate.x[i] = point[i]!;
  if (own === undefined) iterate.gradient.set(gradient);
  else {
    for (const i of places) iterate.gradient[i] = 0;
    for (let k = 0; k < own.length; k++) iterate.gradient[own[k]!] = gradient[k]!;
    iterate.places = own;
  }
  iterate.value = value;
}

function checkMoments({ mean, square, iteration, seen }: SolverMemory, size: number, isPartial: boolean): void {
  const counts = isPartial ? isFiniteArray(seen, size) && seen.every((entry) => isCount(entry)) : seen === undefined;
  const fits = isFiniteArray(mean, size) && isFiniteArray(square, size) && isCount(iteration) && counts;
  if (fits && square.every((entry) => entry >= 0)) return;
  throw new InvalidInputError(
    `The state given to adam does not contain the moments of ${size} variables. Resume with the problem that it was saved from.`,
  );
}
