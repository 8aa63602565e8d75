import type { ComputationStep, Embedding } from '../../model/computation.ts';
import { type End, interruptionOf, limitOf } from '../minimize/ending.ts';
import { slices } from '../minimize/slices.ts';
import type { SolverState } from '../minimize/solution.ts';
import type { FitProblem } from './fitProblem.ts';
import type { RunEvent, RunSettings, RunSolution, Start } from './run.ts';

const NONE = new Float64Array(0);

/**
 * Takes the steps of a model that computes its solution, in slices on the float64 backend, until it ends by itself or a limit ends it where it
 * stands; everything of the caller's happens outside of it, while the generator pauses.
 *
 * @param signal - ends the run at its next step; a reason that is a string says who stopped it
 */
export async function* computedFrom(
  { model, seed, compute }: FitProblem,
  { number: start, state: saved }: Start,
  { maxIterations = Infinity, maxEvaluations = Infinity, tolerance, stateInterval = Infinity }: RunSettings,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void, void> {
  const limits = { maxIterations, maxEvaluations, maxSeconds: Infinity, signal };
  let { iterations = 0, evaluations = 0 } = saved ?? {};
  let state = saved ?? stateOf(model.name, {}, iterations, evaluations);
  let at: ComputationStep | undefined;
  let standing: (() => Embedding) | undefined;
  let stage: string | undefined;
  let end: End | undefined;
  let reported = -1;
  let written = -Infinity;
  const begun = compute(() => model.solve!({ seed, tolerance, memory: saved?.memory }));
  const steps = 'next' in begun ? begun : undefined;
  const slice = slices();
  let step = steps === undefined ? { done: true as const, value: begun as Embedding } : compute(() => steps.next());
  try {
    while (!step.done) {
      at = step.value;
      evaluations += at.evaluations ?? 0;
      standing = at.embedding ?? standing;
      if (at.kind === 'iteration') {
        const entry = { iteration: ++iterations, evaluations, objective: at.objective, gradientNorm: at.gradientNorm };
        reported = iterations;
        yield { kind: 'iteration', start, entry, point: { x: NONE, embedding: standing } };
      }
      if (at.memory !== undefined) state = stateOf(model.name, at.memory, iterations, evaluations);
      if (at.kind === 'pause' && at.stage !== undefined && (at.stage !== stage || slice.isOver())) {
        stage = at.stage;
        const entry = { iteration: iterations, evaluations, objective: Number.NaN, gradientNorm: Number.NaN };
        yield { kind: 'stage', start, entry, stage: { name: stage, part: at.part ?? 0 } };
      }
      if (performance.now() - written >= 1000 * stateInterval) {
        yield { kind: 'state', start, state };
        written = performance.now();
      }
      if (slice.isOver()) await slice.leave();
      // A solution in closed form takes no iterations, so that no limit on them ends it.
      end = (standing && limitOf(iterations, limits)) ?? interruptionOf(evaluations, 0, limits);
      if (end !== undefined) break;
      step = compute(() => steps!.next());
    }
  } finally {
    steps?.return(undefined as never);
  }
  const embedding = step.done ? step.value : standing && compute(standing);
  const solution = {
    ...outcomeOf(embedding, end, stage),
    ...{
      x: NONE,
      value: -(embedding?.objective ?? Number.NaN),
      gradient: NONE,
      evaluations,
      iterations,
      state,
      embedding,
    },
  };
  if (embedding !== undefined && reported < 0) {
    const { objective, optimality } = embedding;
    const entry = { iteration: iterations, evaluations, objective, gradientNorm: optimality?.gradientNorm ?? 0 };
    yield { kind: 'iteration', start, entry, point: { x: NONE, embedding } };
  }
  yield { kind: 'end', start, solution };
}

/** How a computation ended that came to an embedding, or was ended before there was one. */
function outcomeOf(
  embedding: Embedding | undefined,
  end: End | undefined,
  stage: string | undefined,
): Pick<RunSolution, 'status' | 'message'> {
  if (embedding === undefined) {
    const where = stage === undefined ? '' : ` in the stage '${stage}'`;
    return { status: end!.status, message: `${end!.how}${where}, before there was an embedding.` };
  }
  const { message, optimality } = embedding;
  if (optimality?.converged ?? end === undefined) return { status: 'converged', message };
  return end === undefined ? { status: 'failed', message } : { status: end.status, message: `${end.how}. ${message}` };
}

/** Of a model without variables there is only what its computation remembers. */
function stateOf(solver: string, memory: SolverState['memory'], iterations: number, evaluations: number): SolverState {
  const iterate = { x: NONE, value: 0, gradient: NONE };
  const decreases = Float64Array.of(Infinity, Infinity);
  return { solver, iterations, evaluations, decreases, scale: NONE, iterate, best: iterate, memory };
}
