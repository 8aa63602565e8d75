import { solve } from '../../../inference/minimize/solve.ts';
import { lbfgs } from '../../../inference/solvers/lbfgs.ts';
import type { EmbeddingProgress } from '../../../model/model.ts';
import { augmentedLagrangian } from './augmentedLagrangian.ts';
import { largestModulus } from './unfoldingCertificate.ts';
import { unfoldingNewton } from './unfoldingNewton.ts';
import { centre, type UnfoldingProblem } from './unfoldingProblem.ts';

/** Where the minimisation of an augmented Lagrangian ended. */
export interface UnfoldingMinimum extends EmbeddingProgress {
  /** N×r, centred. */
  readonly Y: Float64Array;
  /** Whether the gradient is as small as it has to be. */
  readonly settled: boolean;
  readonly stopped: boolean;
}

/** At this tolerance and above the generic solver comes first: far from a minimum its steps cost a hundredth of Newton's, and get as far. */
const COARSE = 1e-3;
const MOST_COARSE = 1000;

/**
 * Minimises one augmented Lagrangian after the other from N×r points, until no entry of the gradient is beyond 2·tolerance times the
 * largest of Y: by L-BFGS where that is coarse, and on by truncated Newton steps, since the stiffness of the edges over that of the folds
 * between them is a condition number in the millions.
 */
export function unfoldingMinimum(problem: UnfoldingProblem) {
  const newton = unfoldingNewton(problem);
  return function* (
    from: Float64Array,
    r: number,
    multipliers: Float64Array,
    weight: number,
    tolerance: number,
  ): Generator<EmbeddingProgress, UnfoldingMinimum, boolean> {
    let Y = from;
    let [iterations, evaluations] = [0, 0];
    if (tolerance >= COARSE) {
      const objective = augmentedLagrangian(problem, Y, r, multipliers, weight);
      const run = solve(objective, new Float64Array(Y.length), lbfgs({ history: 10 }), {
        maxIterations: MOST_COARSE,
        tolerance: 2 * tolerance * largestModulus(Y),
        relativeDecrease: 0,
      });
      let step = run.next();
      let stopped = false;
      while (!step.done && !stopped) {
        stopped = yield step.value;
        if (!stopped) step = run.next();
      }
      const { x } = step.value;
      ({ iterations, evaluations } = step.value);
      Y = Y.map((entry, p) => entry + x[p]!);
      centre(Y, r);
      const settled = step.done === true && step.value.status === 'converged';
      if (settled || stopped) return { Y, settled, stopped, iterations, evaluations };
    }
    const steps = newton(Y, r, multipliers, weight, 2 * tolerance);
    let step = steps.next(false);
    let stopped = false;
    while (!step.done) {
      stopped = yield {
        iterations: iterations + step.value.iterations,
        evaluations: evaluations + step.value.evaluations,
      };
      step = steps.next(stopped);
    }
    iterations += step.value.iterations;
    evaluations += step.value.evaluations;
    return { Y: step.value.Y, settled: step.value.settled, stopped, iterations, evaluations };
  };
}
