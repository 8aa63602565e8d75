import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { NamedTable } from '../../core/namedTable.ts';
import { checkOptions, type OptionsIn, seedOption, typed } from '../../core/options.ts';
import { engineChoice } from '../../engine/dense/index.ts';
import { approximationsInWords } from '../../model/approximation.ts';
import type { Fit, FitOf } from '../../model/fit.ts';
import { assemblyOf, checkModelGiven } from '../../model/givenModel.ts';
import type { AnyModel, Model } from '../../model/model.ts';
import { checkFinite, type LogDensity, logDensity } from '../../model/objective.ts';
import type { AnyPosterior } from '../../model/posterior.ts';
import { naturalEntries, type VariableLayout, valuesByPath } from '../../model/variables.ts';
import { projectedGradientNorm } from '../minimize/scaledObjective.ts';
import { type Stopping, stopping } from '../minimize/solution.ts';
import { createFit, type FitStep, fitFrom } from './createFit.ts';
import { beginsWithin, type FitOptions, type FitSettings, fitSettings, type OptionsOf } from './fitOptions.ts';
import { type FitProblem, type GivenStart, limitsOf, openProblem, valuesGiven } from './fitProblem.ts';
import { type FitThreads, fitThreads } from './fitThreads.ts';
import type { Runs } from './perturbedStarts.ts';
import { remembering } from './remembering.ts';
import { bestSolution, boxOf, type EndedRun, type Run, runsOf, withFindings } from './restarts.ts';
import { isStillToRun, type Point, type RunEvent, type RunSettings, runFrom, type Start } from './run.ts';

/** Options of {@link fitAt}. */
export interface FitAtOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Seed of the model's default values, if they are random; default 0. */
  seed: seedOption,
  /** Linear algebra engine; default LATENTFIELD_ENGINE, or 'auto'. */
  engine: v.optional(engineChoice),
  /** Table of the observations, as in `fit`. */
  table: v.optional(typed<NamedTable>()),
});

/**
 * Fit of a model at fixed values, without a search: its predictions, projections and samples are computed at exactly these values, and its
 * `objective` is the value of {@link evaluate} there.
 *
 * @param model - a model with parameters, such as `gplvm(Y, { latentDim: 2 })`
 * @param values - natural (constrained) values by path, including `latents` if they are free; paths that are left out keep the model's default. Or a
 * fit of a model with the same paths
 * @param options - see {@link FitAtOptions}
 * @returns a fit of status 'stopped', whose `diagnostics.gradientNorm` measures the distance from a maximum
 * @throws InvalidInputError for an unknown path, a wrong shape or a value outside its support, and for a model that computes its solution
 * @throws NumericalError if the log density is not finite there
 * @example
 * ```ts
 * const { mean } = fitAt(gplvm(Y, { latentDim: 2 }), { 'mapping.noise': 0.01 }).predict([[0, 0]]);
 * ```
 */
export function fitAt<M extends AnyModel>(model: M, values: GivenStart = {}, options: FitAtOptions = {}): FitOf<M> {
  checkModelGiven(model, 'fitAt');
  const { seed, engine, table } = checkOptions(schema, options, 'fitAt');
  checkHasValues(model);
  const began = performance.now();
  const remembered = remembering(model as Model, table);
  const { compute, layout, chosenEngine, dispose } = openProblem(remembered, { seed, engine });
  dispose();
  const assembly = compute(() => assemblyOf(remembered, seed));
  try {
    const natural = naturalEntries(layout, valuesGiven(layout, values));
    const density = compute(() => logDensity(assembly, layout, natural, { seed, measured: true }));
    checkFinite(density);
    const { value: objective, terms, jitter, rank, approximations = [] } = density;
    const found = valuesByPath(layout, natural);
    const findings = compute(() => assembly.findings?.(found));
    const gradientNorm = compute(() => gradientNormAt(layout, natural, density));
    const kktResidual =
      findings?.kktResidual ?? compute(() => (remembered.posterior(found) as AnyPosterior).kktResidual?.());
    const outcome = {
      ...{ values: found, objective, terms },
      trace: [{ iteration: 0, evaluations: 1, objective, gradientNorm }],
      status: 'stopped',
      message: `No search was made: this is the model at the values that were given.${findings === undefined ? '' : ` ${findings.message}`}${approximationsInWords(approximations)}`,
      diagnostics: {
        ...{ ...chosenEngine, seed, jitter, approximations },
        ...(rank !== undefined && { covarianceRank: rank }),
        ...{ evaluations: 1, iterations: 0, seconds: (performance.now() - began) / 1000, gradientNorm },
        ...(kktResidual !== undefined && { kktResidual }),
      },
    } as const;
    // A model carries the types of its fits: see createFit.
    return createFit(remembered, outcome, engine) as unknown as FitOf<M>;
  } finally {
    compute(() => assembly.dispose());
  }
}

