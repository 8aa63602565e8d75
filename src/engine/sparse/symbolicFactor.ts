import { square } from '../../core/elementary/index.ts';
import { NumericalError } from '../../core/errors.ts';
import { type AssemblyTree, assemblyTree, eliminationTree } from './assemblyTree.ts';
import { minimumDegreeOrder } from './minimumDegree.ts';
import { type Adjacency, adjacencyOf, type SymmetricPattern } from './sparseSymmetric.ts';

/** The part of a `SymbolicFactor` that describes the storage. */
type Structure = Pick<
  SymbolicFactor,
  | 'size'
  | 'grounded'
  | 'position'
  | 'supernodes'
  | 'columnStarts'
  | 'rowStarts'
  | 'rows'
  | 'lastChild'
  | 'previousSibling'
  | 'panelStarts'
>;

/** Largest number of entries that 32-bit indices can address. */
const MOST_STORED = 2 ** 31 - 1;

/**
 * Allocates zeros for a factor or its workspace.
 *
 * @param count - number of entries
 * @param entries - entries of the factorized lower triangle, including the diagonal
 * @throws NumericalError if there is not enough memory
 */
export function numbersFor(
  count: number,
  { size, entries }: { size: number; entries: ArrayLike<number> },
): Float64Array {
  try {
    return new Float64Array(count);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw tooMuchFill(size, entries.length - size, count);
  }
}

/** Error for a factor that is too large. */
function tooMuchFill(points: number, edges: number, stored: number): NumericalError {
  const gibibytes = ((8 * stored) / 2 ** 30).toPrecision(3);
  return new NumericalError(
    `The sparse Cholesky factor of a graph of ${points} points and ${edges} edges fills up: ${stored} numbers (${gibibytes} GiB) are needed at ` +
      'once, more than there is memory for. Give fewer points or fewer neighbors; points of few dimensions cause less fill-in.',
  );
}

/** Indices in the factor's storage of the entries of A and of the ground. */
function storedEntries(
  pattern: SymmetricPattern,
  structure: Structure,
): Pick<SymbolicFactor, 'entries' | 'groundEntries'> {
  const { size, grounded, position } = structure;
  const supernodeOf = new Int32Array(size);
  for (let s = 0; s < structure.supernodes; s++) {
    supernodeOf.fill(s, structure.columnStarts[s]!, structure.columnStarts[s + 1]!);
  }
  const entries = new Int32Array(pattern.rows.length);
  const groundEntries = new Int32Array(grounded ? size : 0);
  for (let j = 0; j < size; j++) {
    for (let p = pattern.starts[j]!; p < pattern.starts[j + 1]!; p++) {
      entries[p] = storedAt(structure, supernodeOf, position[pattern.rows[p]!]!, position[j]!);
    }
    if (grounded) groundEntries[j] = storedAt(structure, supernodeOf, size, position[j]!);
  }
  return { entries, groundEntries };
}

/** Index in the storage of the entry of L in rows and columns i and j, whichever is lower. */
function storedAt(
  { columnStarts, rowStarts, rows, panelStarts }: Structure,
  supernodeOf: Int32Array,
  i: number,
  j: number,
): number {
  const column = Math.min(i, j);
  const row = Math.max(i, j);
  const s = supernodeOf[column]!;
  const first = columnStarts[s]!;
  const after = columnStarts[s + 1]!;
  let place = row - first;
  if (row >= after) {
    let low = rowStarts[s]!;
    for (let high = rowStarts[s + 1]! - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if (rows[middle]! < row) low = middle + 1;
      else high = middle;
    }
    place = after - first + low - rowStarts[s]!;
  }
  return panelStarts[s]! + place * (after - first) + column - first;
}

