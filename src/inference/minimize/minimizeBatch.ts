import type { Evaluation, Iterate, Solver, SolverRun } from '../../model/solver.ts';

/** Values and gradients of many small problems, each at its own point. */
export interface BatchEvaluation {
  /** One a problem; NaN where it is not finite. */
  readonly values: Float64Array;
  /** One row a problem, in the order of `values`. */
  readonly gradients: readonly Float64Array[];
}

export interface BatchSolution {
  /** The best point of each problem. */
  readonly points: readonly Float64Array[];
  /** The values there. */
  readonly values: Float64Array;
}

/** One problem on its way: the solver's run, its best point, and the point it wants evaluated next. */
interface Running {
  readonly problem: number;
  readonly run: SolverRun;
  iterations: number;
  asked: Float64Array;
}

/**
 * Minimizes many independent small problems side by side: every solver takes its own steps, and the points that they ask for are
 * evaluated together, so that one batched computation serves them all. A generator, which pauses before every further evaluation.
 *
 * @param evaluate - values and gradients of the named problems, each at its own point
 * @param starts - the first point of each problem
 * @param solver - such as `lbfgs()`
 * @param options - `maxIterations` of each problem, and `tolerance` on the largest entry of its gradient
 * @returns the best point of each problem; where the start is not finite, the start with value NaN
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

  /** Hands a run its evaluation and takes it to the next point it asks for; false when it has come to an end. */
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
