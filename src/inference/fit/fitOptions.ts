import * as v from 'valibot';
import { InvalidInputError, OptimizationError } from '../../core/errors.ts';
import type { NamedTable } from '../../core/namedTable.ts';
import {
  checkOptions,
  functionOf,
  integer,
  integerFrom,
  limitFromZero,
  numberFromZero,
  type OptionsIn,
  signalOption,
  typed,
} from '../../core/options.ts';
import type { Watch } from '../../core/progressiveWork.ts';
import { shortNumber } from '../../core/wording.ts';
import { engineChoice } from '../../engine/dense/index.ts';
import type { Threads } from '../../engine/threads.ts';
import { checkModelGiven } from '../../model/givenModel.ts';
import { type Model, START_KINDS } from '../../model/model.ts';
import type { Solver } from '../../model/solver.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import type { Workers } from '../workers/pool.ts';
import { batchesOf } from './batches.ts';
import type { FitStep } from './createFit.ts';
import type { GivenStart } from './fitProblem.ts';
import { type Origin, originsOf, type Restarts } from './restarts.ts';

/** Error if the limit of seconds passed before there was a result. */
export class OutOfTime extends OptimizationError {
  /**
   * @param limit - maxSeconds
   * @param needed - estimated seconds until the search begins
   */
  constructor(
    readonly limit: number,
    readonly needed: number,
  ) {
    super(
      `The limit of maxSeconds = ${limit} passed before the search had begun: its preparation, such as finding neighbors, takes about ${shortNumber(needed)} seconds. Raise the limit well above that, or give fewer points.`,
    );
  }
}

/** Work past the limit continues if it will finish within this many milliseconds, or within this fraction of the limit. */
const SHORT = 100;
const SHORT_PART = 0.1;

/**
 * Watches computations that run before there is a result.
 *
 * @param limit - maxSeconds
 * @param left - remaining milliseconds
 * @returns a function that throws {@link OutOfTime} once the limit has passed, unless the work is almost done
 */
export function beginsWithin(limit: number, left: () => number): Watch {
  let [began, first, done] = [0, 1, 1];
  return (part) => {
    const now = performance.now();
    // The time before the first pause of some work does not predict the rest.
    if (part <= done) [began, first] = [now, part];
    done = part;
    const late = -left();
    if (late < 0 || part === first) return;
    const rest = ((now - began) * (1 - part)) / (part - first);
    if (rest < Math.max(SHORT, 1000 * SHORT_PART * limit)) return;
    throw new OutOfTime(limit, limit + (late + rest) / 1000);
  };
}

/**
 * Options of {@link fit} and of `fitSteps` in `latentfield/inference`. Models that compute their solution, in closed form like `isomap` or iteratively like `mvu`, reject
 * solver, batches and restarts; limits, signal, checkpoints and workers apply to all models. If such a model is stopped before it has a solution, the
 * fit has status 'stopped', latents without rows, and objective NaN.
 */
export interface FitOptions extends OptionsIn<typeof schema> {}

/** Options that only a solver's search has. */
const OF_SEARCH = ['solver', 'batchSize', 'maxEpochs', 'restarts', 'start'] as const;

/** Options that `fit` accepts for a model. */
export type OptionsOf<M> =
  M extends Model<infer _, infer __, 'byItself'> ? Omit<FitOptions, (typeof OF_SEARCH)[number]> : FitOptions;

const startKinds = START_KINDS.map((kind) => `'${kind}'`).join(', ');
const isThreads = (value: unknown): value is Threads =>
  typeof value === 'object' && value !== null && 'count' in value && 'run' in value;

export const workersOption = v.optional(
  typed<Workers>(
    v.union(
      [integerFrom(1), v.looseObject({ count: integerFrom(1) })],
      'a whole number from 1, or workers of your own: { count, start } or { count, parts }',
    ),
  ),
);