/** Largest size of a block, and of the blocks waiting for their parents at the same time. */
function workspaceSizes({
  supernodes,
  columnStarts,
  rowStarts,
  lastChild,
  previousSibling,
}: Structure): Pick<SymbolicFactor, 'stackSize' | 'mostRows' | 'mostColumns'> {
  let stackSize = 0;
  let mostRows = 0;
  let mostColumns = 0;
  let top = 0;
  for (let s = 0; s < supernodes; s++) {
    const below = rowStarts[s + 1]! - rowStarts[s]!;
    mostRows = Math.max(mostRows, below);
    mostColumns = Math.max(mostColumns, columnStarts[s + 1]! - columnStarts[s]!);
    stackSize = Math.max(stackSize, top + below * below);
    for (let c = lastChild[s]!; c !== -1; c = previousSibling[c]!) top -= square(rowStarts[c + 1]! - rowStarts[c]!);
    top += below * below;
  }
  return { stackSize, mostRows, mostColumns };
}

/**
 * Structure of the factor L in P·A·Pᵀ = LLᵀ. It depends on the pattern of A only, so that it is computed once for all values.
 *
 * Columns of L are grouped into supernodes. Supernode s has the columns `columnStarts[s]` … and, below them, the rows `rows[rowStarts[s]]` …; its
 * part of L is a dense block, row by row, that starts at `panelStarts[s]` in the factor's storage.
 */
export interface SymbolicFactor {
  readonly size: number;
  /** Whether every column of L has one more row, `size`, for the ground of a grounded Laplacian. */
  readonly grounded: boolean;
  /** `order[k]` is the k-th row of A to be eliminated; `position` is the inverse. */
  readonly order: Int32Array;
  readonly position: Int32Array;
  readonly supernodes: number;
  readonly columnStarts: Int32Array;
  readonly rowStarts: Int32Array;
  /** Rows below the diagonal block of each supernode, ascending. */
  readonly rows: Int32Array;
  /** Index of each of these rows in the block of the parent supernode: its columns first, then its rows. */
  readonly rowInParent: Int32Array;
  readonly parent: Int32Array;
  /** Children of s from the last on: `lastChild[s]`, then `previousSibling` of each, until −1. */
  readonly lastChild: Int32Array;
  readonly previousSibling: Int32Array;
  readonly panelStarts: Int32Array;
  /** Index in the factor's storage of each entry of the pattern, in the pattern's order. */
  readonly entries: Int32Array;
  /** Index in the factor's storage of the ground's entry in the column of each row of A (empty unless grounded). */
  readonly groundEntries: Int32Array;
  /** Largest total size of blocks on the stack, and largest numbers of rows and columns of a supernode. */
  readonly stackSize: number;
  readonly mostRows: number;
  readonly mostColumns: number;
}

/**
 * Computes an elimination order with little fill, and the structure of the Cholesky factor.
 *
 * @param pattern - pattern of A
 * @param options - `order`: an order to use instead of minimum degree, `order[k]` is the k-th row to be eliminated (rearranged where this does not
 *   change the fill); `grounded`: see `SymbolicFactor`
 * @throws NumericalError if the factor has more entries than 32-bit indices can address
 */
export function analyze(
  pattern: SymmetricPattern,
  options: { readonly order?: Int32Array; readonly grounded?: boolean } = {},
): SymbolicFactor {
  const { grounded = false } = options;
  const adjacency = adjacencyOf(pattern);
  const first = options.order ?? minimumDegreeOrder(adjacency);
  const tree = assemblyTree(eliminationTree(adjacency, first), grounded);
  const order = Int32Array.from(tree.columns, (k) => first[k]!);
  const position = new Int32Array(pattern.size);
  for (let k = 0; k < order.length; k++) position[order[k]!] = k;
  const children = childrenOf(tree);
  const { rowStarts, rows } = rowsBelow(adjacency, tree, children, order, position, grounded);
  const base = {
    size: pattern.size,
    grounded,
    order,
    position,
    supernodes: tree.count,
    columnStarts: tree.starts,
    rowStarts,
    rows,
    rowInParent: rowsInParent(tree, rowStarts, rows),
    parent: tree.parent,
    lastChild: children.lastChild,
    previousSibling: children.previousSibling,
    panelStarts: panelStarts(tree, rowStarts, pattern),
  };
  // Assigned instead of spread: a spread object with so many members has a new layout each time, which invalidates compiled code.
  return Object.assign(base, storedEntries(pattern, base), workspaceSizes(base));
}

