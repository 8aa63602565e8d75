import type { Embedding } from '../../model/computation.ts';
import type { Solver } from '../../model/solver.ts';
import { evaluateStart, type ScaledObjective, scaledObjective } from '../minimize/scaledObjective.ts';
import {
  copyIterate,
  type End,
  interruptionOf,
  limitOf,
  type Progress,
  type Solution,
  type SolverState,
} from '../minimize/solution.ts';
import type { FitProblem } from './fitProblem.ts';
import type { RunSettings, RunSolution, Stage } from './run.ts';

const NONE = new Float64Array(0);

/** Progress of a computation: an iteration, or the middle of a stage. */
export interface ComputedProgress extends Progress {
  readonly stage?: Stage | undefined;
  readonly embedding?: (() => Embedding) | undefined;
}

/** Steps of a model that computes its solution, until it finishes or reaches a limit. */
export function* computation(
  { model, seed }: Pick<FitProblem, 'model' | 'seed'>,
  saved: SolverState | undefined,
  { maxIterations = Infinity, maxEvaluations = Infinity, tolerance }: RunSettings,
  signal: AbortSignal,
): Generator<ComputedProgress, RunSolution, void> {
  const limits = { maxIterations, maxEvaluations, maxSeconds: Infinity, signal };
  let { iterations = 0, evaluations = 0 } = saved ?? {};
  let state = saved ?? stateOf(model.name, {}, iterations, evaluations);
  let standing: (() => Embedding) | undefined;
  let stage: Stage | undefined;
  let end: End | undefined;
  const solved = model.solve!({ seed, tolerance, memory: saved?.memory });
  const steps = 'next' in solved ? solved : undefined;
  let step = steps === undefined ? { done: true as const, value: solved as Embedding } : steps.next();
  try {
    while (!step.done) {
      const at = step.value;
      evaluations += at.evaluations ?? 0;
      standing = at.embedding ?? standing;
      if (at.kind === 'iteration') iterations++;
      if (at.memory !== undefined) state = stateOf(model.name, at.memory, iterations, evaluations);
      const here = at.kind === 'pause' && at.stage !== undefined ? { name: at.stage, part: at.part ?? 0 } : undefined;
      stage = here ?? stage;
      const [value, gradientNorm] =
        at.kind === 'iteration' ? [-at.objective, at.gradientNorm] : [Number.NaN, Number.NaN];
      // A solution in closed form takes no iterations, so that no limit on them ends it.
      const limited = () => (standing && limitOf(iterations, limits)) ?? interruptionOf(evaluations, 0, limits);
      yield {
        iterations,
        evaluations,
        value,
        gradientNorm,
        isEvaluated: false,
        x: NONE,
        state,
        stage: here,
        embedding: standing,
      };
      end = limited();
      if (end !== undefined) break;
      step = steps!.next();
    }
  } finally {
    steps?.return(undefined as never);
  }
  const embedding = step.done ? step.value : standing?.();
  const value = -(embedding?.objective ?? Number.NaN);
  return {
    ...outcomeOf(embedding, end, stage?.name),
    x: NONE,
    value,
    gradient: NONE,
    evaluations,
    iterations,
    state,
    embedding,
  };
}

/** Status and message of a computation that reached an embedding, or was stopped before it had one. */
function outcomeOf(
  embedding: Embedding | undefined,
  end: End | undefined,
  stage: string | undefined,
): Pick<RunSolution, 'status' | 'ending' | 'message'> {
  if (embedding === undefined) {
    const where = stage === undefined ? '' : ` in the stage '${stage}'`;
    return { ...statusOf(end!), message: `${end!.how}${where}, before there was an embedding.` };
  }
  const { message, optimality } = embedding;
  if (optimality?.converged ?? end === undefined) return { status: 'converged', ending: 'optimality', message };
  return end === undefined
    ? { status: 'failed', ending: 'failed', message }
    : { ...statusOf(end), message: `${end.how}. ${message}` };
}

const statusOf = ({ status, ending }: End) => ({ status, ending });

/** State of a model without variables: the memory of its computation. */
function stateOf(solver: string, memory: SolverState['memory'], iterations: number, evaluations: number): SolverState {
  const iterate = { x: NONE, value: 0, gradient: NONE };
  const decreases = Float64Array.of(Infinity, Infinity);
  return { solver, iterations, evaluations, decreases, scale: NONE, iterate, best: iterate, memory };
}

/**
 * Solution of a problem without variables, which has a single point.
 *
 * @param solver - solver whose state is returned
 * @throws OptimizationError if the log density is not finite there
 */
export function onlyPoint({ compute, objective, layout }: FitProblem, solver: Solver): Solution {
  const none = new Float64Array(0);
  const scaled: ScaledObjective = scaledObjective(objective, none, { lower: none, upper: none });
  const point = compute(() => evaluateStart(scaled, none));
  return {
    ...copyIterate(point),
    status: 'converged',
    ending: 'optimality',
    message:
      layout.variables.length === 0
        ? 'Closed form.'
        : 'Every parameter of the model is fixed, so there is nothing to fit. This is the model at these values.',
    evaluations: 1,
    iterations: 0,
    state: {
      solver: solver.name,
      iterations: 0,
      evaluations: 1,
      decreases: Float64Array.of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
      scale: none,
      iterate: copyIterate(point),
      best: copyIterate(point),
      memory: {},
    },
  };
}