/** Destination of checkpoints. */
export const checkpointOption = <C>() =>
  v.optional(
    v.union(
      [v.pipe(v.string(), v.minLength(1)), functionOf<(checkpoint: C) => unknown>()],
      'the path of a file or a function',
    ),
  );

/** Checkpoint to resume from, or the path of its file. */
export const resumeOption = <C extends object>() =>
  v.optional(typed<string | C>(v.union([v.string(), v.looseObject({})], 'a checkpoint or the path of its file')));

const schema = v.strictObject({
  /** Solver; default `lbfgs()`, or `lbfgsb()` if parameters have closed bounds. */
  solver: v.optional(typed<Solver>()),
  /**
   * Number of rows per evaluation, for models that support mini-batches, such as `bayesianGplvm`. Every epoch visits all rows once, in an order
   * determined by the seed. The default solver is then `adam()`, for noisy gradients, with steps of 0.05 that decrease to half after 20 epochs. The fit has
   * converged when the bound averaged over an epoch has not increased for 5 epochs.
   */
  batchSize: v.optional(integerFrom(1)),
  /** Maximum number of epochs of a mini-batch fit; default 100, or the number that `maxIterations`, which counts batches, allows. */
  maxEpochs: v.optional(integerFrom(0)),
  /** Maximum number of iterations from each start; default 1000, or 5000 for Gaussian process models with at most 300 points. 0 returns the initial point. */
  maxIterations: v.optional(integerFrom(0)),
  /** Maximum number of evaluations of the log density from each start, at least 1; a resumed fit counts its earlier evaluations. Default no limit. */
  maxEvaluations: v.optional(integerFrom(1)),
  /**
   * Seconds after which the fit stops and returns its best point so far, for all starts together; default no limit. The time is counted from this
   * call, without earlier time of a resumed fit and without pauses between the steps of `fitSteps`, and checked whenever the fit yields to the event
   * loop.
   */
  maxSeconds: v.optional(limitFromZero),
  /**
   * Largest entry of the gradient in the solver's variables at which the fit has converged; default 1e-5, or the model's default (0 if its solver has
   * a separate criterion).
   */
  tolerance: v.optional(limitFromZero),
  /**
   * Gain of an iteration per observed entry, in nats, below which the fit has converged (per variable for models without observations); default 1e-11,
   * or the model's default.
   */
  relativeDecrease: v.optional(limitFromZero),
  /**
   * Start of the search: natural values by path, such as `{ latents: X, 'mapping.noise': 0.1 }`, with the model's defaults for all other paths; or a
   * fit of a model with the same paths, which the search continues. It replaces the model's default start, and restarts are drawn around it.
   */
  start: v.optional(typed<GivenStart>(v.looseObject({}, 'values by path, or a fit'))),
  /** Seed of everything random; default 0. */
  seed: v.optional(integer),
  /**
   * Number of starts in addition to the model's default, default 0. The best result is kept, and `diagnostics.restarts` lists the objective of each.
   * They are drawn around the model's start from the seed: each column of the latents (and of any other real matrix) moves by half its standard
   * deviation times a standard normal, a real number or list by half its root mean square, the logarithm of a positive parameter and the logit of a
   * bounded one by a standard normal. An object also sets the initialization, such as `{ count: 4, inits: ['pca', 'isomap'], width: 0.5 }`: see
   * {@link Restarts}.
   */
  restarts: v.optional(
    typed<number | Restarts>(
      v.union(
        [
          integerFrom(0),
          v.strictObject({
            count: integerFrom(0),
            inits: v.optional(v.pipe(v.array(v.picklist(START_KINDS)), v.minLength(1, 'at least one start'))),
            width: v.optional(numberFromZero),
            trialIterations: v.optional(integerFrom(1)),
          }),
        ],
        `a whole number from 0, or { count, inits, width, trialIterations } with inits among ${startKinds}`,
      ),
    ),
  ),
  /**
   * Number of workers for the starts: Web Workers, or threads in Node. The result has the same bits for any number of workers, except with the native
   * engine, which shares the processors among them. Workers rebuild the model from its JSON. Custom parts are therefore passed as a module,
   * `{ count: 4, parts: './mine.js' }` (in Node, see `WorkersWithParts` of `latentfield/inference`), or registered in a custom worker file: see `WorkerPool` there.
   */
  workers: workersOption,
  /**
   * Destination of checkpoints: the path of a file (in Node), or a function that receives plain JSON and is awaited. The state is saved at the start,
   * every `checkpointInterval` seconds and at the end of each start, as of the last whole iteration. If a file cannot be written later, the fit
   * continues, and its message reports it if the last save failed.
   */
  checkpoint: checkpointOption<Checkpoint>(),
  /** Seconds between two checkpoints, which is the most work a killed process loses; default 10. */
  checkpointInterval: v.optional(limitFromZero, 10),
  /** Checkpoint of the same model to resume from, or the path of its file; `seed` and `restarts` are then read from it. */
  resume: resumeOption<Checkpoint>(),
  /**
   * Function that is called at each start and after every iteration, and awaited; returning or resolving to false stops the fit. If it throws or
   * rejects, the fit fails with an OptimizationError. Once the fit has been stopped, it is awaited for at most two more seconds; so is `checkpoint`.
   */
  onProgress: v.optional(functionOf<(step: FitStep) => unknown>()),
  /**
   * Table of the observations. The fit remembers its columns and ids: `project`, `reconstruct` and `impute` then match tables by column name, and
   * predictions have named columns.
   */
  table: v.optional(typed<NamedTable>()),
  /** Signal that stops the fit before its next evaluation; the fit returns its best point so far. */
  signal: signalOption,
  /**
   * Linear algebra engine of the fit and of computations with its result; default LATENTFIELD_ENGINE, or 'auto': WebAssembly if available, otherwise
   * TypeScript. `diagnostics.engine` reports the one in use, and `diagnostics.engineReason` why WebAssembly is unavailable.
   */
  engine: v.optional(engineChoice),
  /**
   * Threads that share large matrix operations of the WebAssembly engine: a number of threads that the fit starts and ends, threads from
   * `startThreads`, or 'auto' for one per processor, at most four. The fit starts threads in the background once it has done enough work for them to
   * pay off, earlier if a number was set, and uses them as soon as they are ready. Default LATENTFIELD_THREADS, or 'auto'. The result has the same
   * bits for any number of threads. If a number was set and threads are unavailable, `diagnostics.threadsReason` reports why. Workers, which share
   * starts, have one thread each.
   */
  threads: v.optional(
    v.union(
      [integerFrom(1), v.literal('auto'), v.custom<Threads>(isThreads)],
      "a whole number from 1, 'auto', or what startThreads started",
    ),
  ),
});

