import { square } from '../../core/elementary/index.ts';
import { numbersFor } from './factorStorage.ts';
import type { SymbolicFactor } from './symbolicFactor.ts';

/** A clique of the filled graph with the resistances between its nodes. */
export interface Front {
  readonly size: number;
  /** The `size` nodes, in the order of elimination. */
  readonly nodes: Int32Array;
  /** Number of the first nodes that are in no earlier front. */
  readonly columns: number;
  /** R between nodes a and b of the front at a·size + b, both triangles. */
  readonly resistances: Float64Array;
}

/** Reads fronts, without the ground, from the blocks of a selected inverse; a front is valid until the next one is read. */
export function frontReader(
  symbolic: SymbolicFactor,
  inverse: Float64Array,
): (s: number, outer: Float64Array) => Front {
  const { size: ground, order, columnStarts, rowStarts, rows, panelStarts, mostRows, mostColumns } = symbolic;
  const nodes = new Int32Array(mostRows + mostColumns);
  const resistances = numbersFor(square(mostRows + mostColumns), symbolic);
  return (s, outer) => {
    const first = columnStarts[s]!;
    const width = columnStarts[s + 1]! - first;
    const below = rowStarts[s + 1]! - rowStarts[s]!;
    const inside = below > 0 && rows[rowStarts[s + 1]! - 1] === ground ? below - 1 : below;
    const size = width + inside;
    for (let j = 0; j < width; j++) nodes[j] = order[first + j]!;
    for (let i = 0; i < inside; i++) nodes[width + i] = order[rows[rowStarts[s]! + i]!]!;
    const block = panelStarts[s]!;
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < a; b++) {
        const value = b < width ? inverse[block + a * width + b]! : outer[(a - width) * below + b - width]!;
        resistances[a * size + b] = value;
        resistances[b * size + a] = value;
      }
      resistances[a * size + a] = 0;
    }
    return { size, nodes, columns: width, resistances };
  };
}
