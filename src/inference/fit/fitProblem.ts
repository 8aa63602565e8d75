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
import { averageDensity, batches, batchesOf, type Gathered, gatheredFrom, rowsRead } from './batches.ts';
import { chosenEngine, computeWith, type FitThreads, ONE_THREAD } from './fitThreads.ts';

/** Relative difference of the log density at one point that other hardware or another engine may make. */
export const ENGINE_DIFFERENCE = 1e-6;

/** A model as a minimization problem: its tensors, which `dispose` gives back, and its solver's variables. */
export interface FitProblem {
  readonly model: Model;
  readonly seed: number;
  readonly layout: VariableLayout;
  /** Paths of the parameters that have one row a point. */
  readonly pointwise: readonly string[];
  /** The initial values, in the solver's variables: those of the option `start`, and the model's own for all others. */
  readonly start: Float64Array;
  /** Bounds and typical sizes of the solver's variables, when there are bounds. */
  readonly limits: { readonly bounds: Box; readonly scale: Float64Array } | undefined;
  /** Variables that the first iterations leave where they are. */
  readonly held: FrozenVariables | undefined;
  /** Minus the log density, of the solver's variables. */
  readonly objective: ObjectiveFunction;
  /** The objective on some of the rows at a time, for a fit in batches. */
  readonly inBatches: BatchedObjective | undefined;
  /** The linear algebra engine that was asked for; undefined where the environment says. */
  readonly engine: EngineChoice | undefined;
  /** The one that evaluates it. */
  readonly chosenEngine: EngineReport;
  readonly threads: FitThreads;
  /** Runs numerics on the float64 backend with that engine and these threads; nothing of the caller's. */
  compute<T>(work: () => T): T;
  /** Natural values by path. */
  valuesAt(x: Float64Array): ParameterValues;
  /** The solver's variables from natural values by path. */
  variablesAt(values: ParameterValues): Float64Array;
  /** Value and terms, without gradients; `measured` as {@link EvaluationOptions} have it. Works after `dispose` too, for a point that somebody kept. */
  densityAt(x: Float64Array, measured?: boolean): Omit<LogDensity, 'gradients'>;
  /** The same, and the model with the latents of all points, for a model whose observations are read some rows at a time. */
  readonly gather?: (x: Float64Array) => Promise<Gathered>;
  /** The model's findings about a result. */
  findingsAt(x: Float64Array): Findings | undefined;
  dispose(): void;
}

/** Minus the log density that a batch of the rows stands for: evaluation e sees the e-th batch. */
export interface BatchedObjective {
  /** Rows of each batch but the last of an epoch. */
  readonly size: number;
  /** Number of evaluations that go through all rows. */
  readonly perEpoch: number;
  /** The solver's variables that an evaluation sees: all but those of other batches' points. */
  placesOf(evaluation: number): Int32Array;
  /** Reads the rows of an evaluation, for models whose observations are read some rows at a time; awaited before it. */
  readonly ready?: (evaluation: number) => Promise<void>;
  /** Value, and gradient in the variables at those places. */
  at(x: Float64Array, evaluation: number): { readonly value: number; readonly gradient: Float64Array };
}

/** Options of {@link openProblem}. */
interface ProblemOptions {
  readonly seed: number;
  readonly engine?: EngineChoice | undefined;
  readonly threads?: FitThreads;
  readonly batchSize?: number | undefined;
  /** Where the search begins, in place of the model's own values. */
  readonly start?: GivenStart | undefined;
  /** Sees how far long work is. */
  readonly watch?: Watch;
}

/** Makes a model ready to be fitted. */
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
    // Values that a caller gives are not held back for the sake of the model's own start.
    held: start === undefined ? heldOf(assembly, layout) : undefined,
    objective: inBatches === undefined ? whole(objective) : scattered(inBatches, layout.size),
    inBatches,
    engine,
    chosenEngine: chosenEngine(engine),
    threads,
    compute,
    valuesAt: (x) => valuesByPath(layout, naturalAt(x)),
    variablesAt,
    ...(model.sourced !== undefined && {
      gather: (x: Float64Array) =>
        gatheredFrom(model, assembly, layout, naturalAt(x), { seed, batchSize: batchSize!, compute }),
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

/** A model that computes its solution: there is nothing to search. */
function computedProblem(given: Pick<FitProblem, 'model' | 'seed' | 'engine' | 'threads' | 'compute'>): FitProblem {
  const none = new Float64Array(0);
  return {
    ...given,
    layout: layOut({}),
    pointwise: [],
    start: none,
    limits: undefined,
    held: undefined,
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

/** The log density of all rows at natural values, without gradients: of one batch after the other where it was fitted so. */
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

/** The log density of all rows as that of one batch after the other, so that no tensor has all rows. */
function overBatches(at: (batch: Batch) => LogDensity, points: number, batchSize: number): LogDensity {
  const batchAt = batches(points, batchSize, 0);
  const parts = Array.from({ length: batchesOf(points, batchSize) }, (_, k) => at(batchAt(k)));
  return averageDensity(parts, points, batchSize);
}

/** The same, of one batch of rows after the other. */
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

/** The same with the gradient in all variables, 0 in those that a batch does not see. */
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

/** The same function at every evaluation, whatever its terms draw. */
function whole(objective: Objective): ObjectiveFunction {
  const { curvature } = objective;
  return Object.assign((x: Float64Array) => objective(x), curvature === undefined ? {} : { curvature });
}

/** Bounds and typical sizes of the variables; undefined where none has bounds. */
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

/** Natural values by path, or the fit that they are taken from. */
// biome-ignore lint/suspicious/noExplicitAny: the paths of a fit of any model.
export type GivenStart = GivenValues | FittedModel<any>;

const isFit = (given: GivenStart): given is FittedModel =>
  typeof given.toJSON === 'function' && typeof given.parameters === 'object';

/** Natural values by path from what a caller gave. The latents of a fit are left out where the model computes its own, as with back-constraints. */
export function valuesGiven({ variables }: VariableLayout, given: GivenStart): ParameterValues {
  if (typeof given !== 'object' || given === null) {
    throw new InvalidInputError(`start must be a fit, or natural values by path, but ${describe(given)} was given.`);
  }
  if (!isFit(given)) return givenValues(given as GivenValues);
  const hasLatents = variables.some(({ path }) => path === 'latents');
  return { ...given.parameters, ...(hasLatents && { latents: given.latents }) };
}

/**
 * The values at which a search starts.
 *
 * @throws InvalidInputError for an unknown path, a wrong shape, a value outside its support, and another value of a parameter that the model holds
 */
function startingValues(layout: VariableLayout, given: GivenStart): ParameterValues {
  const values = valuesGiven(layout, given);
  const natural = naturalEntries(layout, values);
  layout.variables.forEach(({ path, start, parameter }, i) => {
    const held = entriesOf(parameter.initial);
    if (start >= 0 || natural[i]!.every((entry, k) => Object.is(entry, held[k]))) return;
    throw new InvalidInputError(
      `The start has another value of '${path}' than the model, which holds it. Leave '${path}' out of start, or make a model that holds it at that value.`,
    );
  });
  return values;
}
