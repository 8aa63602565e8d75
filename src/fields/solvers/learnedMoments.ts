import { NumericalError } from '../../core/errors.ts';
import { completed } from '../../core/inParts.ts';
import type { MomentProblem } from '../density/secondMoments.ts';
import type { MomentPoint } from './penalizedNewton.ts';
import { penaltyPath } from './penaltyPath.ts';

/** Largest violation of the optimality conditions that counts as a maximum. */
const FOUND = 1e-6;

/**
 * The maximum of log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij|, from the same start for all moments, so that it depends on them only.
 *
 * @throws NumericalError when rounding keeps the search from the maximum
 */
export function learnedMoments(problem: MomentProblem): MomentPoint {
  const { variances, covariances } = problem;
  const apart = { diagonal: variances.map((variance) => 1 / variance), edges: new Float64Array(covariances.length) };
  const learned = completed(penaltyPath(problem, apart));
  if (learned.kktResidual <= FOUND) return learned;
  throw new NumericalError(
    `The precision of the field given the latents meets its conditions to ${learned.kktResidual.toExponential(1)} only. Raise its penalty.`,
  );
}