function checkHasValues({ name, solve, choose, choosesStart, sourced }: AnyModel): void {
  if (solve !== undefined) {
    throw new InvalidInputError(`The model '${name}' computes its solution, so it has no parameters to set. Use fit.`);
  }
  if (choose !== undefined && !choosesStart) {
    throw new InvalidInputError(
      `The model '${name}' chooses some of its options by separate fits. Set these options, or use fit.`,
    );
  }
  if (sourced === undefined) return;
  throw new InvalidInputError(
    `The observations of '${name}' are read in blocks of rows. Use fit with start and maxEpochs: 0, which reads them.`,
  );
}

/** Largest entry of the projected gradient in the solver's variables. */
function gradientNormAt(layout: VariableLayout, natural: readonly Float64Array[], { gradients }: LogDensity): number {
  const x = new Float64Array(layout.size);
  const gradient = new Float64Array(layout.size);
  layout.variables.forEach(({ start, transform }, i) => {
    if (start < 0) return;
    const own = transform.toUnconstrained(natural[i]!);
    x.set(own, start);
    const slopes = gradients[i] && transform.pullBack(gradients[i], natural[i]!, own);
    if (slopes !== undefined) gradient.set(slopes, start);
  });
  const limits = limitsOf(layout);
  const scale = (i: number) => limits?.scale[i] ?? 1;
  const scaled = {
    x: x.map((entry, i) => entry / scale(i)),
    value: 0,
    gradient: gradient.map((g, i) => -g * scale(i)),
  };
  return projectedGradientNorm(scaled, boxOf(limits, layout.size));
}

/**
 * Fits any model: maximizes its log density over its free parameters with gradients from automatic differentiation, in double
 * precision. The fit yields to the event loop every 40 ms, so that aborts, timers and pages stay responsive.
 *
 * @param model - such as `gplvm(Y, { latentDim: 2 })`
 * @param options - see {@link FitOptions}; a model that computes its solution does not support `solver`, batches or `restarts`
 * @returns the fit at the best point, whether it converged, ran out of iterations or was stopped; if all parameters are fixed, the fit at their values
 * @throws InvalidInputError for an unknown option or a value of the wrong type, a checkpoint of another model, or workers that cannot rebuild the model
 * @throws OptimizationError if the log density is not finite at the start, or a free parameter receives no gradient
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 200, seed: 1 });
 * result.status; // 'converged' or 'maxIterations'
 * result.predict([[0, 0]]).mean; // Matrix 1×D
 * ```
 */
export async function fit<M extends AnyModel>(model: M, options?: NoInfer<OptionsOf<M>>): Promise<FitOf<M>> {
  const steps = stepsOf(model, options, false);
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}

/**
 * {@link fit} step by step: an iterator that pauses at the start and after every iteration, so that a page can draw while it
 * fits. Leaving the loop early ends the fit and releases its resources. The return value, which a `for await` loop does not see, is the fit itself.
 *
 * A model that computes its solution also pauses in each `stage`; a closed-form model yields its result as the last step. With restarts, starts
 * follow one another; with workers their steps interleave.
 *
 * @param model - such as `gplvm(Y, { latentDim: 2 })`
 * @param options - see {@link FitOptions}
 * @returns an async generator of {@link FitStep} that returns the {@link Fit}
 * @throws InvalidInputError immediately for an unknown option or a value of the wrong type; later, the errors of {@link fit}
 * @example
 * ```ts
 * for await (const step of fitSteps(gplvm(Y, { latentDim: 2 }))) {
 *   if (step.iteration % 10 === 0) show(step.latents, step.objective);
 * }
 * ```
 */
