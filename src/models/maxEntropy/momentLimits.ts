import { InvalidInputError } from '../../core/errors.ts';
import type { Graph } from '../../core/graph/graph.ts';
import { MOST_ENTRIES } from '../../priors/constraints/penalizedNewton.ts';
import type { MomentProblem } from '../../priors/constraints/secondMoments.ts';
import { cliqueAbove } from './clique.ts';

/** Refuses what would need a larger Hessian than there can be: the entries of neighbours that the penalty does not outweigh are not 0. */
export function checkSize({ size, covariances, penalty }: MomentProblem, all: boolean): void {
  const edges = all
    ? 0
    : covariances.reduce((count, covariance) => count + (Math.abs(covariance) > penalty ? 1 : 0), 0);
  if (size + edges <= MOST_ENTRIES) return;
  throw new InvalidInputError(
    `drill takes Newton steps in all entries of the precision that are not 0, up to ${MOST_ENTRIES}, but with ${size} points ` +
      `${all ? '' : `and ${edges} pairs of neighbours whose covariance is above the penalty ${penalty} `}there would be at least about ` +
      `${size + edges}. Give fewer points${all ? '' : ', fewer neighbours or a larger penalty'}; meu takes more points.`,
  );
}

/**
 * Refuses a graph on which log|Θ| − tr(SΘ) has no bound: S has rank D at most, so it vanishes in some direction over any D + 1 points
 * that are all joined to each other.
 */
export function checkBounded({ size, sources, targets }: Graph, columns: number): void {
  const clique = cliqueAbove(columns, { size, sources, targets });
  if (clique === undefined) return;
  throw new InvalidInputError(
    `With penalty 0 the density of drill has no maximum on this graph: ${clique.length} points that are all joined to each other ` +
      `(${clique.slice(0, 5).join(', ')}${clique.length > 5 ? ', …' : ''}) are more than the ${columns} columns of Y say anything about. ` +
      'Give a penalty above 0, or fewer neighbours.',
  );
}
