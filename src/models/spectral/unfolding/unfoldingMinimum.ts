import { solve } from '../../../inference/minimize/solve.ts';
import { lbfgs } from '../../../inference/solvers/lbfgs.ts';
import { augmentedLagrangian } from './augmentedLagrangian.ts';
import { largestModulus } from './unfoldingCertificate.ts';
import { unfoldingNewton } from './unfoldingNewton.ts';
import { centre, type UnfoldingProblem } from './unfoldingProblem.ts';

/** How far a minimisation of an augmented Lagrangian has got. */
export interface MinimumProgress {
  readonly iterations: number;
  readonly evaluations: number;
  /** N×r points, which stay what they are, and the largest entry of the gradient before the last step; while the minimisation pauses. */
  standing(): { readonly Y: Float64Array; readonly gradientNorm: number };
}

/** Where it ended. */
export interface UnfoldingMinimum extends Omit<MinimumProgress, 'standing'> {
  /** N×r, centred. */
  readonly Y: Float64Array;
  /** Whether the gradient is as small as it has to be. */
  readonly settled: boolean;
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
  ): Generator<MinimumProgress, UnfoldingMinimum, void> {
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
      while (!step.done) {
        const at = step.value;
        const standing = () => ({ Y: movedBy(from, at.x, r), gradientNorm: at.gradientNorm });
        yield { iterations: at.iterations, evaluations: at.evaluations, standing };
        step = run.next();
      }
      const { x, status } = step.value;
      ({ iterations, evaluations } = step.value);
      Y = movedBy(from, x, r);
      if (status === 'converged') return { Y, settled: true, iterations, evaluations };
    }
    const steps = newton(Y, r, multipliers, weight, 2 * tolerance);
    let step = steps.next();
    while (!step.done) {
      const at = step.value;
      yield {
        ...at,
        iterations: iterations + at.iterations,
        evaluations: evaluations + at.evaluations,
      };
      step = steps.next();
    }
    iterations += step.value.iterations;
    evaluations += step.value.evaluations;
    return { ...step.value, iterations, evaluations };
  };
}

function movedBy(Y: Float64Array, x: Float64Array, r: number): Float64Array {
  const moved = Y.map((entry, p) => entry + x[p]!);
  centre(moved, r);
  return moved;
}