/** Options with defaults filled in, except for those that a checkpoint determines. */
export type FitSettings = Omit<
  v.InferOutput<typeof schema>,
  'solver' | 'restarts' | 'workers' | 'resume' | 'start' | 'relativeDecrease'
> & {
  /** Origins of all starts, if the option restarts was set. */
  readonly origins: readonly Origin[] | undefined;
  /** Iterations before only the best start continues, if limited. */
  readonly trialIterations: number | undefined;
  readonly relativeDecrease: number;
  readonly solver: Solver | undefined;
  readonly workers: Workers | undefined;
  readonly resume: string | object | undefined;
  readonly start: GivenStart | undefined;
};

/**
 * Checks the arguments of `fit`.
 *
 * @throws InvalidInputError for a value that is not a model, an unknown option or an option of the wrong type
 */
export function fitSettings(model: Model, options: FitOptions): FitSettings {
  checkModelGiven(model, 'fit');
  const { restarts, ...checked } = checkOptions(schema, options, 'fit');
  const origins = options.restarts === undefined ? undefined : originsOf(options.restarts);
  const elsewhere = origins?.find(({ init }) => init !== 'model');
  if (elsewhere !== undefined && model.startAt === undefined && model.solve === undefined) {
    throw new InvalidInputError(
      `The model '${model.name}' has no latents that could start at '${elsewhere.init}'. Leave inits out of restarts.`,
    );
  }
  if (model.solve !== undefined) refuseSearch(model, options);
  checkBatches(model, options);
  return {
    ...checked,
    origins,
    trialIterations: (restarts as Restarts | undefined)?.trialIterations,
    tolerance: checked.tolerance ?? model.search?.tolerance,
    relativeDecrease: checked.relativeDecrease ?? model.search?.relativeDecrease ?? 1e-11,
    // The originals: a checked copy would have lost its class.
    ...inBatches(model, options),
    workers: options.workers,
    resume: checked.resume,
    start: options.start,
  };
}

