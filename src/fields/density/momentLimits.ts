import { InvalidInputError } from '../../core/errors.ts';
import type { Edges, Graph } from '../../engine/graph/graph.ts';
import type { MomentProblem } from '../../inference/solvers/fields/momentProblem.ts';
import { MOST_ENTRIES } from '../../inference/solvers/fields/penalizedNewton.ts';

/**
 * Refuses what would need a larger Hessian than there can be. Without a penalty no neighbours' entry is 0; with one the steps find out
 * which are.
 */
export function checkSize({
  size,
  covariances,
  penalty,
}: Pick<MomentProblem, 'size' | 'covariances' | 'penalty'>): void {
  const edges = penalty === 0 ? covariances.length : 0;
  if (size + edges <= MOST_ENTRIES) return;
  throw new InvalidInputError(
    `drill takes up to ${MOST_ENTRIES} entries of the precision that are not 0, but ${size} points ` +
      `${edges === 0 ? '' : `and, at penalty 0, ${edges} pairs of neighbours `}have ${size + edges} or more. ` +
      `Give fewer points${edges === 0 ? '' : ', fewer neighbours or a penalty above 0'}; meu takes more points.`,
  );
}

/**
 * Refuses a graph on which log|Θ| − tr(SΘ) has no bound: S has rank D at most, and its rows add up to 0, so it vanishes in some direction
 * over any D + 1 points that are all joined to each other, and over all N.
 */
export function checkBounded({ size, sources, targets }: Graph, columns: number): void {
  const clique = cliqueAbove(Math.min(columns, size - 1), { size, sources, targets });
  if (clique === undefined) return;
  const joined =
    clique.length === size
      ? `all ${size} points are joined to each other, and columns whose mean is taken off say nothing about the sum of all points`
      : `${clique.length} points that are all joined to each other (${clique.slice(0, 5).join(', ')}${clique.length > 5 ? ', …' : ''}) ` +
        `are more than the ${columns} columns of Y say anything about`;
  throw new InvalidInputError(
    `With penalty 0 the density of drill has no maximum on this graph: ${joined}. Give a penalty above 0, or fewer neighbours.`,
  );
}

/**
 * More than `count` nodes that are all joined to each other, from a greedy search at each node: what it finds is one, and it may miss
 * some.
 */
function cliqueAbove(
  count: number,
  { size, sources, targets }: Pick<Edges, 'sources' | 'targets'> & { readonly size: number },
): number[] | undefined {
  const joined = Array.from({ length: size }, () => new Set<number>());
  for (let e = 0; e < sources.length; e++) {
    joined[sources[e]!]!.add(targets[e]!);
    joined[targets[e]!]!.add(sources[e]!);
  }
  for (let first = 0; first < size; first++) {
    if (joined[first]!.size < count) continue;
    for (const second of joined[first]!) {
      const clique = [first, second];
      for (const next of joined[first]!) {
        if (clique.length <= count && clique.every((node) => node !== next && joined[node]!.has(next)))
          clique.push(next);
      }
      if (clique.length > count) return clique.sort((a, b) => a - b);
    }
  }
  return undefined;
}
