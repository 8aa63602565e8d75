import * as v from 'valibot';
import type { Matrix } from './matrix.ts';
import { standardizationOf, standardized } from './observations.ts';

/** Whether columns are divided by their standard deviations; 'auto' divides them if their units differ. */
export type ScaleOption = boolean | 'auto';

export const scaleOption = v.union([v.boolean(), v.literal('auto')], "true, false or 'auto'");

/** Ratio of standard deviations above which columns are taken to have different units. */
const MOST = 10;

/** Fewest columns that may share one unit although their deviations differ, as those of pixels do. */
const FEWEST = 16;

/**
 * True if the standard deviations of the columns differ by more than ten times, so that they seem to have different units. Constant columns are
 * ignored. Pixels, counts and coordinates share one unit although some of their columns hardly vary: of at least 16 columns, half have more than a
 * tenth of the widest range.
 *
 * @param Y - N×D, NaN where missing
 */
export function differInUnit(Y: Matrix): boolean {
  if (haveOneScale(Y)) return false;
  const { mean, deviation } = standardizationOf(Y, true, true);
  return deviationsDiffer(deviation.filter((_, j) => varies(Y, j, mean[j]!)));
}

/** True if the largest standard deviation is more than ten times the smallest. */
export const deviationsDiffer = (deviations: Float64Array): boolean =>
  deviations.length > 0 && Math.max(...deviations) > MOST * Math.min(...deviations);

/** True for columns such as pixels, most of which have similar ranges while some hardly vary. */
function haveOneScale({ data, columns }: Matrix): boolean {
  if (columns < FEWEST) return false;
  const least = new Float64Array(columns).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(columns).fill(Number.NEGATIVE_INFINITY);
  data.forEach((entry, i) => {
    if (entry < least[i % columns]!) least[i % columns] = entry;
    if (entry > most[i % columns]!) most[i % columns] = entry;
  });
  const ranges = most.map((high, j) => high - least[j]!).sort();
  return MOST * ranges[columns >> 1]! >= ranges[columns - 1]!;
}

/** True if a column varies by more than rounding error. */
function varies({ data, rows, columns }: Matrix, j: number, mean: number): boolean {
  for (let i = 0; i < rows; i++) {
    const entry = data[i * columns + j]!;
    if (Math.abs(entry - mean) > 1e-12 * Math.max(Math.abs(entry), Math.abs(mean))) return true;
  }
  return false;
}

/** True if columns are to be divided by their standard deviations. */
export const isScaled = (Y: Matrix, scale: ScaleOption): boolean => (scale === 'auto' ? differInUnit(Y) : scale);

/** Note in a fit's message when 'auto' divided the columns by their standard deviations. */
export const SCALED_NOTE =
  ' Columns are in units that differ by more than ten times: each was divided by its deviation for the fit, and predictions are in its own unit (scale: false leaves them as they are).';

/** Columns as a model of distances sees them. */
export interface DividedColumns {
  readonly points: Matrix;
  /** Divisors of the D columns; undefined if they are unchanged. */
  readonly deviation: Float64Array | undefined;
  /** Note about it in the message of a fit. */
  readonly unitsNote: string;
}

/** The columns, divided by their standard deviations if `scale` says so. */
export function dividedColumns(Y: Matrix, scale: ScaleOption): DividedColumns {
  if (!isScaled(Y, scale)) return { points: Y, deviation: undefined, unitsNote: '' };
  const standardization = standardizationOf(Y, false, true);
  const unitsNote = scale === 'auto' ? SCALED_NOTE : '';
  return { points: standardized(Y, standardization), deviation: standardization.deviation, unitsNote };
}

/** Note in the message of a fit that does not rescale columns; '' unless they seem to have different units. */
export function unitsAdvice(Y: Matrix): string {
  if (!differInUnit(Y)) return '';
  const { mean, deviation } = standardizationOf(Y, true, true);
  const byDeviation = Array.from(deviation.keys())
    .filter((j) => varies(Y, j, mean[j]!))
    .sort((i, j) => deviation[i]! - deviation[j]!);
  const [from, to] = [byDeviation[0]!, byDeviation.at(-1)!].map((j) => `${deviation[j]!.toPrecision(2)} (column ${j})`);
  return ` Deviations of the columns run from ${from} to ${to}, and columns of large deviation decide nearly alone: divide columns in different units by their deviations first (command line: --standardise).`;
}
