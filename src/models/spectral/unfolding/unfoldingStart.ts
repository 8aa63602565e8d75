import { seededRandom } from '../../../core/random.ts';
import type { BottomOfStress } from './unfoldingCertificate.ts';
import { centre, excesses, type UnfoldingProblem } from './unfoldingProblem.ts';

/**
 * Points that are random, with the edges of the right length on average, and the weight of violations that the first round takes:
 * 1/λ of the Laplacian of weights 1, the multiplier that holds the points together if all edges share it, so that edges then
 * stretch by about their length.
 */
export function unfoldingStart(
  problem: UnfoldingProblem,
  r: number,
  bottomOf: (multipliers: Float64Array) => BottomOfStress,
): { Y: Float64Array; weight: number } {
  const random = seededRandom(1);
  const Y = Float64Array.from({ length: problem.size * r }, () => random.normal());
  centre(Y, r);
  const { sources } = problem;
  const mean = 1 + excesses(problem, Y, r).reduce((sum, excess) => sum + excess, 0) / sources.length;
  const { value } = bottomOf(new Float64Array(sources.length).fill(1));
  return { Y: Y.map((entry) => entry / Math.sqrt(mean)), weight: 1 / value };
}
