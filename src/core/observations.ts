import * as v from 'valibot';
import { square } from './elementary/index.ts';
import { InvalidInputError } from './errors.ts';
import { entryInWords, Matrix, type MatrixLike } from './matrix.ts';
import { checkGiven } from './options.ts';
import { areFinite } from './plainNumbers.ts';

/** Whether columns are divided by their standard deviations; 'auto' divides them if their units differ. */
export type ScaleOption = boolean | 'auto';

export const scaleOption = v.union([v.boolean(), v.literal('auto')], "true, false or 'auto'");

/** Ratio of standard deviations above which columns are assumed to have different units. */
const MOST = 10;

/** Fewest columns that may share one unit although their deviations differ, as pixels do. */
const FEWEST = 16;

/**
 * True if the standard deviations of the columns differ by more than ten times, so that they seem to have different units. Constant columns are
 * ignored. Pixels, counts and coordinates share one unit although some of their columns hardly vary: of at least 16 columns, half have more than a
 * tenth of the widest range.
 *
 * @param Y - N×D, NaN where missing
 */
export function differInUnits(Y: Matrix): boolean {
  checkGiven(Y, 'differInUnits', 'a Matrix', (value) => value instanceof Matrix);
  if (haveOneScale(Y)) return false;
  const { deviation } = standardizationOf(Y, true, true);
  const ranges = rangesOf(Y);
  return deviationsDiffer(deviation.filter((_, j) => ranges[j]!.spread > 0));
}

/** True if the largest standard deviation is more than ten times the smallest. */
export const deviationsDiffer = (deviations: Float64Array): boolean =>
  deviations.length > 0 && Math.max(...deviations) > MOST * Math.min(...deviations);

/** True for columns such as pixels: most have similar ranges while some hardly vary. */
function haveOneScale({ data, columns }: Matrix): boolean {
  if (columns < FEWEST) return false;
  const ranges = new Float64Array(columns);
  for (let j = 0; j < columns; j++) {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = j; i < data.length; i += columns) {
      const entry = data[i]!;
      if (entry < least) least = entry;
      if (entry > most) most = entry;
    }
    ranges[j] = most - least;
  }
  ranges.sort();
  return MOST * ranges[columns >> 1]! >= ranges[columns - 1]!;
}

/** True if columns are to be divided by their standard deviations. */
export const isScaled = (Y: Matrix, scale: ScaleOption): boolean => (scale === 'auto' ? differInUnits(Y) : scale);

/** Note in a fit's message when 'auto' divided the columns by their standard deviations. */
export const SCALED_NOTE =
  ' Columns are in units that differ by more than ten times: each was divided by its deviation for the fit, and predictions are in its own unit (`scale: false` leaves them as they are).';

/** Columns as a model of distances sees them. */
interface DividedColumns {
  readonly points: Matrix;
  /** Divisors of the D columns; undefined if they are unchanged. */
  readonly deviation: Float64Array | undefined;
  /** Note about the units in the message of a fit. */
  readonly unitsNote: string;
}

/** The columns, divided by their standard deviations if `scale` requires it. */
export function dividedColumns(Y: Matrix, scale: ScaleOption): DividedColumns {
  if (!isScaled(Y, scale)) return { points: Y, deviation: undefined, unitsNote: '' };
  const standardization = standardizationOf(Y, false, true);
  const unitsNote = scale === 'auto' ? SCALED_NOTE : '';
  return { points: standardized(Y, standardization), deviation: standardization.deviation, unitsNote };
}

/** Note in the message of a fit that does not rescale columns; '' unless they seem to have different units. */
export function unitsAdvice(Y: Matrix): string {
  if (!differInUnits(Y)) return '';
  const { deviation } = standardizationOf(Y, true, true);
  const ranges = rangesOf(Y);
  const byDeviation = Array.from(deviation.keys())
    .filter((j) => ranges[j]!.spread > 0)
    .sort((i, j) => deviation[i]! - deviation[j]!);
  const [from, to] = [byDeviation[0]!, byDeviation.at(-1)!].map(
    (j) => `${deviation[j]!.toPrecision(2)} (column index ${j})`,
  );
  return ` Deviations of the columns run from ${from} to ${to}, and columns of large deviation decide nearly alone: divide columns in different units by their deviations first, with \`standardize\`.`;
}

