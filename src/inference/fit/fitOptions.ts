import * as v from 'valibot';
import { InvalidInputError, OptimizationError } from '../../core/errors.ts';
import type { NamedTable } from '../../core/namedTable.ts';
import { checkOptions, integer, integerFrom, numberFromZero, signalOption } from '../../core/options.ts';
import type { Watch } from '../../core/progressiveWork.ts';
import { shortNumber } from '../../core/wording.ts';
import { type EngineChoice, engineChoice } from '../../engine/dense/index.ts';
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

/** A limit of seconds that passed before there was anything to return. */
export class OutOfTime extends OptimizationError {
  /**
   * @param limit - maxSeconds
   * @param needed - how many seconds it takes to begin, as far as can be told
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

/** Work past the limit continues if it will finish within this many milliseconds, or within this part of the limit. */
const SHORT = 100;
const SHORT_PART = 0.1;

/**
 * Watches what is computed before there is anything to return.
 *
 * @param limit - maxSeconds
 * @param left - milliseconds that are left of it
 * @returns a function that throws {@link OutOfTime} once the limit has passed, unless the work is as good as done
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
 * Options of {@link fit} and {@link fitSteps}. A model that computes its solution, in closed form as `isomap` or step by step as `mvu`, refuses solver,
 * batches and restarts; the limits, the signal, checkpoints and workers are the same for all. One that is stopped before there is a solution has status
 * 'stopped', latents without rows, and the objective NaN.
 */
export interface FitOptions {
  /** Unless given, `lbfgs()`, or `lbfgsb()` for a model whose parameters have bounds that they may reach. */
  readonly solver?: Solver | undefined;
  /**
   * How many rows of the observations count at a time, for models that can be evaluated so, such as `bayesianGplvm`: every epoch goes through
   * all of them once, in an order of its own that the seed decides. The solver is then `adam()` unless given, for noisy gradients, with steps of
   * 0.05 that have halved after 20 epochs. The fit has converged when the bound averaged over an epoch has not risen in 5 of them.
   */
  readonly batchSize?: number | undefined;
  /** Most epochs of a fit in batches; default 100, or where `maxIterations`, which counts batches, says so. */
  readonly maxEpochs?: number | undefined;
  /** Most iterations from each start; default 1000, or 5000 of models of Gaussian processes with at most 300 points. 0 returns the initial point. */
  readonly maxIterations?: number | undefined;
  /** Most evaluations of the log density from each start, those of the fit that is resumed included, at least 1; default no limit. */
  readonly maxEvaluations?: number | undefined;
  /**
   * Seconds after which the fit stops and returns its best point so far, all starts together; default no limit. They are counted
   * from this call on, without those of the fit that is resumed, nor those that a caller of `fitSteps` lets pass between two steps, and looked at
   * whenever the thread is left.
   */
  readonly maxSeconds?: number | undefined;
  /**
   * Largest entry of the gradient in the solver's variables at which the fit has converged; default 1e-5, or what the model
   * says (0 where its solver ends by itself).
   */
  readonly tolerance?: number | undefined;
  /** Part of the objective that an iteration must gain for the fit to go on; default 1e-11, or what the model says. */
  readonly relativeDecrease?: number | undefined;
  /**
   * Where the search begins: natural values by path, such as `{ latents: X, 'mapping.noise': 0.1 }`, with the model's own values for all other
   * paths; or a fit of a model with the same paths, to go on from. It takes the place of the model's own start, and restarts move around it.
   */
  readonly start?: GivenStart | undefined;
  /** Seed of everything random; default 0. */
  readonly seed?: number | undefined;
  /**
   * Number of further starts beside the model's own, 0 unless given; the best result is kept, and `diagnostics.restarts` lists
   * the objective of each. They are drawn around the model's start from the seed: each column of the latents (and of any
   * other real matrix) moves by half its standard deviation times a standard normal, a real number or list by half its root
   * mean square, the logarithm of a positive parameter and the logit of a bounded one by a standard normal. As an object it says
   * where they begin, such as `{ count: 4, inits: ['pca', 'isomap'], width: 0.5 }`: see {@link Restarts}.
   */
  readonly restarts?: number | Restarts | undefined;
  /**
   * How many workers share the starts: Web Workers, or threads of Node. The result has the same bits whatever their number, but for the
   * native engine, which has its part of the processors in each.
   * They rebuild the model from its JSON, so parts of your own are given by their module, `{ count: 4, parts: './mine.js' }` (in Node, see {@link WorkersWithParts}),
   * or known to a worker file of your own: see {@link WorkerPool}.
   */
  readonly workers?: Workers | undefined;
  /**
   * Where to save the state of the fit: the path of a file (in Node), or a function that is given it, plain JSON, and awaited.
   * It is saved at the start, every `checkpointInterval` seconds and at the end of each start, as of the last whole iteration.
   * Where a file cannot be written later on, the fit goes on, and its message says so if that was so at the end.
   */
  readonly checkpoint?: string | ((checkpoint: Checkpoint) => unknown) | undefined;
  /** Seconds between two checkpoints: what a killed process loses at most; default 10. */
  readonly checkpointInterval?: number | undefined;
  /** A checkpoint of the same model, or the path of its file, to go on from; `seed` and `restarts` are then its own. */
  readonly resume?: string | Checkpoint | undefined;
  /**
   * Called at each start and after every iteration, and awaited; false, or a promise of it, stops the fit. One that throws or rejects
   * fails it with an OptimizationError. Once the fit is stopped, it is waited for two more seconds at most; so is `checkpoint`.
   */
  readonly onProgress?: ((step: FitStep) => unknown) | undefined;
  /**
   * The table that the observations come from. The fit remembers its columns and ids: `project`, `reconstruct` and `impute` then match the columns of
   * tables that they are given by name, and predictions name theirs.
   */
  readonly table?: NamedTable | undefined;
  /** Aborting it stops the fit before its next evaluation; it returns its best point so far. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Which linear algebra to use, in the fit and in what is done with its result: 'auto', WebAssembly wherever it runs and TypeScript
   * elsewhere, unless given or named by LATENTFIELD_ENGINE. `diagnostics.engine` says which it was, and `diagnostics.engineReason` why
   * WebAssembly does not run.
   */
  readonly engine?: EngineChoice | undefined;
  /**
   * Threads that share the large matrix operations of the WebAssembly engine: how many, which the fit starts and ends, those that
   * `startThreads` has started, or 'auto', one for each processor and four at most. Those that the fit starts do so in the background once it has done
   * so much that they pay, a number that is given sooner than 'auto', and join the fit when they are there. 'auto' unless given or named by
   * LATENTFIELD_THREADS. The result has the same bits whatever their number; where a number was asked for and there were none, `diagnostics.threadsReason`
   * says why. Workers, which share starts, have one thread each.
   */
  readonly threads?: number | 'auto' | Threads | undefined;
}

/** Options of a search by a solver. */
const OF_SEARCH = ['solver', 'batchSize', 'maxEpochs', 'restarts', 'start'] as const;

/** The options that `fit` takes for a model. */
export type OptionsOf<M> =
  M extends Model<infer _, infer __, 'byItself'> ? Omit<FitOptions, (typeof OF_SEARCH)[number]> : FitOptions;

const fromZero = v.pipe(v.number('a number from 0'), v.minValue(0, 'a number from 0'));
const startKinds = START_KINDS.map((kind) => `'${kind}'`).join(', ');
const isThreads = (value: unknown): value is Threads =>
  typeof value === 'object' && value !== null && 'count' in value && 'run' in value;

const schema = v.strictObject({
  solver: v.optional(v.any()),
  batchSize: v.optional(integerFrom(1)),
  maxEpochs: v.optional(integerFrom(0)),
  maxIterations: v.optional(integerFrom(0)),
  maxEvaluations: v.optional(integerFrom(1)),
  maxSeconds: v.optional(fromZero),
  tolerance: v.optional(fromZero),
  relativeDecrease: v.optional(fromZero),
  start: v.optional(v.looseObject({}, 'values by path, or a fit')),
  seed: v.optional(integer),
  restarts: v.optional(
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
  workers: v.optional(
    v.union(
      [integerFrom(1), v.looseObject({ count: integerFrom(1) })],
      'a whole number from 1, or workers of your own: { count, start } or { count, parts }',
    ),
  ),
  checkpoint: v.optional(
    v.union(
      [v.pipe(v.string(), v.minLength(1)), v.custom<(checkpoint: Checkpoint) => unknown>(isFunction)],
      'the path of a file or a function',
    ),
  ),
  checkpointInterval: v.optional(fromZero, 10),
  resume: v.optional(v.union([v.string(), v.looseObject({})], 'a checkpoint or the path of its file')),
  onProgress: v.optional(v.custom<(step: FitStep) => unknown>(isFunction, 'a function')),
  table: v.optional(v.any()),
  signal: signalOption,
  engine: v.optional(engineChoice),
  threads: v.optional(
    v.union(
      [integerFrom(1), v.literal('auto'), v.custom<Threads>(isThreads)],
      "a whole number from 1, 'auto', or what startThreads started",
    ),
  ),
});

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** Options with defaults filled in, where what is resumed has no say. */
export type FitSettings = Omit<
  v.InferOutput<typeof schema>,
  'solver' | 'restarts' | 'workers' | 'resume' | 'start' | 'relativeDecrease'
> & {
  /** Where all starts begin, where the option restarts was given. */
  readonly origins: readonly Origin[] | undefined;
  /** Iterations before the best start goes on alone, if it does. */
  readonly trialIterations: number | undefined;
  readonly relativeDecrease: number;
  readonly solver: Solver | undefined;
  readonly workers: Workers | undefined;
  readonly resume: string | object | undefined;
  readonly start: GivenStart | undefined;
};

/**
 * Checks what `fit` was given.
 *
 * @throws InvalidInputError for what is not a model, an unknown option or a value of the wrong kind
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
    // As they were given: a checked copy would have lost its class.
    ...inBatches(model, options),
    workers: options.workers,
    resume: checked.resume,
    start: options.start,
  };
}

/** Epochs of a fit in batches, unless given. */
const MOST_EPOCHS = 100;
/** The solver and the limit of a fit, in batches or not. */
function inBatches(
  model: Model,
  { batchSize, maxEpochs = MOST_EPOCHS, maxIterations, solver }: FitOptions,
): { solver: Solver | undefined; maxIterations: number | undefined } {
  if (batchSize === undefined) return { solver, maxIterations: maxIterations ?? model.search?.maxIterations };
  const perEpoch = batchesOf(model.points!, batchSize);
  return { solver: solver && stochastic(solver), maxIterations: maxIterations ?? maxEpochs * perEpoch };
}

const hasNone = (restarts: FitOptions['restarts']) => restarts !== undefined && originsOf(restarts).length === 1;

/** Refuses the options of a search by a solver, for a model that computes its solution. */
function refuseSearch({ name }: Model, options: FitOptions): void {
  const given = OF_SEARCH.filter(
    (option) => options[option] !== undefined && !(option === 'restarts' && hasNone(options.restarts)),
  );
  if (given.length === 0) return;
  throw new InvalidInputError(
    `The model '${name}' finds its solution by itself, so fit can do nothing with ${given.map((option) => `'${option}'`).join(', ')}: ` +
      `leave ${given.length === 1 ? 'it' : 'them'} out.`,
  );
}

/** Refuses batches for a model, a solver or workers that have no use for them. */
function checkBatches(model: Model, { batchSize, maxEpochs, solver, workers }: FitOptions): void {
  if (batchSize === undefined && model.sourced !== undefined) {
    throw new InvalidInputError(
      'Observations that are read some rows at a time are fitted in batches. Give their size, such as batchSize: 256.',
    );
  }
  if (batchSize === undefined) {
    if (maxEpochs === undefined) return;
    throw new InvalidInputError('maxEpochs is a limit of a fit in batches. Give batchSize too, or maxIterations.');
  }
  // Asked for only here: whether rows are independent takes the start of the model to say.
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
    throw new InvalidInputError('A fit in batches runs without workers. Leave out workers, or batchSize.');
  }
}

/** The solver with the knowledge that values of different batches cannot be compared. */
function stochastic(solver: Solver): Solver {
  return solver.stochastic ? solver : Object.freeze({ ...solver, stochastic: true });
}