/** Default number of epochs of a mini-batch fit. */
const MOST_EPOCHS = 100;
/** Solver and limit of a fit, with or without batches. */
function inBatches(
  model: Model,
  { batchSize, maxEpochs = MOST_EPOCHS, maxIterations, solver }: FitOptions,
): { solver: Solver | undefined; maxIterations: number | undefined } {
  if (batchSize === undefined) return { solver, maxIterations: maxIterations ?? model.search?.maxIterations };
  const perEpoch = batchesOf(model.points!, batchSize);
  return { solver: solver && stochastic(solver), maxIterations: maxIterations ?? maxEpochs * perEpoch };
}

const hasNone = (restarts: FitOptions['restarts']) => restarts !== undefined && originsOf(restarts).length === 1;

/** Rejects options of a solver's search, for models that compute their solution. */
function refuseSearch({ name }: Model, options: FitOptions): void {
  const given = OF_SEARCH.filter(
    (option) => options[option] !== undefined && !(option === 'restarts' && hasNone(options.restarts)),
  );
  if (given.length === 0) return;
  throw new InvalidInputError(
    `The model '${name}' computes its solution directly, so fit cannot use ${given.map((option) => `'${option}'`).join(', ')}: ` +
      `leave ${given.length === 1 ? 'it' : 'them'} out.`,
  );
}

/** Rejects batches for models, solvers or workers that do not support them. */
function checkBatches(model: Model, { batchSize, maxEpochs, solver, workers }: FitOptions): void {
  if (batchSize === undefined && model.sourced !== undefined) {
    throw new InvalidInputError(
      'Observations that are read in blocks of rows are fitted in batches. Give their size, such as batchSize: 256.',
    );
  }
  if (batchSize === undefined) {
    if (maxEpochs === undefined) return;
    throw new InvalidInputError('maxEpochs is a limit of a fit in batches. Give batchSize too, or maxIterations.');
  }
  // Only here, because whether rows are independent depends on the start of the model.
  const { name, points } = model;
  if (points === undefined) {
    throw new InvalidInputError(
      `The model '${name}' cannot be evaluated on some of its rows. Leave batchSize out, or use bayesianGplvm.`,
    );
  }
  if (batchSize > points) {
    throw new InvalidInputError(`batchSize is at most ${points}, the number of points, but ${batchSize} was given.`);
  }
  if (solver !== undefined && solver.name !== 'adam' && !solver.stochastic) {
    throw new InvalidInputError(
      `The gradients of batches are noisy, which the solver '${solver.name}' cannot use. Leave solver out, or use adam().`,
    );
  }
  if (workers !== undefined) {
    throw new InvalidInputError('A fit in batches runs without workers. Omit workers or batchSize.');
  }
}

/** Solver that does not compare values of different batches. */
function stochastic(solver: Solver): Solver {
  return solver.stochastic ? solver : Object.freeze({ ...solver, stochastic: true });
}
