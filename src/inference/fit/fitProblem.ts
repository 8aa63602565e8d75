import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import type { Watch } from '../../core/progressiveWork.ts';
import type { EngineChoice, EngineReport } from '../../engine/dense/index.ts';
import type { FittedModel } from '../../model/fit.ts';
import { assemblyOf } from '../../model/givenModel.ts';
import type { Assembly, Batch, Findings, Model, ParameterValues } from '../../model/model.ts';
import { type LogDensity, logDensity, type Objective, objectiveOf } from '../../model/objective.ts';
import { type GivenValues, givenValues } from '../../model/open.ts';
import type { Box } from '../../model/solver.ts';
import { entriesOf } from '../../model/transform.ts';
import {
  checkPointwise,
  layOut,
  naturalEntries,
  placesOf,
  seenEntries,
  toNatural,
  toUnconstrained,
  type VariableLayout,
  valuesByPath,
} from '../../model/variables.ts';
import type { ObjectiveFunction } from '../minimize/scaledObjective.ts';
import type { FrozenVariables } from '../solvers/frozenVariables.ts';
import { averageDensity, batches, batchesOf, rowsRead } from './batches.ts';
import type { Gathered } from './batchObjective.ts';
import { chosenEngine, computeWith, type FitThreads, ONE_THREAD } from './fitThreads.ts';

/** Tolerated relative difference of the log density at one point between hardware or engines. */
export const ENGINE_DIFFERENCE = 1e-6;

/** Model as a minimization problem in the solver's variables, with tensors that `dispose` releases. */
export interface FitProblem {
  readonly model: Model;
  readonly seed: number;
  readonly layout: VariableLayout;
  /** Paths of the parameters with one row per point. */
  readonly pointwise: readonly string[];
  /** Initial values in the solver's variables: the option `start`, completed by the model's defaults. */
  readonly start: Float64Array;
  /** Bounds and typical sizes of the solver's variables, if any variable has bounds. */
  readonly limits: { readonly bounds: Box; readonly scale: Float64Array } | undefined;
  /** Variables that are frozen during the first iterations. */
  readonly held: FrozenVariables | undefined;
  /** Number of observed entries, or of variables without any: the size of a log density, up to constants. */
  readonly size: number;
  /** Minus the log density, of the solver's variables. */
  readonly objective: ObjectiveFunction;
  /** Mini-batch objective, for a fit in batches. */
  readonly inBatches: BatchedObjective | undefined;
  /** Requested linear algebra engine; undefined for the default of the environment. */
  readonly engine: EngineChoice | undefined;
  /** Engine in use. */
  readonly chosenEngine: EngineReport;
  readonly threads: FitThreads;
  /** Runs numerics on the float64 backend with that engine and these threads; never runs the caller's code. */
  compute<T>(work: () => T): T;
  /** Natural values by path. */
  valuesAt(x: Float64Array): ParameterValues;
  /** The solver's variables from natural values by path. */
  variablesAt(values: ParameterValues): Float64Array;
  /** Value and terms, without gradients; `measured` as in {@link EvaluationOptions}. Works after `dispose` too, for points that were kept. */
  densityAt(x: Float64Array, measured?: boolean): Omit<LogDensity, 'gradients'>;
  /** Log density, and the model with the latents of all points, for a model whose observations are read in chunks of rows. */
  readonly gather?: (x: Float64Array) => Promise<Gathered>;
  /** Findings of the model about a result. */
  findingsAt(x: Float64Array): Findings | undefined;
  dispose(): void;
}

/** Negative log density estimated from a batch of rows: evaluation e uses the e-th batch. */
export interface BatchedObjective {
  /** Rows per batch; the last batch of an epoch may be smaller. */
  readonly size: number;
  /** Number of evaluations per epoch. */
  readonly perEpoch: number;
  /** Indices of the solver's variables in an evaluation: all except the points of other batches. */
  placesOf(evaluation: number): Int32Array;
  /** Reads the rows of an evaluation, for models whose observations are read in chunks of rows; awaited before it. */
  readonly ready?: (evaluation: number) => Promise<void>;
  /** Value, and gradient in the variables at these indices. */
  at(x: Float64Array, evaluation: number): { readonly value: number; readonly gradient: Float64Array };
}

