import type { Edges } from '../../numerics/graph/graph.ts';
import { spanningTree } from '../../numerics/graph/spanningTree.ts';

/**
 * A penalty at which the graphical lasso's learned graph joins whatever its edges join: ρ = s/2, s the smallest |S_ij| in the spanning tree of
 * the largest ones.
 *
 * For suppose Θ has no entry between some points and the others. Then neither has W = Θ⁻¹, and the condition |W_ij − S_ij| ≤ ρ of an edge across
 * says |S_ij| ≤ ρ. But some edge of the tree leads across, and has |S_ij| ≥ s > ρ.
 *
 * @param edges - pairs whose entries of Θ may differ from 0
 * @param covariances - S_ij, one of each
 * @see Witten, Friedman & Simon 2011; Mazumder & Hastie 2012
 */
export function connectingPenalty(
  edges: Pick<Edges, 'sources' | 'targets'> & { readonly size: number },
  covariances: Float64Array,
): number {
  const sizes = covariances.map(Math.abs);
  let smallest = Infinity;
  for (const e of spanningTree(
    edges,
    sizes.map((size) => -size),
  ))
    smallest = Math.min(smallest, sizes[e]!);
  return smallest / 2;
}
