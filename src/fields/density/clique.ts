import type { Edges } from '../../numerics/graph/graph.ts';

/**
 * More than `count` nodes that are all joined to each other, from a greedy search at each node: what it finds is one, and it may miss
 * some.
 */
export function cliqueAbove(
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
