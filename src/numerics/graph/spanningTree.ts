import type { Edges } from './graph.ts';

/**
 * The edges of a minimum spanning tree, or of one of each component, ascending; of equally long edges the first comes first.
 *
 * @param graph - pairs of points
 * @param lengths - one of each edge
 * @see Borůvka 1926; Nešetřil, Milková & Nešetřilová 2001
 */
export function spanningTree(
  { size, sources, targets }: Pick<Edges, 'sources' | 'targets'> & { readonly size: number },
  lengths: Float64Array,
): Int32Array {
  const parts = Int32Array.from({ length: size }, (_, i) => i);
  const rootOf = (i: number) => {
    let root = i;
    while (parts[root] !== root) {
      parts[root] = parts[parts[root]!]!;
      root = parts[root]!;
    }
    return root;
  };
  const chosen: number[] = [];
  const roots = new Int32Array(size);
  /** The shortest edge that leaves each part, and its length. */
  const nearest = new Int32Array(size);
  const shortest = new Float64Array(size);
  for (;;) {
    nearest.fill(-1);
    for (let i = 0; i < size; i++) roots[i] = rootOf(i);
    for (let e = 0; e < sources.length; e++) {
      const a = roots[sources[e]!]!;
      const b = roots[targets[e]!]!;
      if (a === b) continue;
      const length = lengths[e]!;
      if (nearest[a]! < 0 || length < shortest[a]!) {
        nearest[a] = e;
        shortest[a] = length;
      }
      if (nearest[b]! < 0 || length < shortest[b]!) {
        nearest[b] = e;
        shortest[b] = length;
      }
    }
    const before = chosen.length;
    for (const e of nearest) {
      if (e < 0) continue;
      const a = rootOf(sources[e]!);
      const b = rootOf(targets[e]!);
      if (a === b) continue;
      parts[a] = b;
      chosen.push(e);
    }
    if (chosen.length === before) return Int32Array.from(chosen).sort();
  }
}
