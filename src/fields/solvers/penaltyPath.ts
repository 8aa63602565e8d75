import { isFiniteArray } from '../../core/plainNumbers.ts';
import type { SolverMemory } from '../../model/solver.ts';
import { betterOf, countsOf, damagedMemory } from './fieldSearch.ts';
import { type MomentProblem, momentResidual, type PrecisionEntries } from './momentProblem.ts';
import { type MomentPoint, type MomentSearch, measuredMoments, penalizedNewton } from './penalizedNewton.ts';

/** Decay factor of the penalty. */
const PATH = 0.4;

/** Violation below which the penalty is decreased. */
const ON_PATH = 1e-2;

/** Fraction of the first penalty at which the path jumps to its end, however small the last penalty is. */
const JUMP = 1e-6;

/**
 * The maximum along a path of decreasing penalties, from the one at which Θ is diagonal: few signs change between two penalties, whereas Newton's
 * method alone needs many steps to determine them all. Results are evaluated with the last penalty. A start near the maximum makes the path
 * unnecessary.
 *
 * @param start - entries of a positive definite Θ; unless it is near the maximum, only a candidate for the best point, since the maximum is
 *   independent of the start
 * @param memory - saved state of an interrupted path
 */
export function* penaltyPath(problem: MomentProblem, start: PrecisionEntries, memory?: SolverMemory): MomentSearch {
  const { variances, covariances } = problem;
  let best: MomentPoint = measuredMoments(problem, start);
  let { iterations, evaluations } = countsOf(memory, 1);
  if (memory === undefined) evaluations++;
  const progress = () => ({ ...best, iterations, evaluations });
  const first = covariances.reduce((most, covariance) => Math.max(most, Math.abs(covariance)), 0);
  const resumed = memory === undefined ? undefined : savedOn(problem, memory);
  const isNear = resumed === undefined && best.kktResidual <= ON_PATH;
  let penalty = isNear ? problem.penalty : (resumed?.penalty ?? following(first, first, problem));
  let entries: PrecisionEntries = resumed?.entries ?? {
    diagonal: variances.map((variance) => 1 / variance),
    edges: new Float64Array(covariances.length),
  };
  if (isNear) entries = start;
  for (;;) {
    const last = penalty === problem.penalty;
    const before = { iterations, evaluations };
    const stage = { ...problem, penalty };
    const search = penalizedNewton(stage, entries, last ? undefined : ON_PATH);
    for (;;) {
      const step = search.next();
      const { value: at } = step;
      entries = at.entries;
      iterations = before.iterations + at.iterations;
      evaluations = before.evaluations + at.evaluations;
      best = betterOf(best, atPenalty(stage, problem, at));
      if (step.done) break;
      const saved = { penalty, diagonal: entries.diagonal, edges: entries.edges, iterations, evaluations };
      yield { ...progress(), memory: () => saved };
    }
    if (last) return progress();
    penalty = following(first, penalty, problem);
  }
}

/** Saved state of an interrupted path. */
function savedOn(
  { variances, covariances, penalty: last }: MomentProblem,
  { penalty, diagonal, edges }: SolverMemory,
): { readonly penalty: number; readonly entries: PrecisionEntries } {
  if (typeof penalty !== 'number' || !Number.isFinite(penalty) || penalty < last) throw damagedMemory('penalty');
  if (!isFiniteArray(diagonal, variances.length)) throw damagedMemory('diagonal');
  if (!isFiniteArray(edges, covariances.length)) throw damagedMemory('edges');
  return { penalty, entries: { diagonal, edges } };
}

/** The next penalty of the path. */
function following(first: number, penalty: number, { penalty: last }: MomentProblem): number {
  const next = PATH * penalty;
  return next < JUMP * first ? last : Math.max(last, next);
}

/** A point of the problem with one penalty, evaluated with another. */
function atPenalty(
  { penalty }: MomentProblem,
  problem: MomentProblem,
  { entries, value, excess }: MomentPoint,
): MomentPoint {
  const size = entries.edges.reduce((sum, entry) => sum + Math.abs(entry), 0);
  const x = Float64Array.from([...entries.diagonal, ...entries.edges]);
  const gradient = Float64Array.from([...excess.diagonal, ...excess.edges]);
  return {
    entries,
    value: value + 2 * (penalty - problem.penalty) * size,
    excess,
    kktResidual: momentResidual(problem, { x, gradient }),
  };
}
