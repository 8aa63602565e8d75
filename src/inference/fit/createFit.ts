import { square } from '../../core/elementary/index.ts';
import { InvalidInputError, OptimizationError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { type FittedTable, matchedObservations, type NamedTable, rememberedTable } from '../../core/namedTable.ts';
import { columnMeans } from '../../core/observations.ts';
import { firstNotFinite, positiveZeros, withPlainNumbers } from '../../core/plainNumbers.ts';
import { checksums } from '../../core/saved.ts';
import { type EngineChoice, type EngineReport, withEngine } from '../../engine/dense/index.ts';
import { sharedMemory } from '../../engine/memory.ts';
import type { AnyAbilities, PredictedLatents } from '../../model/abilities.ts';
import { approximationsInWords } from '../../model/approximation.ts';
import type { Embedding } from '../../model/computation.ts';
import { valuesOfEmbedding } from '../../model/computedModel.ts';
import {
  DIVIDED,
  type Fit,
  type FitDiagnostics,
  type FitJSON,
  type FitOutcome,
  type FitStatus,
  type FittedModel,
  type FitWarning,
  type TraceEntry,
} from '../../model/fit.ts';
import type { AnyModel, Model } from '../../model/model.ts';
import { outsideSupport } from '../../model/parameter.ts';
import { type AnyPosterior, type Prediction, rememberPosterior } from '../../model/posterior.ts';
import { type Abilities, abilitiesOf, withGraph } from './abilities.ts';
import type { Gathered } from './batches.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Point, RunEvent, Stage } from './run.ts';

/** Where a fit stands after an iteration; what costs something is computed when it is asked for. */
export interface FitStep<F = Fit> extends TraceEntry {
  /** The start that it belongs to: 0 is the model's own, the others are those of `restarts`. */
  readonly start: number;
  /** Number of passes through all rows, of a fit in batches. */
  readonly epoch?: number;
  /** Current stage of a model that computes its solution, where the step is not that of an iteration. */
  readonly stage?: Stage;
  /** N×q, at the best point of this start so far; without rows until a computation has an embedding. */
  readonly latents: Matrix;
  /** The fit at that point, with predictions and all; `structuredClone` leaves it out, and takes the rest. */
  result(): F;
}

/** Course of a fit up to a point. */
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

/** The fit at a point of the solver's variables, or of what was computed. */
export function fitFrom(
  problem: FitProblem,
  point: Point,
  { diagnostics, ...course }: FitState,
  gathered?: Gathered,
): Fit {
  if (problem.gather !== undefined && gathered === undefined) throw isOnItsWay('result');
  const { engine, chosenEngine, threads } = problem;
  const model = gathered?.model ?? problem.model;
  const found = foundAt(problem, point, gathered, course.status);
  const { values, objective, terms, jitter, drowned, rank, approximations, note, optimality } = found;
  const outcome = {
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
      ...optimality,
    },
  };
  if (model.solve !== undefined && point.embedding === undefined) return unsolvedFit(model.name, outcome);
  if (point.embedding !== undefined) return createFit(model, outcome, engine);
  return createFit(model, notDrowned(drowned, withinSupports(problem, outcome)), engine);
}

/** Where jitter is more than the observations the fit has failed, however its search ended: it is the jitter that explains them. */
function notDrowned(meanSquare: number | undefined, outcome: FitOutcome): FitOutcome {
  const { status } = outcome;
  if (meanSquare === undefined || (status !== 'converged' && status !== 'failed')) return outcome;
  const message =
    `Failed: the covariance has a factor only once ${outcome.diagnostics.jitter.toPrecision(3)} is added to its diagonal, more than the mean square of the observations, ` +
    `${meanSquare.toPrecision(3)}. Divide the observations by their size, or start variances and noise near their mean square.${status === 'failed' ? '' : ` ${outcome.message}`}`;
  return { ...outcome, status: 'failed', message };
}

/** An outcome in which a transform has rounded a value to the border of its support, such as a variance to 0, has failed. */
function withinSupports({ layout }: FitProblem, outcome: FitOutcome): FitOutcome {
  if (outcome.status === 'failed') return outcome;
  for (const { path, parameter } of layout.variables) {
    const wrong = outsideSupport(parameter, outcome.values[path]!);
    if (wrong === undefined) continue;
    const came = wrong.entry === undefined ? '' : `, but the search came to ${wrong.entry}`;
    const message =
      `Failed: '${path}'${wrong.place} must be ${wrong.range}${came}. ` +
      `Divide the observations by their size, or hold the parameter with fixed(…). ${outcome.message}`;
    return { ...outcome, status: 'failed', message };
  }
  return outcome;
}

