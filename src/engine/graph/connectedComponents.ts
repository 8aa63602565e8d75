import type { Edges } from './graph.ts';

/** The connected components of a graph. */
interface Components {
  /** Component of each point, numbered from 0 in the order of their first points. */
  readonly labels: Int32Array;
  /** Number of points of each component. */
  readonly sizes: Int32Array;
}

/** Connected components by union and find. */
export function connectedComponents({
  size,
  sources,
  targets,
}: Pick<Edges, 'sources' | 'targets'> & { readonly size: number }): Components {
  const parent = Int32Array.from({ length: size }, (_, i) => i);
  const rootOf = (i: number) => {
    let root = i;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root]!]!;
      root = parent[root]!;
    }
    return root;
  };
  for (let e = 0; e < sources.length; e++) {
    const a = rootOf(sources[e]!);
    const b = rootOf(targets[e]!);
    if (a !== b) parent[Math.max(a, b)] = Math.min(a, b);
  }
  const labels = new Int32Array(size);
  const sizes: number[] = [];
  // The root of a component is its first point, so that its label is known before the labels of the others.
  for (let i = 0; i < size; i++) {
    const root = rootOf(i);
    if (root === i) labels[i] = sizes.push(0) - 1;
    else labels[i] = labels[root]!;
    sizes[labels[i]!]!++;
  }
  return { labels, sizes: Int32Array.from(sizes) };
}

/**
 * Edges of a minimum spanning tree, or one for each component, ascending; ties are resolved by index.
 *
 * @param graph - pairs of points
 * @param lengths - length of each edge
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

/**
 * Pairs of points that join the components of a graph at the least sum of lengths: the edges between components in the minimum spanning tree of all
 * pairs, if edges within components have length 0.
 *
 * @param labels - the component of each point
 * @param length - length of the edge between two points, Infinity if there can be none
 * @returns pairs (i, j), i < j; fewer than the number of components minus one if some cannot be joined
 * @see Prim 1957
 */
export function joiningPairs(labels: Int32Array, length: (i: number, j: number) => number): [number, number][] {
  const size = labels.length;
  const least = new Float64Array(size).fill(Infinity);
  const nearest = new Int32Array(size);
  const isInside = new Uint8Array(size);
  const pairs: [number, number][] = [];
  let next = 0;
  for (;;) {
    const component = labels[next];
    const members = Int32Array.from(labels.keys()).filter((i) => labels[i] === component);
    for (const i of members) isInside[i] = 1;
    for (let j = 0; j < size; j++) {
      if (isInside[j] === 1) continue;
      for (const i of members) {
        const between = length(i, j);
        if (between < least[j]!) [least[j], nearest[j]] = [between, i];
      }
    }
    next = -1;
    for (let j = 0; j < size; j++) {
      if (isInside[j] === 0 && least[j]! < Infinity && (next < 0 || least[j]! < least[next]!)) next = j;
    }
    if (next < 0) return pairs;
    const other = nearest[next]!;
    pairs.push([Math.min(next, other), Math.max(next, other)]);
  }
}
