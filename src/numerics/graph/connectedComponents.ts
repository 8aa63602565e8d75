import type { Edges } from './graph.ts';

/** The connected components of a graph. */
export interface Components {
  /** For every point the number of its component, from 0 in the order of their first points. */
  readonly labels: Int32Array;
  /** Number of points of each. */
  readonly sizes: Int32Array;
}

/** Points joined by a path of edges, by union and find. */
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
  // A root is the first point of its component, so its label is known before those of the others.
  for (let i = 0; i < size; i++) {
    const root = rootOf(i);
    if (root === i) labels[i] = sizes.push(0) - 1;
    else labels[i] = labels[root]!;
    sizes[labels[i]!]!++;
  }
  return { labels, sizes: Int32Array.from(sizes) };
}