function foundAt(
  problem: FitProblem,
  { x, embedding: given }: Point,
  gathered: Gathered | undefined,
  status: FitStatus,
) {
  if (given === undefined) {
    const density = gathered ?? problem.densityAt(x, true);
    const { value: objective, terms, jitter, drowned, rank, approximations = [] } = density;
    const note = vanishing(problem, x, status);
    return {
      ...{ values: problem.valuesAt(x), objective, terms, jitter, drowned, rank, approximations },
      ...{ note: approximationsInWords(approximations) + note, optimality: undefined },
    };
  }
  const embedding = embeddingAt(problem, given);
  const { objective, terms } = embedding;
  const { kktResidual, gradientNorm } = embedding.optimality ?? {};
  return {
    values: valuesOfEmbedding(embedding),
    ...{ objective, terms, jitter: 0, drowned: undefined, rank: undefined, approximations: [], note: '' },
    ...(gradientNorm !== undefined && { optimality: { gradientNorm, kktResidual: kktResidual! } }),
  };
}

const embeddingAt = ({ compute }: FitProblem, given: NonNullable<Point['embedding']>): Embedding =>
  typeof given === 'function' ? compute(given) : given;

/** A positive parameter that has fallen by this factor since the start is on its way to 0. */
const VANISHED = 1e-8;

/** A covariance whose variance is 0 is not there. */
const VARIANCE_OF_KERNEL = /(^|\.)kernel\.(.*\.)?variance$/;

/**
 * Says which positive parameters vanish: a density without a bound there is why a fit goes on and on, or fails. A fit that converges may have switched
 * off a covariance that it did not need.
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
    'Repeated or noise-free observations do this to the noise. Hold it with fixed(…), { "fixed": … } in JSON, or give it a prior.'
  );
}

/**
 * A step at a point of the solver's variables, or of what was computed.
 *
 * @param point - kept
 * @param trace - of its start up to this entry; may grow later
 */
export function fitStep(
  problem: FitProblem,
  start: number,
  entry: TraceEntry,
  point: Point,
  trace: readonly TraceEntry[],
  seconds: number,
): FitStep {
  const { length } = trace;
  let latents: Matrix | undefined;
  const step = {
    ...entry,
    start,
    ...(problem.inBatches !== undefined && { epoch: entry.iteration / problem.inBatches.perEpoch }),
    get latents() {
      latents ??= latentsAt(problem, point);
      return latents;
    },
  };
  const value = () =>
    fitFrom(problem, point, {
      trace: trace.slice(0, length),
      ...endingAt(entry, point),
      diagnostics: {
        evaluations: entry.evaluations,
        iterations: entry.iteration,
        seconds,
        gradientNorm: entry.gradientNorm,
      },
    });
  return Object.defineProperty(step, 'result', { value }) as FitStep;
}

/** A solution in closed form is the end; any other step is on the way. */
function endingAt({ iteration }: TraceEntry, { embedding }: Point): Pick<FitState, 'status' | 'message'> {
  return typeof embedding === 'object'
    ? { status: embedding.optimality?.converged === false ? 'failed' : 'converged', message: embedding.message }
    : { status: 'stopped', message: `Taken from a fit on its way, after iteration ${iteration}.` };
}

function isOnItsWay(what: string): InvalidInputError {
  return new InvalidInputError(
    `The ${what} of a fit whose observations are read some rows at a time takes a pass through all of them, and is there at its end only.`,
  );
}

function latentsAt(problem: FitProblem, { x, embedding }: Point): Matrix {
  if (problem.gather !== undefined) throw isOnItsWay('latents');
  if (embedding !== undefined) return embeddingAt(problem, embedding).latents;
  const { model, compute, valuesAt } = problem;
  return model.solve === undefined ? compute(() => model.posterior(valuesAt(x)).latents) : NO_LATENTS;
}

/** A step in the middle of a computation. */
export function stageStep(
  problem: FitProblem,
  { start, entry, stage }: Extract<RunEvent, { kind: 'stage' }>,
  trace: readonly TraceEntry[],
  seconds: number,
): FitStep {
  const nowhere = { x: new Float64Array(0) };
  // Not spread: that would ask for the latents.
  return Object.assign(fitStep(problem, start, entry, nowhere, trace, seconds), { stage });
}

