import type { Adjacency } from './pattern.ts';

/** Columns of L as a tree: the parent of a column is the row of its first entry below the diagonal, −1 at a root. */
export interface EliminationTree {
  readonly parent: Int32Array;
  /** Number of entries of each column of L, the diagonal included. */
  readonly counts: Int32Array;
}

/**
 * The elimination tree of a symmetric matrix whose rows and columns are taken in an order: tree node k is `order[k]`.
 *
 * @see Liu, SIAM J. Matrix Anal. Appl. 11 (1990): row k of L is the part of the tree below k that A's row k reaches
 */
export function eliminationTree({ size, starts, neighbours }: Adjacency, order: Int32Array): EliminationTree {
  const position = new Int32Array(size);
  for (let k = 0; k < size; k++) position[order[k]!] = k;
  const parent = new Int32Array(size).fill(-1);
  const ancestor = new Int32Array(size).fill(-1);
  const counts = new Int32Array(size).fill(1);
  const seen = new Int32Array(size).fill(-1);
  for (let k = 0; k < size; k++) {
    const node = order[k]!;
    for (let p = starts[node]!; p < starts[node + 1]!; p++) {
      // Paths to the root are shortened on the way up, so that the tree is found in nearly linear time.
      for (let i = position[neighbours[p]!]!; i < k; ) {
        const next = ancestor[i]!;
        ancestor[i] = k;
        if (next === -1) parent[i] = k;
        if (next === -1 || next === k) break;
        i = next;
      }
    }
    seen[k] = k;
    for (let p = starts[node]!; p < starts[node + 1]!; p++) {
      for (let i = position[neighbours[p]!]!; i < k && seen[i] !== k; i = parent[i]!) {
        seen[i] = k;
        counts[i]!++;
      }
    }
  }
  return { parent, counts };
}
