import { square } from '../../core/elementary/index.ts';
import { NumericalError } from '../../core/errors.ts';
import type { SymmetricPattern } from './pattern.ts';
import type { SymbolicFactor } from './symbolicFactor.ts';

/** The part of a `SymbolicFactor` that describes the storage. */
export type Structure = Pick<
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

/** Largest number of entries that 32-bit indices reach. */
export const MOST_STORED = 2 ** 31 - 1;

/**
 * Allocates zeros for a factor or its workspace.
 *
 * @param count - how many numbers
 * @param entries - entries of the factorised lower triangle, including the diagonal
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
export function tooMuchFill(points: number, edges: number, stored: number): NumericalError {
  const gibibytes = ((8 * stored) / 2 ** 30).toPrecision(3);
  return new NumericalError(
    `The sparse Cholesky factor of a graph of ${points} points and ${edges} edges fills up: ${stored} numbers (${gibibytes} GiB) are needed at ` +
      'once, more than there is memory for. Give fewer points or fewer neighbours; points of few dimensions fill less than those of many.',
  );
}

/** Indices in the factor's storage of the entries of A, and of those of the ground. */
export function storedEntries(
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

/** Largest sizes: of a block, and of the blocks that wait for their parents at the same time. */
export function workspaceSizes({
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