export function fitSteps<M extends AnyModel>(
  model: M,
  options?: NoInfer<OptionsOf<M>>,
): AsyncGenerator<FitStep<FitOf<M>>, FitOf<M>, void> {
  return stepsOf(model, options, true);
}

/** @param areTaken - whether the caller consumes the steps. Otherwise, and without `onProgress`, none are made, since each copies the point. */
function stepsOf<M extends AnyModel>(
  model: M,
  options: NoInfer<OptionsOf<M>> | undefined,
  areTaken: boolean,
): AsyncGenerator<FitStep<FitOf<M>>, FitOf<M>, void> {
  const given: FitOptions = options ?? {};
  const settings = fitSettings(model, given);
  const taken = steps(model, settings, areTaken);
  // A model carries the types of its fits: see createFit.
  return taken as unknown as AsyncGenerator<FitStep<FitOf<M>>, FitOf<M>, void>;
}

async function* steps(described: Model, settings: FitSettings, areTaken: boolean): AsyncGenerator<FitStep, Fit, void> {
  const { table } = settings;
  const late = table === undefined ? undefined : await import('../../later.ts');
  // Errors of a table are thrown before anything is chosen or fitted.
  late?.remembering(described, table!);
  const { model: found, message, ...taken } = await chosen(described, settings);
  const model = late?.remembering(found, table!) ?? found;
  const threads = fitThreads(settings.threads, settings.engine);
  try {
    // A computation may have no pause where threads could join it.
    if (model.solve !== undefined) await threads.joinAtOnce();
    return yield* stepsWith(threads, model, { ...settings, ...taken }, message, areTaken);
  } finally {
    await threads.release();
  }
}

async function* stepsWith(
  threads: FitThreads,
  model: Model,
  settings: FitSettings & { readonly secondsLeft?: number },
  choice: string,
  areTaken: boolean,
): AsyncGenerator<FitStep, Fit, void> {
  const began = performance.now();
  const checkpoints = await checkpointsFor(settings);
  const resumed = checkpoints && (await checkpoints.resumedFrom(settings));
  const saved = resumed?.checkpoint;
  const seed = saved?.seed ?? settings.seed ?? 0;
  const stop = stopping(settings.signal, settings.maxSeconds, settings.secondsLeft);
  const seconds = () => (saved?.seconds ?? 0) + (performance.now() - began - stop.held) / 1000;
  const begins = settings.maxSeconds !== undefined && beginsWithin(settings.maxSeconds, () => stop.left);
  // A computation can be ended at its pauses.
  let isBegun = model.solve !== undefined;
  let problem: FitProblem | undefined;
  try {
    problem = openProblem(model, {
      ...{ ...settings, seed, threads },
      ...(begins && { watch: (part) => (isBegun ? undefined : begins(part)) }),
    });
    // A resumed start is evaluated again.
    for (const start of saved?.starts ?? [])
      await problem.inBatches?.ready?.(Number(start?.state.evaluations ?? 1) - 1);
    const runs = await runsOf(problem, settings, seed, resumed);
    const saves = checkpoints?.saving(settings.checkpoint, stop.signal);
    const report = await reportTo(settings, stop.signal);
    const steps = areTaken || report !== undefined ? await import('../../later.ts') : undefined;
    const isSaved = saves !== undefined;
    const again: string[] = [];
    const { trialIterations } = saved ?? settings;
    const events = eventsOf(problem, runs, { ...settings, trialIterations }, stop, isSaved);
    try {
      for (;;) {
        const next = await events.next();
        if (next.done) break;
        const event = next.value;
        isBegun = true;
        const run = runs[event.start]!;
        if (event.kind === 'again') {
          again.push(` Start ${event.start} was done again, because its worker was lost: ${event.why}.`);
          continue;
        }
        if (event.kind === 'iteration' || event.kind === 'stage') {
          if (event.kind === 'iteration') {
            if (event.entry.iteration <= (run.trace.at(-1)?.iteration ?? -1)) continue;
            run.trace.push(event.entry);
          }
          if (steps === undefined) continue;
          const step =
            event.kind === 'iteration'
              ? steps.fitStep(problem, event.start, event.entry, pointAt(problem, event.point), run.trace, seconds())
              : steps.stageStep(problem, event, run.trace, seconds());
          if ((await report?.(step)) === false) stop.by('onProgress, which returned false');
          stop.hold();
          yield step;
          stop.goOn();
          continue;
        }
        run.state = event.kind === 'end' ? event.solution.state : event.state;
        if (event.kind === 'end') run.solution = event.solution;
        await saves?.save(checkpoints!.checkpointOf(problem, runs, { seed, seconds: seconds(), trialIterations }));
      }
    } finally {
      await events.return(undefined as never);
    }
    const best = bestSolution(runs.filter(isEnded), runs.length, problem.limits, stop);
    const { point, status, trace, ...end } = await withFindings(problem, best);
    const note = model.note?.(problem.valuesAt(point.x)) ?? '';
    const message = end.message + choice + note + again.join('') + (saves?.warning() ?? '');
    const evaluations = end.diagnostics.evaluations + end.elsewhere;
    const gathered = await problem.gather?.(point.x);
    const diagnostics = { ...end.diagnostics, evaluations, seconds: seconds() };
    const course = { status, trace, message, diagnostics };
    if (model.solve !== undefined) return (await import('../../later.ts')).computedFit(problem, point, course);
    return fitFrom(problem, point, course, gathered);
  } finally {
    stop.release();
    problem?.dispose();
  }
}