/** Options of {@link openProblem}. */
interface ProblemOptions {
  readonly seed: number;
  readonly engine?: EngineChoice | undefined;
  readonly threads?: FitThreads;
  readonly batchSize?: number | undefined;
  /** Start of the search instead of the model's default values. */
  readonly start?: GivenStart | undefined;
  /** Watches the progress of long computations. */
  readonly watch?: Watch;
}

/** Prepares a model for fitting. */
export function openProblem(
  model: Model,
  { seed, engine, threads = ONE_THREAD, batchSize, start, watch }: ProblemOptions,
): FitProblem {
  const compute = computeWith(engine, threads, watch);
  if (model.solve !== undefined) return computedProblem({ model, seed, engine, threads, compute });
  const assemble = () => compute(() => assemblyOf(model, seed, { batched: batchSize !== undefined }));
  const assembly = assemble();
  const layout = layOut(assembly.parameters);
  const objective = objectiveOf(assembly, layout, seed);
  const inBatches = batchSize === undefined ? undefined : batched(objective, assembly, layout, model, batchSize, seed);
  // Changes of variables may have products of matrices in them.
  const naturalAt = (x: Float64Array) => compute(() => toNatural(layout, x));
  const variablesAt = (values: ParameterValues) =>
    compute(() => toUnconstrained(layout, naturalEntries(layout, values)));
  let disposed = false;
  return {
    model,
    seed,
    layout,
    pointwise: assembly.pointwise ?? [],
    start: variablesAt(start === undefined ? {} : startingValues(layout, start)),
    limits: limitsOf(layout),
    // Values from the caller are not fixed at first, as the model's default start may be.
    held: start === undefined ? heldOf(assembly, layout) : undefined,
    size: assembly.observed || layout.size || 1,
    objective: inBatches === undefined ? whole(objective) : scattered(inBatches, layout.size),
    inBatches,
    engine,
    chosenEngine: chosenEngine(engine),
    threads,
    compute,
    valuesAt: (x) => valuesByPath(layout, naturalAt(x)),
    variablesAt,
    ...(model.sourced !== undefined && {
      gather: async (x: Float64Array) => {
        const { gatheredFrom } = await import('../../later.ts');
        return gatheredFrom(model, assembly, layout, naturalAt(x), { seed, batchSize: batchSize!, compute });
      },
    }),
    densityAt(x, measured) {
      const current = disposed ? assemble() : assembly;
      try {
        return compute(() => densityOf(model, current, layout, toNatural(layout, x), { seed, batchSize, measured }));
      } finally {
        if (current !== assembly) current.dispose();
      }
    },
    findingsAt: (x) => compute(() => assembly.findings?.(valuesByPath(layout, naturalAt(x)))),
    dispose() {
      if (!disposed) assembly.dispose();
      disposed = true;
    },
  };
}

/** Problem of a model that computes its solution: there is no search. */
function computedProblem(given: Pick<FitProblem, 'model' | 'seed' | 'engine' | 'threads' | 'compute'>): FitProblem {
  const none = new Float64Array(0);
  return {
    ...given,
    layout: layOut({}),
    pointwise: [],
    start: none,
    limits: undefined,
    held: undefined,
    size: 1,
    objective: () => ({ value: Number.NaN, gradient: none }),
    inBatches: undefined,
    chosenEngine: chosenEngine(given.engine),
    valuesAt: () => ({}),
    variablesAt: () => none,
    densityAt: () => ({ value: Number.NaN, terms: {}, jitter: 0 }),
    findingsAt: () => undefined,
    dispose: () => undefined,
  };
}

/** Log density of all rows at natural values, without gradients, batch by batch if it was fitted in batches. */
export function densityOf(
  { points }: Pick<Model, 'points'>,
  assembly: Assembly,
  layout: VariableLayout,
  natural: readonly Float64Array[],
  {
    seed,
    batchSize,
    measured = false,
  }: { readonly seed: number; readonly batchSize?: number | undefined; readonly measured?: boolean | undefined },
): LogDensity {
  const at = (batch?: Batch) => {
    const seen = seenEntries(layout, natural, assembly.pointwise, batch);
    return logDensity(assembly, layout, seen, { differentiated: false, seed, measured, ...(batch && { batch }) });
  };
  return batchSize === undefined ? at() : overBatches(at, points!, batchSize);
}

/** Log density of all rows, batch by batch, so that no tensor has all rows. */
function overBatches(at: (batch: Batch) => LogDensity, points: number, batchSize: number): LogDensity {
  const batchAt = batches(points, batchSize, 0);
  const parts = Array.from({ length: batchesOf(points, batchSize) }, (_, k) => at(batchAt(k)));
  return averageDensity(parts, points, batchSize);
}

