import { InvalidInputError } from '../../core/errors.ts';
import { entryInWords, Matrix } from '../../core/matrix.ts';
import { type FittedTable, matchedObservations } from '../../core/namedTable.ts';
import { firstNotFinite, positiveZeros, withPlainNumbers } from '../../core/plainNumbers.ts';
import { checksums } from '../../core/saved.ts';
import { type EngineChoice, type EngineReport, withEngine } from '../../engine/dense/index.ts';
import { sharedMemory } from '../../engine/memory.ts';
import type { AnyAbilities, PredictedLatents } from '../../model/abilities.ts';
import { approximationsInWords } from '../../model/approximation.ts';
import {
  DIVIDED,
  type Fit,
  type FitDiagnostics,
  type FitJSON,
  type FitOutcome,
  type FitStatus,
  type FittedModel,
  type TraceEntry,
} from '../../model/fit.ts';
import type { AnyModel, Model } from '../../model/model.ts';
import { outsideSupport } from '../../model/parameter.ts';
import { type AnyPosterior, type Prediction, rememberPosterior } from '../../model/posterior.ts';
import { type Abilities, abilitiesOf, withGraph } from './abilities.ts';
import type { Gathered } from './batchObjective.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Point, Stage } from './run.ts';
import { warnedOutcome } from './warnings.ts';

/** State of a fit after an iteration; expensive members are computed on first access. */
export interface FitStep<F = Fit> extends TraceEntry {
  /** Number of the start: 0 is the model's default start, the others belong to `restarts`. */
  readonly start: number;
  /** Number of passes through all rows, for mini-batch fits. */
  readonly epoch?: number;
  /** Current stage of a model that computes its solution, for steps between iterations. */
  readonly stage?: Stage;
  /** Latents at the best point of this start so far, N×q; without rows until a computation has an embedding. */
  readonly latents: Matrix;
  /** Fit at that point, with predictions and all other abilities. `structuredClone` omits it and copies the rest. */
  result(): F;
}

/** Progress of a fit up to a point. */
export interface FitState {
  readonly trace: readonly TraceEntry[];
  readonly status: FitStatus;
  readonly message: string;
  readonly diagnostics: Omit<
    FitDiagnostics,
    | keyof EngineReport
    | 'threads'
    | 'threadsReason'
    | 'seed'
    | 'batchSize'
    | 'jitter'
    | 'covarianceRank'
    | 'approximations'
  >;
}

/** Builds the fit at a point of the solver's variables. */
export function fitFrom(problem: FitProblem, { x }: Point, course: FitState, gathered?: Gathered): Fit {
  if (problem.gather !== undefined && gathered === undefined) throw isOnItsWay('result');
  const density = gathered ?? problem.densityAt(x, true);
  const { value: objective, terms, jitter, drowned, rank, approximations = [] } = density;
  const note = approximationsInWords(approximations) + vanishing(problem, x, course.status);
  const values = problem.valuesAt(x);
  const outcome = outcomeFrom(problem, { values, objective, terms, jitter, rank, approximations, note }, course);
  const model = gathered?.model ?? problem.model;
  return createFit(model, notDrowned(drowned, withinSupports(problem, outcome)), problem.engine);
}

/** Outcome of a fit with these values. */
export function outcomeFrom(
  problem: FitProblem,
  { values, objective, terms, jitter, rank, approximations, note }: Found,
  { diagnostics, ...course }: FitState,
): FitOutcome {
  const { chosenEngine, threads } = problem;
  return {
    ...{ values, objective, terms },
    ...course,
    message: course.message + note,
    diagnostics: {
      ...chosenEngine,
      ...threads.diagnostics(),
      seed: problem.seed,
      ...(problem.inBatches !== undefined && { batchSize: problem.inBatches.size }),
      jitter,
      ...(rank !== undefined && { covarianceRank: rank }),
      approximations,
      ...diagnostics,
    },
  };
}

/** Marks a fit as failed if jitter exceeds the mean square of the observations: the jitter then explains them. */
function notDrowned(meanSquare: number | undefined, outcome: FitOutcome): FitOutcome {
  const { status } = outcome;
  if (meanSquare === undefined || (status !== 'converged' && status !== 'failed')) return outcome;
  const message =
    `Failed: the covariance has a factor only once ${outcome.diagnostics.jitter.toPrecision(3)} is added to its diagonal, more than the mean square of the observations, ` +
    `${meanSquare.toPrecision(3)}. Divide the observations by their size, or start variances and noise near their mean square.${status === 'failed' ? '' : ` ${outcome.message}`}`;
  return { ...outcome, status: 'failed', message };
}