/** The model with its options, whose choice is loaded if a model makes one. */
const chosen = async (model: Model, settings: FitSettings) =>
  model.choose === undefined ? { model, message: '' } : (await import('../../later.ts')).chosenModel(model, settings);

/** Calls `onProgress`, whose module is loaded if a fit needs it. */
const reportTo = async ({ onProgress }: FitSettings, signal: AbortSignal) =>
  onProgress && (await import('../../later.ts')).callersFunction('onProgress', onProgress, signal);

/** Loads the module for saving and resuming, if a fit needs it. */
const checkpointsFor = async ({ resume, checkpoint }: FitSettings) =>
  resume === undefined && checkpoint === undefined ? undefined : import('../../later.ts');

/** Point that stays valid for as long as a caller keeps its step. For batches it is read on first access, so that an epoch does not copy all rows. */
const pointAt = ({ inBatches }: FitProblem, point: Point): Point => (inBatches === undefined ? { ...point } : point);

const isEnded = (run: Run): run is Run & EndedRun => run.solution !== undefined;

async function* eventsOf(
  problem: FitProblem,
  runs: readonly Run[],
  given: FitSettings,
  { signal, reserve }: Stopping,
  isSaved: boolean,
): AsyncGenerator<RunEvent, void, void> {
  const { workers, checkpointInterval, solver, relativeDecrease, maxIterations, maxEvaluations, tolerance } = given;
  const { trialIterations } = given;
  const starts = runs.map(({ start }) => start);
  const stateInterval = isSaved ? checkpointInterval : undefined;
  const settings = { solver, relativeDecrease, maxIterations, maxEvaluations, tolerance, stateInterval };
  // Loaded on request, as most pages have no use for them.
  const shared = workers === undefined ? undefined : (await import('../../later.ts')).runInWorkers;
  const run: Runs = (some, own) =>
    shared === undefined ? runHere(problem, some, own, signal, reserve) : shared(problem, some, own, signal, workers!);
  if (starts.length === 1 || trialIterations === undefined) {
    yield* run(starts, settings);
    return;
  }
  const { shortlisted } = await import('../../later.ts');
  yield* shortlisted(problem, run, starts, settings, trialIterations);
}

async function* runHere(
  problem: FitProblem,
  starts: readonly Start[],
  settings: RunSettings,
  signal: AbortSignal,
  reserve: (milliseconds: number) => void,
): AsyncGenerator<RunEvent, void, void> {
  for (const start of starts) {
    if (isStillToRun(start, signal)) yield* runFrom(problem, start, settings, signal, reserve);
  }
}