/**
 * A fit from its model and what the optimizer found, or what a file holds. It has the members that the model's posterior has something
 * for, and no others.
 *
 * @param engine - the linear algebra of everything that the fit computes; undefined where the environment says
 * @param isCalibrated - whether predictive variances are calibrated unless `calibrated` says: those of a point fit are, those at a draw are not
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
      `The posterior of the model '${model.name}' has no latents. Return a Matrix, one row a point.`,
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

/** A frozen copy of a record or a list, with its lists and records; the search goes on with the original. */
function frozen<T>(record: T): T {
  if (Array.isArray(record)) return Object.freeze(record.map(frozen)) as T;
  if (typeof record !== 'object' || record === null || Object.getPrototypeOf(record) !== Object.prototype)
    return record;
  return Object.freeze(Object.fromEntries(Object.entries(record).map(([key, entry]) => [key, frozen(entry)]))) as T;
}

/** By which notebooks of JavaScript (Deno's kernel of Jupyter, and Quarto with it) ask a value how it is shown. */
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

/** The bound on the log density of the observations, without priors of hyperparameters. */
function boundOf(terms: FitOutcome['terms']): number {
  return Object.entries(terms).reduce((sum, [name, part]) => (name.startsWith('hyper.') ? sum : sum + part), 0);
}

/** Part of the largest deviation or relevance below which a latent dimension is not used. */
const UNUSED = 0.01;
/** Number of latent coordinates per observed entry from which points follow the noise. Intervals of 90 % of missing entries hold .92, .86, .35 of wine at .1, .19, .38, and .95, .98, .99 of iris at .3, .6, 1.3. */
const MANY = 1 / 3;

/** A new outcome with warnings about its latents; a saved one has its own. */
function warnedOutcome(outcome: FitOutcome, posterior: AnyPosterior): FitOutcome {
  const { diagnostics, message } = outcome;
  if (diagnostics.approximations === undefined || diagnostics.warnings !== undefined) return outcome;
  const warnings = [...unusedDimensions(posterior), ...manyDimensions(posterior)];
  if (warnings.length === 0) return outcome;
  const said = warnings.map((own) => ` ${own.message}`).join('');
  return { ...outcome, message: message + said, diagnostics: { ...diagnostics, warnings } };
}

function unusedDimensions({ latents, distribution }: AnyPosterior): FitWarning[] {
  const { columns } = latents;
  const { relevance } = distribution ?? {};
  const views = relevance === undefined || relevance instanceof Float64Array ? [relevance] : Object.values(relevance);
  const center = columnMeans(latents);
  const squares = new Float64Array(columns);
  latents.data.forEach((x, k) => {
    squares[k % columns]! += square(x - center[k % columns]!);
  });
  const use = squares.map((sum, d) => Math.max(...views.map((own) => own?.[d] ?? Math.sqrt(sum))));
  const least = UNUSED * Math.max(...use);
  const dimensions = Array.from(use.keys()).filter((d) => use[d]! < least);
  if (dimensions.length === 0) return [];
  const names = dimensions.map((d) => d + 1).join(', ');
  const what = relevance === undefined ? 'the latents vary' : 'the mapping varies';
  const message = `Not used of ${columns} latent dimensions: ${names}, along which ${what} less than ${UNUSED} of the most. Give latentDim: ${columns - dimensions.length}.`;
  return [{ code: 'unusedDimensions', dimensions, message }];
}

function manyDimensions({ latents, variables }: AnyPosterior): FitWarning[] {
  if (variables?.arePoints !== true) return [];
  const all = Object.values(variables.observations);
  const missing = all.reduce((sum, { data }) => sum + data.filter(Number.isNaN).length, 0);
  const entries = all.reduce((sum, { data }) => sum + data.length, -missing);
  if (missing === 0 || latents.data.length <= MANY * entries) return [];
  const q = latents.columns;
  const message = `Rows have ${q} latent coordinates for ${(entries / latents.rows).toFixed(1)} observed entries on average, so points follow the noise and intervals of missing entries need not hold. Take fewer dimensions, or a model that integrates them out: ppca, bayesianGplvm.`;
  return [{ code: 'manyDimensions', dimensions: Array.from({ length: q }, (_, d) => d), message }];
}

/** An outcome that is not finite, in its objective, latents or eigenvalues, has 'failed', whatever its model or solver says, and a message that names what is not. */
function finiteOutcome(outcome: FitOutcome, { latents, eigenvalues }: AnyPosterior): FitOutcome {
  const place = firstNotFinite(latents.data);
  const row = Math.floor(place / latents.columns);
  const broken = [
    ...(Number.isFinite(outcome.objective) ? [] : [`the objective is ${outcome.objective}`]),
    ...(place < 0 ? [] : [`row ${row}, column ${place % latents.columns} of the latents is ${latents.data[place]}`]),
    ...(eigenvalues === undefined || eigenvalues.every(Number.isFinite) ? [] : ['an eigenvalue is not finite']),
  ];
  if (broken.length === 0 || outcome.status === 'failed') return outcome;
  const message = `Failed: ${broken.join(' and ')}. Look for points that are the same, columns that are constant and entries of very different size.`;
  return { ...outcome, status: 'failed', message: `${message} ${outcome.message}` };
}

