import type { TraceEntry } from '../../model/fit.ts';
import type { Refinement, RefinementPoint } from '../../model/model.ts';
import { projectedGradientNorm } from '../minimize/scaledObjective.ts';
import { slices } from '../minimize/slices.ts';
import type { RefinementState } from '../minimize/solverState.ts';
import { stoppedBy } from '../minimize/stopping.ts';
import type { Box } from '../solvers/solver.ts';
import { boxOf, type Outcome } from './bestOf.ts';
import type { FitProblem } from './fitProblem.ts';
import { refinedCourse } from './refinedCourse.ts';
import type { RunEvent } from './run.ts';

/** What holds for the steps of a model's own. */
export interface RefinedSettings {
  /** Of the solver and of the model's own steps together. */
  readonly maxIterations: number;
  readonly maxEvaluations: number;
  /** Largest entry of the projected gradient at which they end; undefined where the model says. */
  readonly tolerance: number | undefined;
  /** Seconds between two states; none unless given. */
  readonly stateInterval: number | undefined;
  /** Where an interrupted fit was, on the way from this very outcome. */
  readonly state: RefinementState | undefined;
}

/**
 * The outcome after the model's own steps, for models that know some, told as the iterations of a run are. A fit that was stopped, ran
 * out of iterations or meets the tolerance it was given stays where it is, and is only measured.
 *
 * @param signal - ends the steps at their best point; a reason that is a string says who stopped them
 */
export async function* refined(
  problem: FitProblem,
  outcome: Outcome,
  { maxIterations, maxEvaluations, tolerance, stateInterval = Number.POSITIVE_INFINITY, state }: RefinedSettings,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, Outcome, void> {
  const { model, compute } = problem;
  const { start } = outcome;
  if (model.refine === undefined) return measured(problem, outcome);
  const { iterations: before, evaluations: evaluationsBefore, gradientNorm: gradientNormBefore } = outcome.diagnostics;
  const within = (gradientNorm: number) => tolerance !== undefined && gradientNorm <= tolerance;
  const goesOn = outcome.status === 'failed' || (outcome.status === 'converged' && !within(gradientNormBefore));
  const steps =
    goesOn && !signal.aborted && evaluationsBefore < maxEvaluations ? Math.max(0, maxIterations - before) : 0;
  const course = model.refine(problem.valuesAt(state?.x ?? outcome.x), {
    steps,
    ...(state !== undefined && { memory: state.memory }),
  });
  const box = boxOf(problem.limits, problem.layout.size);
  const entryAt = (at: RefinementPoint, x: Float64Array): TraceEntry => ({
    iteration: before + at.iterations,
    evaluations: evaluationsBefore + at.evaluations,
    objective: at.objective,
    gradientNorm: gradientNormAt(problem, box, x, at.gradients),
  });
  let end: Refinement;
  let unsaved: RunEvent | undefined;
  let told = 0;
  try {
    const slice = slices();
    let saved = Number.NEGATIVE_INFINITY;
    let isOver = false;
    for (;;) {
      const step = compute(() => course.next(signal.aborted || isOver));
      if (step.done) {
        end = step.value;
        break;
      }
      if (step.value !== undefined) {
        const x = problem.variablesAt(step.value.values);
        const entry = entryAt(step.value, x);
        told = step.value.iterations;
        isOver = within(entry.gradientNorm) || entry.evaluations >= maxEvaluations;
        yield { kind: 'iteration', start, entry, x };
        if (stateInterval < Number.POSITIVE_INFINITY) {
          unsaved = { kind: 'refinement', state: { start, iterations: before, x, memory: step.value.memory() } };
        }
        if (unsaved !== undefined && performance.now() - saved >= 1000 * stateInterval) {
          yield unsaved;
          unsaved = undefined;
          saved = performance.now();
        }
      }
      if (slice.isOver()) await slice.leave();
    }
  } finally {
    course.return(undefined as never);
  }
  if (unsaved !== undefined) yield unsaved;
  const x = problem.variablesAt(end.values);
  const entry = entryAt(end, x);
  if (end.iterations > told) yield { kind: 'iteration', start, entry, x };
  const { evaluations, gradientNorm, iteration: iterations } = entry;
  return {
    ...outcome,
    x,
    ...refinedCourse(outcome, end, {
      goesOn,
      limit:
        evaluations >= maxEvaluations
          ? `maxEvaluations = ${maxEvaluations}`
          : iterations >= maxIterations
            ? `maxIterations = ${maxIterations}`
            : undefined,
      within: within(gradientNorm) ? { gradientNorm, tolerance: tolerance! } : undefined,
      stoppedBy: signal.aborted ? stoppedBy(signal) : undefined,
    }),
    diagnostics: { ...outcome.diagnostics, evaluations, iterations, gradientNorm, kktResidual: end.kktResidual },
  };
}

/** The outcome with how far the constraint layers of its model are from their optimum, for a model that has some. */
function measured({ model, compute, valuesAt }: FitProblem, outcome: Outcome): Outcome {
  const kktResidual = compute(() => model.posterior(valuesAt(outcome.x)).kktResidual?.());
  return kktResidual === undefined ? outcome : { ...outcome, diagnostics: { ...outcome.diagnostics, kktResidual } };
}

/** Largest entry of the projected gradient in the solver's variables, from the gradient in natural values. */
function gradientNormAt(
  { layout, limits }: FitProblem,
  box: Box,
  x: Float64Array,
  gradients: RefinementPoint['gradients'],
): number {
  const gradient = new Float64Array(layout.size);
  const scaled = new Float64Array(layout.size);
  for (const { path, start, size, transform } of layout.variables) {
    if (start < 0) continue;
    const own = x.subarray(start, start + size);
    gradient.set(transform.pullBack(Float64Array.from(gradients[path]!), transform.toNatural(own), own), start);
  }
  for (let i = 0; i < layout.size; i++) {
    const scale = limits === undefined ? 1 : limits.scale[i]!;
    gradient[i] = -scale * gradient[i]!;
    scaled[i] = x[i]! / scale;
  }
  return projectedGradientNorm({ x: scaled, value: Number.NaN, gradient }, box);
}
