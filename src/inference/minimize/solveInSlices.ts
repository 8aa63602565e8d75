import type { FitProblem } from '../fit/fitProblem.ts';
import { slices } from './slices.ts';
import type { Progress, Solution } from './solution.ts';

/** Drives what `solve` returns to its end on a problem's own backend, leaving the thread every 40 ms. */
export async function solveInSlices(
  { compute }: FitProblem,
  run: Generator<Progress, Solution, void>,
): Promise<Solution> {
  const slice = slices();
  for (;;) {
    const step = compute(() => run.next());
    if (step.done) return step.value;
    if (slice.isOver()) await slice.leave();
  }
}
