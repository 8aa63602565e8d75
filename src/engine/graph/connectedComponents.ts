import type { Matrix } from '../../core/matrix.ts';
import { LEAF, type PointTree, pointTree } from '../neighbors/pointTree.ts';
import { squaredDistances, squaredDistanceToBox } from '../neighbors/squaredDistance.ts';
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

/** Pairs of points. */
type Pairs = Pick<Edges, 'sources' | 'targets'> & { readonly size: number };

/** A pair of points in different components; pairs of equal length are ordered by their points. */
interface Bridge {
  readonly square: number;
  readonly source: number;
  readonly target: number;
}

/** The shortest connection from each component of a graph to another one, given the labels of the points; the largest component may be left out. */
type BridgesOf = (labels: Int32Array, sizes: Int32Array) => (Bridge | undefined)[];

/**
 * The shortest edges that join the components of a graph on points: a minimum spanning tree of the components, whose distances are those between
 * their nearest points. Empty for a connected graph. Borůvka's algorithm: each component except the largest searches for the nearest point outside in
 * a k-d tree, which skips subtrees within the component, until all are joined.
 *
 * @param points - N×D, finite
 * @returns edges in the order of the points
 * @see Borůvka 1926; March, Ram & Gray 2010
 */
export function componentTree(graph: Pairs, points: Matrix): { sources: Int32Array; targets: Int32Array } {
  return joined(graph, () => {
    const tree = pointTree(points);
    return (labels, sizes) => nearestOutside(tree, points, labels, sizes);
  });
}

/** Component tree from N×N distances. */
export function componentTreeOf(graph: Pairs, distances: Matrix): { sources: Int32Array; targets: Int32Array } {
  const N = distances.rows;
  return joined(graph, () => (labels, sizes) => {
    const best = new Array<Bridge | undefined>(sizes.length);
    for (let i = 0; i < N; i++) {
      for (let j = 0; j < i; j++) {
        if (labels[i] === labels[j]) continue;
        const bridge = { square: distances.data[i * N + j]!, source: j, target: i };
        for (const part of [labels[i]!, labels[j]!]) if (isShorter(bridge, best[part])) best[part] = bridge;
      }
    }
    return best;
  });
}

function joined(graph: Pairs, search: () => BridgesOf): { sources: Int32Array; targets: Int32Array } {
  const { size } = graph;
  const added: Bridge[] = [];
  let components = connectedComponents(graph);
  if (components.sizes.length > 1) {
    const bridgesOf = search();
    while (components.sizes.length > 1) {
      const { labels, sizes } = components;
      for (const bridge of bridgesOf(labels, sizes)) {
        if (bridge !== undefined && !added.some((other) => isSame(other, bridge))) added.push(bridge);
      }
      components = connectedComponents({
        size,
        sources: Int32Array.from([...graph.sources, ...added.map(({ source }) => source)]),
        targets: Int32Array.from([...graph.targets, ...added.map(({ target }) => target)]),
      });
    }
  }
  added.sort((a, b) => a.source - b.source || a.target - b.target);
  return {
    sources: Int32Array.from(added, ({ source }) => source),
    targets: Int32Array.from(added, ({ target }) => target),
  };
}

const isSame = (a: Bridge, b: Bridge) => a.source === b.source && a.target === b.target;

function isShorter(a: Bridge, b: Bridge | undefined): boolean {
  if (b === undefined || a.square !== b.square) return b === undefined || a.square < b.square;
  return a.source < b.source || (a.source === b.source && a.target < b.target);
}

function nearestOutside(
  tree: PointTree,
  { data }: Matrix,
  labels: Int32Array,
  sizes: Int32Array,
): (Bridge | undefined)[] {
  const { size, dimension: D, order, points, start, end, child, lower, upper } = tree;
  const largest = sizes.indexOf(sizes.reduce((most, count) => Math.max(most, count)));
  const owner = ownersOf(tree, labels);
  const best = new Array<Bridge | undefined>(sizes.length);
  const squares = new Float64Array(LEAF);
  const nodes = new Int32Array(128);
  for (let place = 0; place < size; place++) {
    const i = order[place]!;
    const own = labels[i]!;
    if (own === largest) continue;
    let depth = 1;
    nodes[0] = 0;
    while (depth > 0) {
      const v = nodes[--depth]!;
      if (owner[v] === own) continue;
      if (squaredDistanceToBox(data, i * D, lower, upper, v * D, D) > (best[own]?.square ?? Infinity)) continue;
      if (child[v] !== 0) {
        const left = child[v]!;
        const toLeft = squaredDistanceToBox(data, i * D, lower, upper, left * D, D);
        const toRight = squaredDistanceToBox(data, i * D, lower, upper, (left + 1) * D, D);
        // The nearer child is searched first.
        nodes[depth++] = toLeft < toRight ? left + 1 : left;
        nodes[depth++] = toLeft < toRight ? left : left + 1;
        continue;
      }
      const count = end[v]! - start[v]!;
      squaredDistances(data, i * D, points, start[v]! * D, D, count, squares);
      for (let p = 0; p < count; p++) {
        const j = order[start[v]! + p]!;
        if (labels[j] === own) continue;
        const bridge = { square: squares[p]!, source: Math.min(i, j), target: Math.max(i, j) };
        if (isShorter(bridge, best[own])) best[own] = bridge;
      }
    }
  }
  return best;
}

/** The component that all points of each node belong to, or −1. */
function ownersOf({ order, start, end, child }: PointTree, labels: Int32Array): Int32Array {
  const owner = new Int32Array(child.length);
  // Children come after their parents.
  for (let v = child.length - 1; v >= 0; v--) {
    if (end[v] === start[v]) continue;
    if (child[v] !== 0) {
      const left = child[v]!;
      owner[v] = owner[left] === owner[left + 1] ? owner[left]! : -1;
      continue;
    }
    const first = labels[order[start[v]!]!]!;
    const isWhole = order.subarray(start[v], end[v]).every((i) => labels[i] === first);
    owner[v] = isWhole ? first : -1;
  }
  return owner;
}
