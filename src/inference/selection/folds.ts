import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { seededRandom, shuffled } from '../../core/random.ts';
import { rowsOf as ofMatrix } from '../../core/rowMatrices.ts';

/** Division of the points into a training set and a held-out set for scoring. */
export interface Split {
  /** Training rows, ascending. */
  readonly training: Int32Array;
  /** Held-out rows, ascending; empty without folds. */
  readonly held: Int32Array;
}

/** Selected rows of a table, which can be a matrix, rows of numbers, or a list with one entry per point. */
export function rowsOf<T>(table: T, rows: Int32Array): T;
export function rowsOf(table: unknown, rows: Int32Array): unknown {
  if (table instanceof Matrix) return ofMatrix(table, rows);
  if (Array.isArray(table)) return Array.from(rows, (row) => table[row]);
  if (ArrayBuffer.isView(table) && 'filter' in table) {
    const wanted = table as unknown as Float64Array;
    return Reflect.construct(wanted.constructor as typeof Float64Array, [Array.from(rows, (row) => wanted[row]!)]);
  }
  throw new InvalidInputError('Rows can be taken of a Matrix, an array or a typed array with one entry a point only.');
}

/**
 * Divides the points 0 … N − 1 into folds of nearly equal size, at random from a seed; with labels, each fold contains nearly the same share of each
 * label. Returns one split per fold, with that fold held out.
 *
 * @param labels - N labels, or undefined
 */
export function splitsOf(
  points: number,
  folds: number,
  seed: number,
  labels?: ArrayLike<string | number | boolean | null | undefined>,
): Split[] {
  const all = Int32Array.from({ length: points }, (_, i) => i);
  if (folds === 0) return [{ training: all, held: new Int32Array(0) }];
  // Points of one label are dealt to the folds in turn, and the next label continues where the last one ended.
  const classes = new Map<unknown, number[]>();
  for (const i of shuffled(points, seededRandom(seed))) {
    const label = labels?.[i];
    const members = classes.get(label);
    if (members === undefined) classes.set(label, [i]);
    else members.push(i);
  }
  const foldOf = new Int32Array(points);
  [...classes.values()].flat().forEach((i, place) => {
    foldOf[i] = place % folds;
  });
  return Array.from({ length: folds }, (_, fold) => ({
    training: all.filter((i) => foldOf[i] !== fold),
    held: all.filter((i) => foldOf[i] === fold),
  }));
}
