import { InvalidInputError } from '../../core/errors.ts';
import { givenList } from '../../core/given.ts';

/** One label a point, compared by identity. */
export type Partition = ArrayLike<string | number | boolean>;

/** How often each pair of labels meets. */
export interface Contingency {
  /** Number of points. */
  readonly size: number;
  /** counts[r][c]: points with the r-th label of a and the c-th of b, in order of first appearance. */
  readonly counts: readonly Float64Array[];
  readonly rowTotals: Float64Array;
  readonly columnTotals: Float64Array;
}

/**
 * @throws InvalidInputError when a and b differ in length or are empty
 */
export function contingencyOf(givenA: Partition, givenB: Partition, names: readonly [string, string]): Contingency {
  const expected = 'one entry for each point, a list';
  const a = givenList(givenA, names[0], expected);
  const b = givenList(givenB, names[1], expected);
  const size = a.length;
  if (size === 0 || size !== b.length) {
    throw new InvalidInputError(
      `${names[0]} and ${names[1]} must be as many, one for each point, but ${size} and ${b.length} were given.`,
    );
  }
  const rows = indicesOf(a);
  const columns = indicesOf(b);
  const counts = Array.from({ length: rows.count }, () => new Float64Array(columns.count));
  const rowTotals = new Float64Array(rows.count);
  const columnTotals = new Float64Array(columns.count);
  for (let i = 0; i < size; i++) {
    const r = rows.indices[i]!;
    const c = columns.indices[i]!;
    counts[r]![c]! += 1;
    rowTotals[r]! += 1;
    columnTotals[c]! += 1;
  }
  return { size, counts, rowTotals, columnTotals };
}

function indicesOf(labels: Partition): { indices: Int32Array; count: number } {
  const places = new Map<string | number | boolean, number>();
  const indices = Int32Array.from({ length: labels.length }, (_, i) => {
    const label = labels[i]!;
    const place = places.get(label) ?? places.size;
    places.set(label, place);
    return place;
  });
  return { indices, count: places.size };
}
