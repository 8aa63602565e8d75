import type { Edges } from '../../numerics/graph/graph.ts';
import { spanningTree } from '../../numerics/graph/spanningTree.ts';

/**
 * A base precision at which the learned graph is connected, whatever the unit of the distances and the slack penalty:
 *
 * λ = 2c/(N·φ*), φ* the longest edge of the minimum spanning tree.
 *
 * For suppose the learned graph leaves m points and the others apart. In a component of m points U_ii ≥ 1/(mλ), so that every edge across
 * has c·R_e ≥ (c/λ)·(1/m + 1/(N − m)) ≥ 4c/(Nλ) = 2φ*. Some edge of the tree leads across, and has φ_e ≤ φ* < c·R_e, against the condition
 * c·R_e ≤ φ_e of an edge without weight.
 *
 * @param edges - that may have a weight; where they leave points apart, the rule holds for each part
 * @param squaredDistances - φ, one of each; not all 0
 */
export function connectingPrecision(
  edges: Pick<Edges, 'sources' | 'targets'> & { readonly size: number },
  squaredDistances: Float64Array,
  copies: number,
): number {
  let longest = 0;
  for (const e of spanningTree(edges, squaredDistances)) longest = Math.max(longest, squaredDistances[e]!);
  return (2 * copies) / (edges.size * longest);
}
