import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';

/**
 * The k best of the candidates offered so far, by (squared distance, row): a heap with the worst of them on top. It is not
 * cleared between searches but drained, which leaves it empty.
 */
export class Nearest {
  /** Squared distance of the worst of the k; Infinity while there are fewer. */
  worst = Infinity;
  /** Row of the worst of the k. */
  worstRow = Infinity;
  #count = 0;
  readonly #squares: Float64Array;
  readonly #rows: Int32Array;

  constructor(readonly k: number) {
    this.#squares = new Float64Array(k);
    this.#rows = new Int32Array(k);
  }

  /** Takes a candidate that comes before the worst of the k. */
  offer(square: number, row: number): void {
    if (this.#count < this.k) {
      this.#rise(this.#count++, square, row);
      if (this.#count < this.k) return;
    } else {
      this.#sink(0, square, row);
    }
    this.worst = this.#squares[0]!;
    this.worstRow = this.#rows[0]!;
  }

  /** Empties the heap into rows and distances, nearest first. */
  drain(rows: Int32Array, distances: Float64Array, start: number): void {
    while (this.#count > 0) {
      const end = --this.#count;
      rows[start + end] = this.#rows[0]!;
      distances[start + end] = Math.sqrt(this.#squares[0]!);
      this.#sink(0, this.#squares[end]!, this.#rows[end]!);
    }
    this.worst = Infinity;
    this.worstRow = Infinity;
  }

  #rise(place: number, square: number, row: number): void {
    const squares = this.#squares;
    const rows = this.#rows;
    let v = place;
    while (v > 0) {
      const parent = (v - 1) >> 1;
      if (squares[parent]! < square || (squares[parent] === square && rows[parent]! < row)) {
        squares[v] = squares[parent]!;
        rows[v] = rows[parent]!;
        v = parent;
      } else break;
    }
    squares[v] = square;
    rows[v] = row;
  }

  #sink(place: number, square: number, row: number): void {
    const squares = this.#squares;
    const rows = this.#rows;
    const count = this.#count;
    let v = place;
    for (let child = 2 * v + 1; child < count; child = 2 * v + 1) {
      const right = child + 1;
      if (
        right < count &&
        (squares[right]! > squares[child]! || (squares[right] === squares[child] && rows[right]! > rows[child]!))
      ) {
        child = right;
      }
      if (squares[child]! < square || (squares[child] === square && rows[child]! < row)) break;
      squares[v] = squares[child]!;
      rows[v] = rows[child]!;
      v = child;
    }
    squares[v] = square;
    rows[v] = row;
  }
}

/** Indices of the k smallest distances (or squared distances), nearest first and ties by index. */
export function nearestOf(distances: Float64Array, k: number): Int32Array {
  const search = new Nearest(k);
  for (let j = 0; j < distances.length; j++) if (distances[j]! < search.worst) search.offer(distances[j]!, j);
  const rows = new Int32Array(k);
  search.drain(rows, new Float64Array(k), 0);
  return rows;
}

/** The points among which, or for which, neighbours are searched: finite, at least one. */
export function searchedPoints(values: MatrixLike, name: string): Matrix {
  // They are only read: a matrix need not be copied.
  const points =
    values instanceof Matrix ? new Matrix(values.data, values.rows, values.columns) : Matrix.from(values, name);
  if (points.rows === 0 || points.columns === 0) {
    throw new InvalidInputError(`${name} has shape ${points.rows}×${points.columns}: give at least one point.`);
  }
  if (!areFinite(points.data)) {
    const bad = points.data.findIndex((value) => !Number.isFinite(value));
    throw new InvalidInputError(
      `${name} must hold finite numbers, but row ${Math.floor(bad / points.columns)}, column ${bad % points.columns} is ` +
        `${points.data[bad]}. Distances to that point are not defined: drop the row or fill in the value.`,
    );
  }
  return points;
}

function areFinite(values: Float64Array): boolean {
  let [sum0, sum1] = [0, 0];
  // x − x is 0 for finite numbers and NaN for others; two sums are sooner done than a question for each.
  for (let p = 0; p < values.length; p += 2) {
    sum0 += values[p]! - values[p]!;
    if (p + 1 < values.length) sum1 += values[p + 1]! - values[p + 1]!;
  }
  return sum0 + sum1 === 0;
}

/** The points whose neighbours are searched: `queries` in the same space, or the points themselves. */
export function queriedPoints(points: Matrix, queries: MatrixLike | undefined, name: string): Matrix {
  if (queries === undefined) return points;
  const asked = searchedPoints(queries, name);
  if (asked.columns === points.columns) return asked;
  throw new InvalidInputError(
    `${name} has ${asked.columns} columns, but the points have ${points.columns}. Give both in the same space.`,
  );
}
