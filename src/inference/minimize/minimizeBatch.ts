import type { Evaluation, Iterate, Solver, SolverRun } from '../../model/solver.ts';

/** Values and gradients of many small problems, each at a separate point. */
export interface BatchEvaluation {
  /** One value per problem; NaN if it is not finite. */
  readonly values: Float64Array;
  /** One gradient per problem, in the order of `values`. */
  readonly gradients: readonly Float64Array[];
}

export interface BatchSolution {
  /** Best point of each problem. */
  readonly points: readonly Float64Array[];
  /** Values at these points. */
  readonly values: Float64Array;
}

/** State of one problem: the solver's run, its best point, and the next point to evaluate. */
interface Running {
  readonly problem: number;
  readonly run: SolverRun;
  iterations: number;
  asked: Float64Array;
}

/**
 * Minimizes many small problems in parallel: every solver takes separate steps, and the points that they request are evaluated together in one
 * batched computation. A generator that pauses before every further evaluation.
 *
 * @param evaluate - values and gradients of the selected problems, each at a separate point
 * @param starts - first point of each problem
 * @param solver - such as `lbfgs()`
 * @param options - `maxIterations` of each problem, and `tolerance` on the largest entry of its gradient
 * @returns the best point of each problem; if the objective is not finite at the start, the start with value NaN
 */
export function* minimizeBatch(
  evaluate: (problems: readonly number[], points: readonly Float64Array[]) => BatchEvaluation,
  starts: readonly Float64Array[],
  solver: Solver,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
): Generator<void, BatchSolution, void> {
  const all = starts.map((_, problem) => problem);
  const first = evaluate(all, starts);
  const points = starts.map((start) => start.slice());
  const values = first.values.slice();
  let running: Running[] = [];
  for (const problem of all) {
    if (Number.isNaN(values[problem]!)) continue;
    const iterate: Iterate = {
      x: starts[problem]!.slice(),
      value: values[problem]!,
      gradient: first.gradients[problem]!.slice(),
    };
    const size = iterate.x.length;
    const unbounded = { lower: new Float64Array(size).fill(-Infinity), upper: new Float64Array(size).fill(Infinity) };
    const state = { problem, run: solver.begin(iterate, unbounded), iterations: 0, asked: iterate.x };
    if (advanced(state, iterate)) running.push(state);
  }
  while (running.length > 0) {
    yield;
    const { values: found, gradients } = evaluate(
      running.map(({ problem }) => problem),
      running.map(({ asked }) => asked),
    );
    running = running.filter((state, k) => {
      const { problem, asked } = state;
      if (found[k]! < values[problem]!) {
        values[problem] = found[k]!;
        points[problem]!.set(asked);
      }
      return advanced(state, { value: found[k]!, gradient: gradients[k]! });
    });
  }
  return { points, values };

  /** Passes an evaluation to a run and advances it to its next point; false if the run has ended. */
  function advanced(state: Running, evaluation: Evaluation): boolean {
    const { iterate, steps } = state.run;
    const isDone = () =>
      state.iterations >= maxIterations || iterate.gradient.every((entry) => Math.abs(entry) <= tolerance);
    if (isDone()) return false;
    for (;;) {
      const step = steps.next(evaluation);
      if (step.done) return false;
      if (step.value.kind === 'evaluate') {
        state.asked = step.value.point;
        return true;
      }
      state.iterations++;
      if (isDone()) return false;
    }
  }
}
