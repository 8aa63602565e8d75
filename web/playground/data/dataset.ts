import { Matrix } from 'latentfield/core';

/** Display of a row of the observations. */
export type RowView =
  | { readonly kind: 'values' }
  | { readonly kind: 'curve' }
  | {
      readonly kind: 'image';
      readonly height: number;
      readonly width: number;
      /** Column of each pixel, line by line, −1 for pixels without a column, such as constant ones; default the order of the columns. */
      readonly pixels?: readonly number[];
      /** Value of each pixel without a column; default 0. */
      readonly constants?: readonly number[];
    }
  /** Columns are x1, y1, x2, y2, … of joints; bones connect two of them. */
  | { readonly kind: 'figure'; readonly bones: readonly (readonly [number, number])[] };

/** Reason of a column whose numbers were read as text, by the option that it names. */
export const GROUPS = /`thousands: /;

/** Reason of a column with cells that are not numbers in one unit, or in another form. */
export const AMONG = /^is read as text, (?:although|because) /;

/** Column in addition to the observations: text, dates as days since 1970-01-01, or numbers. */
export interface Beside {
  readonly column: string;
  readonly values: readonly string[] | Float64Array;
  /** True if the values are numbers instead of dates. */
  readonly isNumber?: boolean | undefined;
}

/** Date from days since 1970-01-01, with its time unless that is midnight; empty if it is missing. */
export const dateText = (days: number): string =>
  Number.isNaN(days)
    ? ''
    : new Date(Math.round(days * 86_400_000))
        .toISOString()
        .replace(/T00:00.*$|:\d\d\.\d+Z$/, '')
        .replace('T', ' ');

/** Value of such a column as text. */
export function besideText({ values, isNumber }: Beside, row: number): string {
  if (!(values instanceof Float64Array)) return values[row]!;
  if (isNumber !== true) return dateText(values[row]!);
  return Number.isNaN(values[row]!) ? '' : String(Number(values[row]!.toPrecision(4))).replace('-', '−');
}

/** True if a fitted column contains dates, as days: the column of that name contains them as dates. */
export const areDays = ({ beside }: Pick<Dataset, 'beside'>, name: string): boolean =>
  beside?.some(({ column, values, isNumber }) => column === name && values instanceof Float64Array && !isNumber) ===
  true;

/** Data to fit, and their display. */
export interface Dataset {
  readonly name: string;
  /** Observations, N×D. */
  readonly observations: Matrix;
  readonly columns: readonly string[];
  readonly labels: readonly string[] | undefined;
  /** Title of the labels. */
  readonly labelColumn: string;
  readonly ids: readonly string[] | undefined;
  readonly idColumn: string;
  /** Columns that are not fitted, but can color and select rows. */
  readonly beside?: readonly Beside[] | undefined;
  readonly view: RowView;
  /** Sentences about how the table was read. */
  readonly notes: readonly string[];
}

/** Pixel names with line and column (`row3col4`, scikit-learn's `pixel_3_4`, `3x4` of MNIST as CSV), or with a running number (`pixel17`). */
const PIXELS =
  /^r(?:ow)?_?(\d+)_?c(?:ol)?_?(\d+)$|^(?:pixel|pix|px)_?(\d+)[_x](\d+)$|^(\d+)x(\d+)$|^(?:pixel|pix|px)_?(\d+)$/i;

/** True for the name of a pixel. */
export const isPixel = (column: string): boolean => PIXELS.test(column);

/**
 * Display of rows inferred from the names of their columns: images for names of pixels, curves for increasing numbers, such as wavelengths, otherwise
 * value by value.
 *
 * @param constants - columns of the file that are excluded from the observations because they are constant, such as pixels of a border
 */
export function rowView(
  columns: readonly string[],
  constants: readonly { readonly column: string; readonly value: number }[] = [],
): RowView {
  const numbers = columns.map(Number);
  const rises = numbers.every((value, j) => Number.isFinite(value) && (j === 0 || value > numbers[j - 1]!));
  if (columns.length > 2 && rises) return { kind: 'curve' };
  const placeOf = (column: string) =>
    PIXELS.exec(column)
      ?.slice(1)
      .filter((part) => part !== undefined)
      .map(Number);
  const named = columns.map(placeOf);
  const absent = constants.flatMap(({ column, value }) => {
    const place = placeOf(column);
    return place === undefined ? [] : [{ place, value }];
  });
  const isBy = (count: number) => named.every((place) => place?.length === count);
  if (columns.length < 4) return { kind: 'values' };
  if (isBy(2))
    return gridOf(
      named.map(inGrid),
      absent.map(({ place, value }) => ({ place: inGrid(place), value })),
    );
  // Running numbers fill a square.
  const side = Math.round(Math.sqrt(columns.length + absent.length));
  if (!isBy(1) || side * side !== columns.length + absent.length) return { kind: 'values' };
  const first = Math.min(...[...named, ...absent.map(({ place }) => place)].map((place) => place![0]!));
  const inSquare = (place: readonly number[] | undefined): Place => [
    Math.floor((place![0]! - first) / side),
    (place![0]! - first) % side,
  ];
  return gridOf(
    named.map(inSquare),
    absent.map(({ place, value }) => ({ place: inSquare(place), value })),
  );
}

type Place = readonly [line: number, column: number];
const inGrid = (place: readonly number[] | undefined): Place => [place![0]!, place![1]!];

/** Image whose pixels are named by line and column; constant pixels, which are not columns, may be absent, up to half of the pixels if their names are unknown. */
function gridOf(
  places: readonly Place[],
  absent: readonly { readonly place: Place; readonly value: number }[],
): RowView {
  const known = [...places, ...absent.map(({ place }) => place)];
  const [rows, across] = [0, 1].map((axis) => {
    const at = known.map((place) => place[axis]!);
    // Numbers begin at 0, or at 1.
    const first = Math.min(1, ...at);
    return { first, length: Math.max(...at) - first + 1 };
  }) as [{ first: number; length: number }, { first: number; length: number }];
  const [height, width] = [rows.length, across.length];
  if (height * width > 2 * known.length) return { kind: 'values' };
  const pixels = new Array<number>(height * width).fill(-1);
  const pixelOf = ([i, j]: Place) => (i - rows.first) * width + j - across.first;
  for (const [k, place] of places.entries()) pixels[pixelOf(place)] = k;
  const isInOrder = pixels.every((column, pixel) => column === pixel);
  const isOnce = pixels.filter((column) => column >= 0).length === places.length;
  if (!isOnce) return { kind: 'values' };
  const constants = new Array<number>(height * width).fill(0);
  for (const { place, value } of absent) constants[pixelOf(place)] = value;
  const isZero = constants.every((value) => value === 0);
  return { kind: 'image', height, width, ...(!isInOrder && { pixels }), ...(!isZero && { constants }) };
}

/** Selected rows. */
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
    beside: dataset.beside?.map(({ values, ...each }) => ({
      ...each,
      values: values instanceof Float64Array ? Float64Array.from(rows, (i) => values[i]!) : chosen(values)!,
    })),
    notes: [],
  };
}

/** Number of things in words: "1 row", "2,000 rows". */
export const counted = (count: number, thing: string): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;

/** Name of a row. */
export const rowName = ({ ids, labels }: Pick<Dataset, 'ids' | 'labels'>, i: number): string =>
  `row ${i + 1}${ids === undefined ? '' : ` (${ids[i]})`}${labels === undefined ? '' : `, ${labels[i] || 'no label'}`}`;

/** Standard deviations of the columns over their observed entries. */
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
