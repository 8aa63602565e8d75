import { counted } from '../../core/counted.ts';
import { InvalidInputError, NumericalError, OptimizationError } from '../../core/errors.ts';
import type { Box, Evaluation, Iterate, Solver, SolverRun } from '../../model/solver.ts';
import { type End, interruptionOf, limitOf, withoutBound } from '../minimize/ending.ts';
import { slices } from '../minimize/slices.ts';
import { checkState, copyIterate, copyMemory, type Solution, type SolverState } from '../minimize/solution.ts';
import { epochwise } from '../solvers/epochwise.ts';
import type { BatchedObjective, FitProblem } from './fitProblem.ts';
import type { RunEvent, RunSettings, Start } from './run.ts';
import { checkUnbounded, MOST_HALVINGS, MOST_ITERATIONS, traceEntry } from './runLimits.ts';

/** A batch's evaluation, and what is wrong with it where its value is NaN. */
type BatchEvaluation = Evaluation & { readonly reason: string };

/** What a run in batches remembers between its steps. */
interface Course {
  readonly run: SolverRun;
  iterations: number;
  evaluations: number;
  /** Evaluations up to the iterate. */
  evaluationsOfIterate: number;
}

/**
 * Runs a solver that takes gradients in some of the variables, on one batch of the rows after the other: no step touches more variables than
 * its batch sees, so that an epoch is linear in the number of points. The last point is the result.
 *
 * @param signal - ends the run before its next evaluation
 */