interface Children {
  readonly lastChild: Int32Array;
  readonly previousSibling: Int32Array;
}

function childrenOf({ count, parent }: AssemblyTree): Children {
  const lastChild = new Int32Array(count).fill(-1);
  const previousSibling = new Int32Array(count).fill(-1);
  for (let s = 0; s < count; s++) {
    if (parent[s] === -1) continue;
    previousSibling[s] = lastChild[parent[s]!]!;
    lastChild[parent[s]!] = s;
  }
  return { lastChild, previousSibling };
}

/** The rows of a supernode: the rows of A's entries and of its children, beyond its own columns. */
function rowsBelow(
  { size, starts, neighbors }: Adjacency,
  tree: AssemblyTree,
  { lastChild, previousSibling }: Children,
  order: Int32Array,
  position: Int32Array,
  grounded: boolean,
): { rowStarts: Int32Array; rows: Int32Array } {
  const rowStarts = new Int32Array(tree.count + 1);
  let rows = new Int32Array(4 * size + 64);
  let end = 0;
  const seen = new Int32Array(size + 1).fill(-1);
  for (let s = 0; s < tree.count; s++) {
    const after = tree.starts[s + 1]!;
    const begin = end;
    const add = (row: number) => {
      if (row < after || seen[row] === s) return;
      seen[row] = s;
      if (end === rows.length) {
        const larger = new Int32Array(2 * end);
        larger.set(rows);
        rows = larger;
      }
      rows[end++] = row;
    };
    for (let k = tree.starts[s]!; k < after; k++) {
      const node = order[k]!;
      for (let p = starts[node]!; p < starts[node + 1]!; p++) add(position[neighbors[p]!]!);
    }
    for (let c = lastChild[s]!; c !== -1; c = previousSibling[c]!) {
      for (let p = rowStarts[c]!; p < rowStarts[c + 1]!; p++) add(rows[p]!);
    }
    if (grounded) add(size);
    rows.subarray(begin, end).sort();
    rowStarts[s + 1] = end;
  }
  return { rowStarts, rows: rows.slice(0, end) };
}

function rowsInParent(tree: AssemblyTree, rowStarts: Int32Array, rows: Int32Array): Int32Array {
  const result = new Int32Array(rows.length);
  for (let s = 0; s < tree.count; s++) {
    const parent = tree.parent[s]!;
    if (parent === -1) continue;
    const first = tree.starts[parent]!;
    const after = tree.starts[parent + 1]!;
    const below = rowStarts[parent]!;
    let q = below;
    for (let p = rowStarts[s]!; p < rowStarts[s + 1]!; p++) {
      const row = rows[p]!;
      if (row < after) {
        result[p] = row - first;
        continue;
      }
      while (rows[q]! < row) q++;
      result[p] = after - first + q - below;
    }
  }
  return result;
}

/**
 * Starts of the supernodes' blocks in the factor's storage.
 *
 * @throws NumericalError if there are more entries than 32-bit indices can address
 */
export function panelStarts(
  { count, starts }: Pick<AssemblyTree, 'count' | 'starts'>,
  rowStarts: Int32Array,
  pattern: SymmetricPattern,
): Int32Array {
  const result = new Int32Array(count + 1);
  let stored = 0;
  for (let s = 0; s < count; s++) {
    const width = starts[s + 1]! - starts[s]!;
    stored += width * (width + rowStarts[s + 1]! - rowStarts[s]!);
    result[s + 1] = stored;
  }
  if (stored > MOST_STORED) throw tooMuchFill(pattern.size, pattern.rows.length - pattern.size, stored);
  return result;
}