/** Marks a fit as failed if a transform has rounded a value to the border of its support, such as a variance to 0. */
function withinSupports({ layout }: FitProblem, outcome: FitOutcome): FitOutcome {
  if (outcome.status === 'failed') return outcome;
  for (const { path, parameter } of layout.variables) {
    const wrong = outsideSupport(parameter, outcome.values[path]!);
    if (wrong === undefined) continue;
    const came = wrong.entry === undefined ? '' : `, but the search reached ${wrong.entry}`;
    const message =
      `Failed: '${path}'${wrong.place} must be ${wrong.range}${came}. ` +
      `The objective grows toward this border: give it a prior that vanishes there, fix it with fixed(…), or divide the observations by their size if a variance reached 0. ${outcome.message}`;
    return { ...outcome, status: 'failed', message };
  }
  return outcome;
}

/** Values found at a point. */
export interface Found extends Pick<FitOutcome, 'values' | 'objective' | 'terms'> {
  readonly jitter: number;
  readonly rank?: number | undefined;
  readonly approximations: FitDiagnostics['approximations'] & object;
  /** Sentences for the message. */
  readonly note: string;
}

/** Factor of decrease since the start below which a positive parameter counts as vanishing. */
const VANISHED = 1e-8;

/** Path of a kernel's variance; zero variance switches a kernel off. */
const VARIANCE_OF_KERNEL = /(^|\.)kernel\.(.*\.)?variance$/;

/**
 * Reports vanishing positive parameters: a density that is unbounded there is why a fit continues without end, or fails. A fit that converges may
 * have switched off a kernel that it did not need.
 */
function vanishing({ layout, start }: FitProblem, x: Float64Array, status: FitStatus): string {
  const paths = layout.variables.flatMap(({ path, parameter, start: at, width, transform }) => {
    if (at < 0 || parameter.support !== 'positive') return [];
    if (status === 'converged' && VARIANCE_OF_KERNEL.test(path)) return [];
    const now = transform.toNatural(x.subarray(at, at + width));
    const first = transform.toNatural(start.subarray(at, at + width));
    return now.some((value, i) => value < VANISHED * first[i]!) ? [`'${path}'`] : [];
  });
  if (paths.length === 0) return '';
  return (
    ` ${paths.join(' and ')} went to 0, where the density may have no bound. ` +
    'Repeated or noise-free observations do this to the noise. Fix it with fixed(…), { "fixed": … } in JSON, or give it a prior.'
  );
}

export function isOnItsWay(what: string): InvalidInputError {
  return new InvalidInputError(
    `The ${what} of a fit whose observations are read in blocks of rows takes a pass through all of them, and is there at its end only.`,
  );
}

/**
 * Builds a fit from its model and the result of the optimizer or the content of a file. It has exactly the members that the model's posterior supports.
 *
 * @param engine - linear algebra engine of all computations with the fit; undefined for the default of the environment
 * @param isCalibrated - default of `calibrated`: true for point fits, false for draws
 */
export function createFit<P, A>(
  model: Model<P, A>,
  found: FitOutcome,
  engine?: EngineChoice,
  isCalibrated = true,
): Fit<P, A> {
  const outcome = positiveZeros(found);
  const made: AnyPosterior = withEngine(sharedMemory(), engine, () => model.posterior(outcome.values));
  if (!(made.latents instanceof Matrix)) {
    throw new InvalidInputError(
      `The posterior of the model '${model.name}' has no latents. Return a Matrix, one row per point.`,
    );
  }
  const { table } = model;
  const posterior = posteriorOn(engine, made);
  const { values, objective, status, message, ...records } = finiteOutcome(warnedOutcome(outcome, made), made);
  const [terms, trace, diagnostics] = [frozen(records.terms), frozen(records.trace), frozen(records.diagnostics)];
  // In one order, however the fit came about: its text is then the same too.
  const rest = { objective, terms, trace, status, message, diagnostics };
  const { latents: _, ...parameters } = values;
  const fitted: Omit<FittedModel, 'latents'> & { readonly latents?: Matrix } = {
    model: model.name,
    // A model whose variables are observed alone has none.
    ...(posterior.latents.columns > 0 && { latents: posterior.latents }),
    ...(table !== undefined && { table }),
    ...rest,
    parameters: Object.freeze(parameters),
    toJSON: () => savedFit(model, values, { ...rest, ...(table !== undefined && { table }) }),
  };
  const abilities: Abilities = namingColumns(
    abilitiesOf(posterior, (Y) => matchedObservations(Y, table), isCalibrated),
    table,
  );
  const evidence = posterior.distribution === undefined ? {} : { evidence: boundOf(terms) };
  // The posterior provides what the model's types promise: the conformance kit tests that.
  const members = withGraph({ ...fitted, ...evidence, ...abilities }, posterior);
  // Not among the members that are listed: notebooks ask for it by its symbol.
  const whole = Object.freeze(Object.defineProperty(members, NOTEBOOK, { value: () => displayed(fitted) }));
  return rememberPosterior(whole, posterior) as unknown as Fit<P, A>;
}

/** Frozen copy of a record or list, including nested lists and records; the search continues with the original. */
function frozen<T>(record: T): T {
  if (Array.isArray(record)) return Object.freeze(record.map(frozen)) as T;
  if (typeof record !== 'object' || record === null || Object.getPrototypeOf(record) !== Object.prototype)
    return record;
  return Object.freeze(Object.fromEntries(Object.entries(record).map(([key, entry]) => [key, frozen(entry)]))) as T;
}