/** Spellings of a missing value: nothing, NaN (also as 1.#QNAN), NA, N/A, NaT, null, None, ?, a dash. */
const MISSING =
  /^(|[+-]?nan(\([a-z]*\))?|[+-]?1\.#(ind|[qs]nan)0*|#?na|#?n\/a( n\/a)?|<na>|nat|null|none|\?|--?|[–—])$/i;

export const isMissingText = (text: string): boolean => MISSING.test(text);

/**
 * Returns the matrix if all of its entries are finite numbers.
 *
 * @param ifMissing - the message's advice about a missing entry
 */
export function checkNumbers(matrix: Matrix, name: string, ifMissing?: string): Matrix {
  return checkEntries(matrix, name, () => false, ifMissing);
}

/** Checks observations, some of whose non-finite entries are allowed. */
export function checkEntries(
  matrix: Matrix,
  name: string,
  allowed: (entry: number) => boolean,
  ifMissing = 'Fill it in first, or leave that row out.',
): Matrix {
  if (areFinite(matrix.data)) return matrix;
  const bad = matrix.data.findIndex((entry) => !Number.isFinite(entry) && !allowed(entry));
  if (bad < 0) return matrix;
  const remedy = Number.isNaN(matrix.data[bad]) ? ifMissing : 'Leave that row out.';
  throw new InvalidInputError(`${name} must contain finite numbers, but ${entryInWords(matrix, bad)}. ${remedy}`);
}

/**
 * Copies `values` into a matrix of finite numbers with at least two rows and one column. NaN counts as missing where that is allowed.
 *
 * @param isDivided - whether columns will be divided by their deviations
 */
export const observationsFrom = (values: MatrixLike, missingAllowed = false, isDivided = false): Matrix =>
  checkObservations(Matrix.from(values, 'The observations'), missingAllowed, isDivided);

/** Observations in the JSON of a model, NaN where missing; undefined if it contains none, as for rows that are read from elsewhere. */
export function savedObservations(model: object): Matrix | undefined {
  const { observations } = model as { readonly observations?: unknown };
  if (!Array.isArray(observations) || observations.length === 0) return undefined;
  const rows = observations as readonly (readonly (number | null)[])[];
  return Matrix.from(
    rows.map((row) => row.map((entry) => entry ?? Number.NaN)),
    'The observations',
  );
}

/** Returns the matrix if it contains observations that {@link observationsFrom} accepts. */
export function checkObservations(Y: Matrix, missingAllowed: boolean, isDivided: boolean): Matrix {
  const name = 'The observations';
  if (Y.rows < 2 || Y.columns < 1) {
    throw new InvalidInputError(
      `${name} must have at least 2 rows (points) and 1 column (feature), but a ${Y.rows}×${Y.columns} matrix was given.`,
    );
  }
  return checkRange(
    missingAllowed
      ? checkEntries(Y, name, (entry) => Number.isNaN(entry))
      : checkNumbers(Y, name, "Fill it in, leave that row out, or give `missing: 'ignore'` to a model that takes it."),
    isDivided,
  );
}

/** Squares of numbers up to this size can be summed, and so can squares of differences down to its inverse. */
const LARGEST = 1e150;

/**
 * Returns the matrix unless the squares of a column overflow, or squares of differences underflow to 0 in all columns. Next to larger columns, such
 * small differences count as 0.
 *
 * @param isDivided - whether columns will be divided by their deviations; then no column may underflow
 */
export function checkRange(Y: Matrix, isDivided = false): Matrix {
  // A column without entries has no range.
  const ranges = rangesOf(Y).filter(({ spread }) => spread >= 0);
  const wide = ranges.find(({ size }) => size > LARGEST);
  const small = ranges.filter(({ spread }) => spread > 0 && spread < 1 / LARGEST);
  const isFlat = isDivided || ranges.every(({ spread }) => spread < 1 / LARGEST);
  const bad = wide ?? (isFlat ? small[0] : undefined);
  if (bad === undefined) return Y;
  const { column, least, most, size } = bad;
  throw new InvalidInputError(
    `Column index ${column} of the observations runs from ${least.toPrecision(3)} to ${most.toPrecision(3)}: the squares of such numbers ${wide ? 'overflow' : 'underflow to 0'}. Rescale: divide it, and columns in the same unit, by ${size.toExponential(0)}.`,
  );
}

/** Range of each column, in one pass. */
function rangesOf({ data, columns }: Matrix) {
  const least = new Float64Array(columns).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(columns).fill(Number.NEGATIVE_INFINITY);
  for (let begin = 0; begin < data.length; begin += columns) {
    for (let column = 0; column < columns; column++) {
      const entry = data[begin + column]!;
      if (entry < least[column]!) least[column] = entry;
      if (entry > most[column]!) most[column] = entry;
    }
  }
  return Array.from(least, (low, column) => {
    const high = most[column]!;
    return { column, least: low, most: high, spread: high - low, size: Math.max(Math.abs(low), Math.abs(high)) };
  });
}

/** Affine map (y − mean)/deviation of each column of Y, which predictions undo. */
export interface Standardization {
  /** D entries. */
  readonly mean: Float64Array;
  /** D entries, > 0. */
  readonly deviation: Float64Array;
}

/**
 * Means and standard deviations of the observed entries of each column, where requested. A constant column gets deviation 1.
 *
 * @internal
 */
export function standardizationOf(Y: Matrix, center: boolean, scale: boolean): Standardization {
  const mean = new Float64Array(Y.columns);
  const deviation = new Float64Array(Y.columns).fill(1);
  if (!center && !scale) return { mean, deviation };
  const average = columnMeans(Y);
  if (center) mean.set(average);
  if (!scale) return { mean, deviation };
  const variance = averagesOf(Y, (entry, j) => square(entry - average[j]!));
  rangesOf(Y).forEach(({ spread }, j) => {
    if (spread > 0 && variance[j]! > 0) deviation[j] = Math.sqrt(variance[j]!);
  });
  return { mean, deviation };
}

/** Means of the observed entries of each column; NaN where there are none. A constant column's mean is its value, which a rounded sum would miss. */
export function columnMeans(Y: Matrix): Float64Array {
  const ranges = rangesOf(Y);
  return averagesOf(Y, (entry) => entry).map((mean, j) => (ranges[j]!.spread === 0 ? ranges[j]!.least : mean));
}

/** Means over each column of a value of its observed entries, in one pass through the rows. */
function averagesOf({ data, columns: D }: Matrix, at: (entry: number, j: number) => number): Float64Array {
  const [sums, counts] = [new Float64Array(D), new Float64Array(D)];
  for (let start = 0; start < data.length; start += D) {
    for (let j = 0; j < D; j++) {
      const entry = data[start + j]!;
      if (Number.isNaN(entry)) continue;
      sums[j]! += at(entry, j);
      counts[j]!++;
    }
  }
  return sums.map((sum, j) => sum / counts[j]!);
}

export function standardized({ data, rows, columns: D }: Matrix, { mean, deviation }: Standardization): Matrix {
  const own = new Float64Array(data.length);
  for (let start = 0; start < data.length; start += D) {
    for (let j = 0; j < D; j++) own[start + j] = (data[start + j]! - mean[j]!) / deviation[j]!;
  }
  return new Matrix(own, rows, D);
}

/**
 * Returns the matrix unless a row has only missing entries (NaN).
 *
 * @param name - its name in error messages
 */
export function checkObservedRows(Y: Matrix, name: string): Matrix {
  for (let i = 0; i < Y.rows; i++) if (!isObserved(Y, i)) throw unobservedRow(i, name);
  return Y;
}

/** True if a row has at least one observed entry. */
export const isObserved = ({ data, columns }: Matrix, row: number): boolean =>
  data.subarray(row * columns, (row + 1) * columns).some((entry) => !Number.isNaN(entry));

export const unobservedRow = (row: number, name: string): InvalidInputError =>
  new InvalidInputError(
    `Row index ${row} of ${name} has no observed entries, so it cannot be placed. Leave that row out.`,
  );

/** An N×N matrix of doubles takes 3.2 GB at this N. */
const MOST_POINTS = 20_000;

/**
 * Throws if there are too many points for an N×N matrix. Call it before allocating one.
 *
 * @param who - the method, as the subject of the message
 * @param instead - a sentence that names an alternative
 */
export function checkAllPairs(who: string, points: number, instead: string, most = MOST_POINTS): void {
  if (points <= most) return;
  throw new InvalidInputError(
    `${who} keeps a number for each two points, and takes up to ${most} of them: ${points} points would need ` +
      `${Math.ceil((8 * points * points) / 1e9)} GB for one such matrix. ${instead}`,
  );
}
