import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { isCount, isFiniteArray } from '../../core/finiteArray.ts';
import { givenOptions } from '../../core/given.ts';
import { checkOptions } from '../../core/options.ts';
import type { Iterate, Solver, SolverMemory, Step, Steps } from './solver.ts';

/** Options of {@link adam}. */
export interface AdamOptions {
  /** Largest step of a variable, positive, or a function of the iteration (from 1); 0.1 when left out. */
  readonly learningRate?: number | ((iteration: number) => number);
  /** Decay of the mean of gradients, in [0, 1); 0.9 when left out. */
  readonly beta1?: number;
  /** Decay of the mean of squared gradients, in [0, 1); 0.999 when left out. */
  readonly beta2?: number;
  /** Added to the root of the mean square, positive; 1e-8 when left out. */
  readonly epsilon?: number;
  /** Whether the objective is a different one each time, as with minibatches: the last point is then the result. */
  readonly stochastic?: boolean;
}

const decay = 'a number in [0, 1)';
const positive = 'a positive number';
const decaySchema = v.pipe(v.number(decay), v.minValue(0, decay), v.ltValue(1, decay));
const positiveSchema = v.pipe(v.number(positive), v.gtValue(0, positive), v.finite(positive));
const schema = v.strictObject({
  learningRate: v.optional(
    v.union([positiveSchema, v.function()], 'a positive number, or a function of the iteration that returns one'),
  ),
  beta1: v.optional(decaySchema, 0.9),
  beta2: v.optional(decaySchema, 0.999),
  epsilon: v.optional(positiveSchema, 1e-8),
  stochastic: v.optional(v.boolean('true or false'), false),
});

const LEARNING_RATE = 0.1;

const MOST_HALVINGS = 50;

/**
 * Adam: steps by the running mean of the gradient over the root of the running mean of its square, both corrected for
 * their start at zero. One evaluation an iteration; suits objectives that differ from call to call.
 *
 * x ← x − η·m̂ / (√v̂ + ε). A step to where the objective is not finite is halved until it is. The steps do not shrink by
 * themselves: let `learningRate` fall with the iteration to come closer than η to a minimum. The decrease of the value is
 * no termination test here.
 *
 * @param options - see {@link AdamOptions}
 * @returns a frozen description of the solver, to be given to `minimize` or `fit`
 * @throws InvalidInputError for an unknown option or one out of its range
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
    options: { learningRate, beta1, beta2, epsilon, stochastic },
    begin(iterate: Iterate, _box: unknown, given?: SolverMemory) {
      const size = iterate.x.length;
      if (given !== undefined) checkMoments(given, size);
      const memory = given ?? { mean: new Float64Array(size), square: new Float64Array(size), iteration: 0 };
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
  /** Running mean of its square. */
  readonly square: Float64Array;
  iteration: number;
}

interface Rule {
  readonly rate: (iteration: number) => number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
}

function* descend(iterate: Iterate, moments: Moments, { rate, beta1, beta2, epsilon }: Rule): Steps {
  const { mean, square } = moments;
  const size = mean.length;
  const direction = new Float64Array(size);
  const point = new Float64Array(size);
  const request: Step = { kind: 'evaluate', point };

  for (;;) {
    const iteration = moments.iteration + 1;
    let step = rate(iteration);
    if (!(step > 0 && step < Number.POSITIVE_INFINITY)) {
      throw new InvalidInputError(
        `The learningRate of adam must be a positive number at every iteration, but at ${iteration} it is ${step}.`,
      );
    }
    const { gradient } = iterate;
    const meanCorrection = 1 - beta1 ** iteration;
    const squareCorrection = 1 - beta2 ** iteration;
    for (let i = 0; i < size; i++) {
      const first = beta1 * mean[i]! + (1 - beta1) * gradient[i]!;
      const second = beta2 * square[i]! + (1 - beta2) * gradient[i]! * gradient[i]!;
      direction[i] = -first / meanCorrection / (Math.sqrt(second / squareCorrection) + epsilon);
    }
    let evaluation = { value: Number.NaN, gradient };
    for (let halvings = 0; Number.isNaN(evaluation.value); halvings++) {
      if (halvings > MOST_HALVINGS) {
        return {
          status: 'failed',
          reason: `the objective is not finite anywhere along the step, down to ${step} of it`,
        };
      }
      for (let i = 0; i < size; i++) point[i] = iterate.x[i]! + step * direction[i]!;
      evaluation = yield request;
      step /= 2;
    }
    for (let i = 0; i < size; i++) {
      mean[i] = beta1 * mean[i]! + (1 - beta1) * gradient[i]!;
      square[i] = beta2 * square[i]! + (1 - beta2) * gradient[i]! * gradient[i]!;
    }
    moments.iteration = iteration;
    iterate.x.set(point);
    iterate.gradient.set(evaluation.gradient);
    iterate.value = evaluation.value;
    yield { kind: 'iteration', comparable: false };
  }
}

function checkMoments({ mean, square, iteration }: SolverMemory, size: number): void {
  const fits = isFiniteArray(mean, size) && isFiniteArray(square, size) && isCount(iteration);
  if (fits && square.every((entry) => entry >= 0)) return;
  throw new InvalidInputError(
    `The state given to adam does not hold the moments of ${size} variables. Resume with the problem that it was saved from.`,
  );
}
