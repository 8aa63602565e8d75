import type { FitProblem } from './fitProblem.ts';
import type { Progress, Solution } from './solution.ts';

/** The thread is left for other work after this many milliseconds. */
const SLICE = 40;

/** Drives what `solve` returns to its end on a problem's own backend, leaving the thread every 40 ms. */
export async function solveInSlices(
  { compute }: FitProblem,
  run: Generator<Progress, Solution, void>,
): Promise<Solution> {
  let sliceBegan = performance.now();
  for (;;) {
    const step = compute(() => run.next());
    if (step.done) return step.value;
    if (performance.now() - sliceBegan > SLICE) {
      await new Promise((resume) => setTimeout(resume));
      sliceBegan = performance.now();
    }
  }
}
