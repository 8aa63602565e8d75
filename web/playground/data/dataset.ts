import { Matrix } from 'latentfield/core';

/** How a row of the observations is shown. */
export type RowView =
  | { readonly kind: 'values' }
  | { readonly kind: 'curve' }
  | {
      readonly kind: 'image';
      readonly height: number;
      readonly width: number;
      /** The column of each pixel, line by line, −1 where none is, as of a column that was constant; as the columns come unless given. */
      readonly pixels?: readonly number[];
    }
  /** Columns are x1, y1, x2, y2, … of joints; bones join two of them. */
  | { readonly kind: 'figure'; readonly bones: readonly (readonly [number, number])[] };

/** What is fitted, and how it is shown. */
export interface Dataset {
  readonly name: string;
  /** N×D. */
  readonly observations: Matrix;
  readonly columns: readonly string[];
  readonly labels: readonly string[] | undefined;
  /** What the labels are called. */
  readonly labelColumn: string;
  readonly ids: readonly string[] | undefined;
  readonly idColumn: string;
  readonly view: RowView;
  /** Sentences about how it was read. */
  readonly notes: readonly string[];
}

/** Pixels by line and column (`row3col4`, `pixel_3_4` of scikit-learn, `3x4` of MNIST as CSV), or by a running number (`pixel17`). */
const PIXELS =
  /^r(?:ow)?_?(\d+)_?c(?:ol)?_?(\d+)$|^(?:pixel|pix|px)_?(\d+)[_x](\d+)$|^(\d+)x(\d+)$|^(?:pixel|pix|px)_?(\d+)$/i;

/**
 * How rows are shown when nothing more is known than the names of their columns: as images where these are those of pixels, as curves where they are
 * numbers that rise, such as wavelengths, else value by value.
 *
 * @param constants - names of columns of the file that are no observations because they are constant: pixels of a border, for example
 */
export function rowView(columns: readonly string[], constants: readonly string[] = []): RowView {
  const numbers = columns.map(Number);
  const rises = numbers.every((value, j) => Number.isFinite(value) && (j === 0 || value > numbers[j - 1]!));
  if (columns.length > 2 && rises) return { kind: 'curve' };
  const placeOf = (column: string) =>
    PIXELS.exec(column)
      ?.slice(1)
      .filter((part) => part !== undefined)
      .map(Number);
  const named = columns.map(placeOf);
  const absent = constants.map(placeOf).filter((place) => place !== undefined);
  const isBy = (count: number) => named.every((place) => place?.length === count);
  if (columns.length < 4) return { kind: 'values' };
  if (isBy(2)) return gridOf(named.map(inGrid), absent.map(inGrid));
  // Running numbers fill a square.
  const side = Math.round(Math.sqrt(columns.length + absent.length));
  if (!isBy(1) || side * side !== columns.length + absent.length) return { kind: 'values' };
  const first = Math.min(...[...named, ...absent].map((place) => place![0]!));
  const inSquare = (place: readonly number[] | undefined): Place => [
    Math.floor((place![0]! - first) / side),
    (place![0]! - first) % side,
  ];
  return gridOf(named.map(inSquare), absent.map(inSquare));
}

type Place = readonly [line: number, column: number];
const inGrid = (place: readonly number[] | undefined): Place => [place![0]!, place![1]!];

/** An image whose pixels are named by their lines and columns; constant ones, which are no columns, may be absent, half of them if their names are not known. */
function gridOf(places: readonly Place[], constants: readonly Place[]): RowView {
  const known = [...places, ...constants];
  const [rows, across] = [0, 1].map((axis) => {
    const at = known.map((place) => place[axis]!);
    // Numbers begin at 0, or at 1.
    const first = Math.min(1, ...at);
    return { first, length: Math.max(...at) - first + 1 };
  }) as [{ first: number; length: number }, { first: number; length: number }];
  const [height, width] = [rows.length, across.length];
  if (height * width > 2 * known.length) return { kind: 'values' };
  const pixels = new Array<number>(height * width).fill(-1);
  for (const [k, [i, j]] of places.entries()) pixels[(i - rows.first) * width + j - across.first] = k;
  const isInOrder = pixels.every((column, pixel) => column === pixel);
  const isOnce = pixels.filter((column) => column >= 0).length === places.length;
  if (!isOnce) return { kind: 'values' };
  return { kind: 'image', height, width, ...(isInOrder ? {} : { pixels }) };
}

/** Some of the rows. */
export function rowsOfDataset(dataset: Dataset, rows: readonly number[], name: string): Dataset {
  const { data, columns } = dataset.observations;
  const observations = Matrix.zeros(rows.length, columns);
  rows.forEach((i, k) => {
    observations.data.set(data.subarray(i * columns, (i + 1) * columns), k * columns);
  });
  const chosen = <T>(list: readonly T[] | undefined) => list && rows.map((i) => list[i]!);
  return {
    ...dataset,
    name,
    observations,
    labels: chosen(dataset.labels),
    ids: chosen(dataset.ids) ?? rows.map((i) => String(i + 1)),
    notes: [],
  };
}

/** A number of things: "1 row", "2,000 rows". */
export const counted = (count: number, thing: string): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;

/** What a row is called. */
export const rowName = ({ ids, labels }: Pick<Dataset, 'ids' | 'labels'>, i: number): string =>
  `row ${i + 1}${ids === undefined ? '' : ` (${ids[i]})`}${labels === undefined ? '' : `, ${labels[i] || 'no label'}`}`;

/** Standard deviations of the columns over the entries that are there. */
export function deviationsOf({ data, rows, columns }: Matrix): Float64Array {
  const found = new Float64Array(columns);
  for (let j = 0; j < columns; j++) {
    let [count, sum, squares] = [0, 0, 0];
    for (let i = 0; i < rows; i++) {
      const value = data[i * columns + j]!;
      if (Number.isNaN(value)) continue;
      count++;
      sum += value;
    }
    const mean = sum / count;
    for (let i = 0; i < rows; i++) {
      const value = data[i * columns + j]!;
      if (!Number.isNaN(value)) squares += (value - mean) ** 2;
    }
    found[j] = Math.sqrt(squares / Math.max(1, count));
  }
  return found;
}
