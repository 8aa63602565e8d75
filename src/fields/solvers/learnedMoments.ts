import { NumericalError } from '../../core/errors.ts';
import { completed } from '../../core/progressiveWork.ts';
import { centralPath } from './centralPath.ts';
import type { MomentProblem } from './momentProblem.ts';
import { type MomentPoint, penalizedNewton } from './penalizedNewton.ts';
import { penaltyPath } from './penaltyPath.ts';

/** Largest violation of the optimality conditions that is accepted as a maximum. */
const FOUND = 1e-6;

/** Violation of the optimality conditions above which the slower path is tried too. */
const EXACT = 1e-9;

/**
 * The maximum of log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij|, from the same start for all moments, so that it depends on them only: the central path determines
 * the zero entries, and Newton's method continues from there. If a violation remains, the path of penalties is followed.
 *
 * @throws NumericalError if rounding keeps both from the maximum
 */
export function learnedMoments(problem: MomentProblem): MomentPoint {
  const { variances, covariances } = problem;
  const near = centralPath(problem);
  const quick = near === undefined ? undefined : completed(penalizedNewton(problem, near));
  if (quick !== undefined && quick.kktResidual <= EXACT) return quick;
  const apart = { diagonal: variances.map((variance) => 1 / variance), edges: new Float64Array(covariances.length) };
  const found = completed(penaltyPath(problem, quick?.entries ?? apart));
  if (found.kktResidual <= FOUND) return found;
  throw new NumericalError(
    `The precision of the field given the latents meets its conditions to ${found.kktResidual.toExponential(1)} only. Raise its penalty.`,
  );
}