/** Symbol under which JavaScript notebooks (Deno's Jupyter kernel, and Quarto with it) look up how to display a value. */
const NOTEBOOK = Symbol.for('Jupyter.display');

async function displayed(fitted: Omit<FittedModel, 'latents'> & { readonly latents?: Matrix }) {
  const { notebookDisplay } = await import('../../later.ts');
  return notebookDisplay(fitted);
}

function savedFit(
  model: AnyModel,
  values: FitOutcome['values'],
  rest: Omit<FitOutcome, 'values'> & Pick<FitJSON, 'table'>,
): FitJSON {
  const entries = Object.entries(values).map(([path, value]) => [
    path,
    value instanceof Matrix ? value.toArrays() : value,
  ]);
  const saved = {
    format: 'latentfield-fit',
    version: 2,
    model: model.toJSON(),
    ...withPlainNumbers({ values: Object.fromEntries(entries), ...rest }),
  } as const;
  return { ...saved, checksums: checksums(saved, DIVIDED) };
}

/** Bound on the log density of the observations, without priors of hyperparameters. */
function boundOf(terms: FitOutcome['terms']): number {
  return Object.entries(terms).reduce((sum, [name, part]) => (name.startsWith('hyper.') ? sum : sum + part), 0);
}

/** Sets the status to 'failed' if the objective, latents or eigenvalues are not finite, regardless of the model or solver, with a message that names them. */
function finiteOutcome(outcome: FitOutcome, { latents, eigenvalues }: AnyPosterior): FitOutcome {
  const place = firstNotFinite(latents.data);
  const broken = [
    ...(Number.isFinite(outcome.objective) ? [] : [`the objective is ${outcome.objective}`]),
    ...(place < 0 ? [] : [`in the latents, ${entryInWords(latents, place)}`]),
    ...(eigenvalues === undefined || eigenvalues.every(Number.isFinite) ? [] : ['an eigenvalue is not finite']),
  ];
  if (broken.length === 0 || outcome.status === 'failed') return outcome;
  const message = `Failed: ${broken.join(' and ')}. Look for points that are the same, columns that are constant and entries of very different size.`;
  return { ...outcome, status: 'failed', message: `${message} ${outcome.message}` };
}

/** Wraps members so that their computations run on one engine. */
type During = <T>(work: () => T) => T;

/** Returns a part whose functions and lazily computed members run on an engine. */
type Place = (part: object, during: During) => object;

/** Parts of a posterior that run computations. */
const PARTS: Readonly<Record<string, Place>> = {
  mapping: placed({}),
  placement: placed({}),
  distribution: placed({}),
  field: placed({}),
  missing: placed({}),
  variables: placed({
    missingEntries: placed({}),
    uncalibrated: placed({ leavingOut: placed({}) }),
    leavingOut: placed({}),
  }),
};

/** Posterior whose computations run on an engine; unchanged if none was chosen. Lazily computed members, such as the graph of a layer, stay lazy. */
export function posteriorOn(engine: EngineChoice | undefined, posterior: AnyPosterior): AnyPosterior {
  if (engine === undefined) return posterior;
  return placed(PARTS)(posterior, (work) => withEngine(sharedMemory(), engine, work)) as AnyPosterior;
}

function placed(parts: Readonly<Record<string, Place>>): Place {
  return (part, during) => {
    const read = (name: string) => {
      const member: unknown = during(() => Reflect.get(part, name));
      const place = parts[name];
      if (typeof member === 'function') {
        return (...given: unknown[]) => {
          const found = during(() => member.apply(part, given));
          return place === undefined ? found : place(found, during);
        };
      }
      return place !== undefined && typeof member === 'object' && member !== null ? place(member, during) : member;
    };
    const members = Object.keys(part).map((name) => [name, { get: () => read(name), enumerable: true }]);
    return Object.defineProperties({}, Object.fromEntries(members));
  };
}

/** Abilities of a fit with named columns in their predictions. */
function namingColumns(abilities: Abilities, table: FittedTable | undefined): Abilities {
  if (table === undefined || 'translate' in abilities) return abilities;
  const { impute, predict, interpolate, forecast } = abilities as Partial<AnyAbilities>;
  const { columns } = table;
  const named = <P extends Prediction>(prediction: P): P => ({ ...prediction, columns });
  const naming: Partial<AnyAbilities> = {
    ...(impute && {
      impute: (Y, options) => impute(Y, options).then(named),
    }),
    ...(predict && { predict: (X, options) => named(predict(X, options)) }),
    ...(interpolate && {
      interpolate: ((...given: Parameters<typeof interpolate>) => {
        const found: PredictedLatents | Promise<PredictedLatents> = interpolate(...given);
        return found instanceof Promise ? found.then(named) : named(found);
      }) as typeof interpolate,
    }),
    ...(forecast && { forecast: (...given) => named(forecast(...given)) }),
  };
  return { ...abilities, ...naming };
}