export async function* batchedFrom(
  problem: FitProblem,
  objective: BatchedObjective,
  start: Start,
  settings: RunSettings & { readonly solver: Solver },
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void, void> {
  const { maxIterations = MOST_ITERATIONS, maxEvaluations = Number.POSITIVE_INFINITY } = settings;
  const { stateInterval = Number.POSITIVE_INFINITY } = settings;
  const course = await begun(problem, objective, start, settings.solver);
  const { iterate, steps } = course.run;
  const slice = slices();
  let saved = Number.NEGATIVE_INFINITY;
  let answer: Evaluation = iterate;
  let end: End | undefined;
  for (let isMoved = true; end === undefined; ) {
    if (isMoved) {
      yield iterationOf(start.number, course);
      if (performance.now() - saved >= 1000 * stateInterval) {
        yield { kind: 'state', start: start.number, state: stateOf(course, settings.solver) };
        saved = performance.now();
      }
      end = inEpochs(limitOf(course.iterations, { maxIterations }), maxIterations / objective.perEpoch);
      if (end !== undefined) break;
    }
    const step = steps.next(answer);
    isMoved = !step.done && step.value.kind === 'iteration';
    if (step.done) {
      const { status, reason } = step.value;
      end = { status, how: `${status === 'converged' ? 'Converged' : 'Failed'}: ${reason}` };
    } else if (step.value.kind === 'evaluate') {
      const limits = { signal, maxEvaluations, maxSeconds: Number.POSITIVE_INFINITY };
      end = interruptionOf(course.evaluations, 0, limits);
      if (end === undefined) answer = await evaluated(problem, objective, step.value.point, course.evaluations++);
    } else if (isMoved) {
      course.iterations++;
      course.evaluationsOfIterate = course.evaluations;
    }
    if (slice.isOver()) {
      await slice.leave();
      await problem.threads.join();
    }
  }
  yield { kind: 'end', start: start.number, solution: solutionOf(course, end, settings.solver) };
}

/** The limit as `maxEpochs` counts it, which the iterations were made of unless they were given. */
function inEpochs(end: End | undefined, epochs: number): End | undefined {
  if (end === undefined || !Number.isInteger(epochs)) return end;
  return { ...end, how: `Reached the limit of ${counted(epochs, 'epoch')} before converging` };
}

async function begun(
  problem: FitProblem,
  objective: BatchedObjective,
  { number, x, state }: Start,
  solver: Solver,
): Promise<Course> {
  const { layout, limits, start: origin } = problem;
  if (!solver.bounded) checkUnbounded(layout, limits, solver.name);
  const box = everywhere(x.length);
  if (state !== undefined) {
    checkState(state, solver.name, onesOf(x.length), box);
    const iterate: Iterate = { ...copyIterate(state.iterate), places: objective.placesOf(state.evaluations - 1) };
    const run = epochwise(solver, objective.perEpoch).begin(iterate, box, copyMemory(state.memory));
    const { iterations, evaluations } = state;
    return { run, iterations, evaluations, evaluationsOfIterate: evaluations };
  }
  for (let halvings = 0; ; halvings++) {
    const nearer = x.map((entry, i) => origin[i]! + (entry - origin[i]!) / 2 ** halvings);
    const point = halvings === 0 ? x.slice() : nearer;
    const { value, gradient: own, places, reason } = await evaluated(problem, objective, point, 0);
    if (!Number.isNaN(value)) {
      const gradient = new Float64Array(x.length);
      places!.forEach((place, k) => {
        gradient[place] = own[k]!;
      });
      const run = epochwise(solver, objective.perEpoch).begin({ x: point, value, gradient, places }, box);
      return { run, iterations: 0, evaluations: 1, evaluationsOfIterate: 1 };
    }
    if (number !== 0 && halvings < MOST_HALVINGS) continue;
    throw new OptimizationError(
      `The objective is not finite at the start: ${String(reason).replace(/\.$/, '')}. Start from a point where it is.`,
    );
  }
}

/** The objective of one batch; its value is NaN when it or the gradient is not finite, or a NumericalError was thrown. */
async function evaluated(
  { compute }: FitProblem,
  objective: BatchedObjective,
  x: Float64Array,
  evaluation: number,
): Promise<BatchEvaluation> {
  await objective.ready?.(evaluation);
  const places = objective.placesOf(evaluation);
  const failed = (reason: string) => ({ value: Number.NaN, gradient: new Float64Array(places.length), places, reason });
  try {
    const { value, gradient } = compute(() => objective.at(x, evaluation));
    const bad = gradient.findIndex((entry) => !Number.isFinite(entry));
    if (!Number.isFinite(value)) return failed(`its value is ${value}`);
    if (bad >= 0) return failed(`entry ${places[bad]} of its gradient is ${gradient[bad]}`);
    return { value, gradient, places, reason: '' };
  } catch (error) {
    if (!(error instanceof NumericalError)) throw error;
    return failed(`it threw a NumericalError: ${error.message}`);
  }
}

/** The iteration that a run has come to. Its point is the run's own, not a copy, and can be read until the run goes on. */
function iterationOf(start: number, course: Course): RunEvent {
  const { iterations, evaluations, run } = course;
  const gradientNorm = largestOf(run.iterate);
  return {
    kind: 'iteration',
    start,
    entry: traceEntry({ iterations, evaluations, value: run.iterate.value, gradientNorm }),
    point: {
      get x() {
        if (course.iterations === iterations) return run.iterate.x;
        throw new InvalidInputError(
          `Iteration ${iterations} of this fit in batches is over, and its point was not kept. Ask a step for its latents or its result before the next one.`,
        );
      },
    },
  };
}

const largestOf = ({ gradient, places }: Readonly<Iterate>) =>
  places!.reduce((most, place) => Math.max(most, Math.abs(gradient[place]!)), 0);

function stateOf({ run, iterations, evaluationsOfIterate }: Course, { name }: Solver): SolverState {
  return {
    solver: name,
    iterations,
    evaluations: evaluationsOfIterate,
    decreases: Float64Array.of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
    scale: onesOf(run.iterate.x.length),
    iterate: copyIterate(run.iterate),
    best: copyIterate(run.iterate),
    memory: copyMemory(run.memory),
  };
}

function solutionOf(course: Course, end: End, solver: Solver): Solution {
  const { run, iterations, evaluations } = course;
  const { status, how } = withoutBound(run.iterate.value) ?? end;
  const ending = `${how} (${counted(iterations, 'iteration')}, ${counted(evaluations, 'evaluation')}).`;
  const note = run.note?.();
  return {
    ...copyIterate(run.iterate),
    status,
    message: note === undefined ? ending : `${ending} ${note}`,
    evaluations,
    iterations,
    state: stateOf(course, solver),
  };
}

const onesOf = (size: number) => new Float64Array(size).fill(1);

const everywhere = (size: number): Box => ({
  lower: new Float64Array(size).fill(Number.NEGATIVE_INFINITY),
  upper: new Float64Array(size).fill(Number.POSITIVE_INFINITY),
});
