import { square } from '../../core/elementary/index.ts';
import type { Adjacency } from './sparseSymmetric.ts';

/** The columns of L as a tree: the parent of a column is the row of its first entry below the diagonal, −1 at a root. */
interface EliminationTree {
  readonly parent: Int32Array;
  /** Number of entries in each column of L, including the diagonal. */
  readonly counts: Int32Array;
}

/**
 * Elimination tree of a symmetric matrix whose rows and columns are eliminated in a given order: tree node k is `order[k]`.
 *
 * @see Liu, SIAM J. Matrix Anal. Appl. 11 (1990): row k of L is the part of the tree below k reachable from row k of A
 */
export function eliminationTree({ size, starts, neighbors }: Adjacency, order: Int32Array): EliminationTree {
  const position = new Int32Array(size);
  for (let k = 0; k < size; k++) position[order[k]!] = k;
  const parent = new Int32Array(size).fill(-1);
  const ancestor = new Int32Array(size).fill(-1);
  const counts = new Int32Array(size).fill(1);
  const seen = new Int32Array(size).fill(-1);
  for (let k = 0; k < size; k++) {
    const node = order[k]!;
    for (let p = starts[node]!; p < starts[node + 1]!; p++) {
      // Path compression finds the tree in nearly linear time.
      for (let i = position[neighbors[p]!]!; i < k; ) {
        const next = ancestor[i]!;
        ancestor[i] = k;
        if (next === -1) parent[i] = k;
        if (next === -1 || next === k) break;
        i = next;
      }
    }
    seen[k] = k;
    for (let p = starts[node]!; p < starts[node + 1]!; p++) {
      for (let i = position[neighbors[p]!]!; i < k && seen[i] !== k; i = parent[i]!) {
        seen[i] = k;
        counts[i]!++;
      }
    }
  }
  return { parent, counts };
}

/** Widest supernode: wide enough for dense loops, narrow enough for a block of L to stay in the cache. */
const WIDEST = 32;

/** Supernodes in postorder: children come before their parents, and subtrees of siblings are not interleaved. */
export interface AssemblyTree {
  /** Number of supernodes. */
  readonly count: number;
  /** Supernode s has the tree nodes `columns[starts[s]]` … `columns[starts[s + 1] − 1]`. */
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  /** Parent of each supernode, −1 at a root. */
  readonly parent: Int32Array;
}

/**
 * Groups columns of L with similar structure into supernodes, so that the arithmetic is done on dense blocks. A child is merged into its parent if
 * this adds few zeros.
 *
 * @param grounded - whether every column of L has an additional row at the end
 * @see Ashcraft & Grimes, ACM TOMS 15 (1989), on relaxed supernodes
 */
export function assemblyTree({ parent, counts }: EliminationTree, grounded: boolean): AssemblyTree {
  const size = parent.length;
  const groups = {
    width: new Int32Array(size).fill(1),
    front: Int32Array.from(counts, (count) => count + (grounded ? 1 : 0)),
    zeros: new Float64Array(size),
    /** Representative of a group: its last column. */
    into: Int32Array.from({ length: size }, (_, k) => k),
  };
  // Children come before their parents, so that a group is complete when it is offered to its parent.
  for (let k = 0; k < size; k++) if (parent[k] !== -1) joinIfFewZeros(groups, k, parent[k]!);
  for (let k = size - 1; k >= 0; k--) groups.into[k] = groups.into[groups.into[k]!]!;
  const parentGroup = parent.map((p) => (p === -1 ? -1 : groups.into[p]!));
  return ordered(groups, parentGroup);
}

interface Groups {
  readonly width: Int32Array;
  /** Width, and the rows below. */
  readonly front: Int32Array;
  readonly zeros: Float64Array;
  readonly into: Int32Array;
}

function joinIfFewZeros({ width, front, zeros, into }: Groups, child: number, parent: number): void {
  const columns = width[child]! + width[parent]!;
  if (columns > WIDEST) return;
  const rows = width[child]! + front[parent]!;
  const total = entries(columns, rows);
  const added = total - entries(width[child]!, front[child]!) - entries(width[parent]!, front[parent]!);
  const stored = added + zeros[child]! + zeros[parent]!;
  if (stored > allowedZeros(columns) * total) return;
  width[parent] = columns;
  front[parent] = rows;
  zeros[parent] = stored;
  into[child] = parent;
}

/** Entries of `columns` columns of L on and below the diagonal, the first of them `rows` long. */
function entries(columns: number, rows: number): number {
  return columns * rows - (columns * (columns - 1)) / 2;
}

/** Narrow blocks cost more in bookkeeping than in arithmetic, so that zeros are cheap there. */
function allowedZeros(columns: number): number {
  if (columns <= 4) return 0.5;
  if (columns <= 16) return 0.25;
  return columns <= 32 ? 0.1 : 0.05;
}

/** The groups in depth-first order. */
function ordered({ width, front, into }: Groups, parentGroup: Int32Array): AssemblyTree {
  const size = into.length;
  const sequence = depthFirst(width, front, into, parentGroup);
  const number = new Int32Array(size);
  for (let s = 0; s < sequence.length; s++) number[sequence[s]!] = s;
  const starts = new Int32Array(sequence.length + 1);
  for (let s = 0; s < sequence.length; s++) starts[s + 1] = starts[s]! + width[sequence[s]!]!;
  const next = starts.slice();
  const columns = new Int32Array(size);
  for (let k = 0; k < size; k++) columns[next[number[into[k]!]!]!++] = k;
  const parent = Int32Array.from(sequence, (k) => (parentGroup[k] === -1 ? -1 : number[parentGroup[k]!]!));
  return { count: sequence.length, starts, columns, parent };
}

/**
 * Depth-first order, children first; among siblings, the one whose subtree needs the most memory in excess of its remainder comes first, which keeps
 * the stack of pending blocks small (Liu, ACM TOMS 12 (1986)).
 */
function depthFirst(width: Int32Array, front: Int32Array, into: Int32Array, parentGroup: Int32Array): number[] {
  const size = into.length;
  const children = new Map<number, number[]>();
  const peak = new Float64Array(size);
  const left = (k: number) => square(front[k]! - width[k]!);
  for (let k = 0; k < size; k++) {
    if (into[k] !== k) continue;
    const below = children.get(k) ?? [];
    below.sort((a, b) => peak[b]! - left(b) - (peak[a]! - left(a)) || a - b);
    let pending = 0;
    for (const child of below) {
      peak[k] = Math.max(peak[k]!, pending + peak[child]!);
      pending += left(child);
    }
    peak[k] = Math.max(peak[k]!, pending + left(k));
    const siblings = children.get(parentGroup[k]!);
    if (siblings === undefined) children.set(parentGroup[k]!, [k]);
    else siblings.push(k);
  }
  const reversed: number[] = [];
  const waiting = [...(children.get(-1) ?? [])];
  for (let k = waiting.pop(); k !== undefined; k = waiting.pop()) {
    reversed.push(k);
    for (const child of children.get(k) ?? []) waiting.push(child);
  }
  return reversed.reverse();
}