/** Wraps members so that what they compute runs on one engine. */
type During = <T>(work: () => T) => T;

/** The same part with an engine at work in all that it computes: its functions, and members that are computed when they are read. */
type Place = (part: object, during: During) => object;

/** Parts of a posterior that compute something themselves. */
const PARTS: Readonly<Record<string, Place>> = {
  mapping: placed({}),
  placement: placed({}),
  distribution: placed({}),
  field: placed({}),
  missing: placed({}),
  variables: placed({ missingEntries: placed({}), uncalibrated: placed({}) }),
};

/**
 * The posterior with an engine at work in everything that it computes; as it is where none was chosen. What it computes when it is read, such
 * as the graph of a layer, is computed then, not here.
 */
export function posteriorOn(engine: EngineChoice | undefined, posterior: AnyPosterior): AnyPosterior {
  if (engine === undefined) return posterior;
  return placed(PARTS)(posterior, (work) => withEngine(sharedMemory(), engine, work)) as AnyPosterior;
}

function placed(parts: Readonly<Record<string, Place>>): Place {
  return (part, during) => {
    const read = (name: string) => {
      const member: unknown = during(() => Reflect.get(part, name));
      if (typeof member === 'function') return (...given: unknown[]) => during(() => member.apply(part, given));
      const place = parts[name];
      return place !== undefined && typeof member === 'object' && member !== null ? place(member, during) : member;
    };
    const members = Object.keys(part).map((name) => [name, { get: () => read(name), enumerable: true }]);
    return Object.defineProperties({}, Object.fromEntries(members));
  };
}

/** Latents when there is no embedding yet. */
const NO_LATENTS: Matrix = Matrix.zeros(0, 0);

/** Names of the abilities of fits. */
const ABILITIES: Readonly<Record<keyof AnyAbilities | 'toJSON', true>> = {
  project: true,
  reconstruct: true,
  predict: true,
  interpolate: true,
  sample: true,
  impute: true,
  forecast: true,
  graph: true,
  precision: true,
  covariance: true,
  eigenvalues: true,
  latentVariances: true,
  relevance: true,
  evidence: true,
  missingLogDensity: true,
  toJSON: true,
};

/**
 * The fit of a model that was stopped before it had computed a solution: its latents have no rows, and its objective is NaN. What rests on a
 * solution throws an OptimizationError that says so.
 */
function unsolvedFit(model: string, { values: _, ...outcome }: FitOutcome): Fit {
  const fitted = { model, latents: NO_LATENTS, parameters: Object.freeze({}), ...outcome };
  for (const name of Object.keys(ABILITIES)) {
    Object.defineProperty(fitted, name, {
      get: () => {
        throw new OptimizationError(
          `This fit of '${model}' has no '${name}', since it was stopped before there was an embedding. Fit again, with more time.`,
        );
      },
    });
  }
  return Object.freeze(fitted) as unknown as Fit;
}

/**
 * The model whose fits remember a table.
 *
 * @throws InvalidInputError when it is not one, or not that of the model's observations
 */
export function remembering(model: Model, table: NamedTable | undefined): Model {
  if (table === undefined) return model;
  const remembered = rememberedTable(table);
  const { observations, views } = model.toJSON() as { observations?: unknown; views?: unknown };
  if (views !== undefined) {
    throw new InvalidInputError(
      `The model '${model.name}' has several views, which no one table holds. Leave out table.`,
    );
  }
  const { rows, columns } = table.observations;
  if (Array.isArray(observations) && observations.length > 0) {
    const [first] = observations as readonly (readonly unknown[])[];
    if (observations.length !== rows || first!.length !== columns) {
      throw new InvalidInputError(
        `The table is ${rows}×${columns}, but the observations of '${model.name}' are ${observations.length}×${first!.length}. Give the table that they come from.`,
      );
    }
  }
  return Object.freeze({ ...model, table: remembered });
}

/** Abilities of a fit that name the columns of their predictions. */
function namingColumns(abilities: Abilities, table: FittedTable | undefined): Abilities {
  if (table === undefined || 'translate' in abilities) return abilities;
  const { impute, predict, interpolate, forecast } = abilities as Partial<AnyAbilities>;
  const { columns } = table;
  const named = <P extends Prediction>(prediction: P): P => ({ ...prediction, columns });
  const naming: Partial<AnyAbilities> = {
    ...(impute && {
      impute: (Y, options) => {
        const filled = impute(Y, options);
        return filled instanceof Promise ? filled.then(named) : named(filled);
      },
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