/** Minimization problem of a model fitted in batches. */
function batched(
  objective: Objective,
  { pointwise }: Assembly,
  layout: VariableLayout,
  { points: N, sourced }: Model,
  batchSize: number,
  seed: number,
): BatchedObjective {
  const points = N!;
  checkPointwise(layout, pointwise, points);
  const batchAt = batches(points, batchSize, seed);
  const read = sourced && rowsRead(sourced, batchAt);
  return {
    size: batchSize,
    perEpoch: batchesOf(points, batchSize),
    placesOf: (evaluation) => placesOf(layout, pointwise, batchAt(evaluation)),
    ...(read && { ready: read.ready }),
    at: (x, iteration) => objective(x, { iteration, batch: { ...batchAt(iteration), ...read?.of(iteration) } }),
  };
}

/** Batch objective with the gradient in all variables, 0 for variables outside the batch. */
function scattered({ at, placesOf: placesAt }: BatchedObjective, size: number): ObjectiveFunction {
  return (x, { iteration } = { iteration: 0 }) => {
    const { value, gradient: own } = at(x, iteration);
    const gradient = new Float64Array(size);
    placesAt(iteration).forEach((place, k) => {
      gradient[place] = own[k]!;
    });
    return { value, gradient };
  };
}

/** Full-data objective, with the same random draws at every evaluation. */
function whole(objective: Objective): ObjectiveFunction {
  const { curvature } = objective;
  return Object.assign((x: Float64Array) => objective(x), curvature === undefined ? {} : { curvature });
}

/** Bounds and typical sizes of the variables; undefined if none has bounds. */
export function limitsOf({ variables, size }: VariableLayout): FitProblem['limits'] {
  if (variables.every(({ parameter, start }) => start < 0 || parameter.support !== 'box')) return undefined;
  const lower = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  const upper = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  const scale = new Float64Array(size).fill(1);
  for (const { parameter, start, size: entries } of variables) {
    if (start < 0 || parameter.support !== 'box') continue;
    lower.fill(parameter.lower, start, start + entries);
    upper.fill(parameter.upper, start, start + entries);
    if (parameter.scale !== undefined) scale.set(parameter.scale, start);
  }
  return { bounds: { lower, upper }, scale };
}

function heldOf({ held }: Assembly, { variables }: VariableLayout): FrozenVariables | undefined {
  if (held === undefined) return undefined;
  const places = variables
    .filter(({ path, start }) => start >= 0 && held.paths.includes(path))
    .flatMap(({ start, size }) => Array.from({ length: size }, (_, i) => start + i));
  return places.length === 0 ? undefined : { variables: Int32Array.from(places), iterations: held.iterations };
}

/** Natural values by path, or a fit that supplies them. */
// biome-ignore lint/suspicious/noExplicitAny: the paths of a fit of any model.
export type GivenStart = GivenValues | FittedModel<any>;

const isFit = (given: GivenStart): given is FittedModel =>
  typeof given.toJSON === 'function' && typeof given.parameters === 'object';

/** Natural values by path from the caller's argument. The latents of a fit are left out if the model computes its latents, as with back-constraints. */
export function valuesGiven({ variables }: VariableLayout, given: GivenStart): ParameterValues {
  if (typeof given !== 'object' || given === null) {
    throw new InvalidInputError(`start must be a fit, or natural values by path, but ${describe(given)} was given.`);
  }
  if (!isFit(given)) return givenValues(given as GivenValues);
  const hasLatents = variables.some(({ path }) => path === 'latents');
  return { ...given.parameters, ...(hasLatents && { latents: given.latents }) };
}

/**
 * Initial values of a search.
 *
 * @throws InvalidInputError for an unknown path, a wrong shape, a value outside its support, and a different value of a fixed parameter
 */
function startingValues(layout: VariableLayout, given: GivenStart): ParameterValues {
  const values = valuesGiven(layout, given);
  const natural = naturalEntries(layout, values);
  layout.variables.forEach(({ path, start, parameter }, i) => {
    const held = entriesOf(parameter.initial);
    if (start >= 0 || natural[i]!.every((entry, k) => Object.is(entry, held[k]))) return;
    throw new InvalidInputError(
      `The start has a different value of '${path}' than the model, which fixes it. Leave '${path}' out of start, or make a model that fixes it at that value.`,
    );
  });
  return values;
}
