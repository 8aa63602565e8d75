import type { Matrix } from './matrix.ts';
import { standardizationOf } from './observations.ts';

/** Whether columns are divided by their deviations: as asked for, or where their units differ. */
export type ScaleOption = boolean | 'auto';

/** Deviations that differ by more than so many times are not of one unit. */
const MOST = 10;

/** Fewest columns that may be of one unit though their deviations differ. */
const FEWEST = 16;

/**
 * True if the standard deviations of columns differ by more than ten times: they are then in units of their own. Constant columns do not count. Pixels,
 * counts and coordinates are of one unit, though some hardly vary: where of at least 16 columns half reach over a tenth of the widest range.
 *
 * @param Y - N×D, NaN where missing
 */
export function differInUnit(Y: Matrix): boolean {
  if (haveOneScale(Y)) return false;
  const { mean, deviation } = standardizationOf(Y, true, true);
  return deviationsDiffer(deviation.filter((_, j) => varies(Y, j, mean[j]!)));
}

/** True if the largest of some deviations is more than ten times the smallest. */
export const deviationsDiffer = (deviations: Float64Array): boolean =>
  deviations.length > 0 && Math.max(...deviations) > MOST * Math.min(...deviations);

/** True for columns such as pixels, of which most reach about as far and some hardly vary. */
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

/** True if a column has an entry away from its mean by more than rounding. */
function varies({ data, rows, columns }: Matrix, j: number, mean: number): boolean {
  for (let i = 0; i < rows; i++) {
    const entry = data[i * columns + j]!;
    if (Math.abs(entry - mean) > 1e-12 * Math.max(Math.abs(entry), Math.abs(mean))) return true;
  }
  return false;
}

/** Whether columns are divided by their deviations. */
export const isScaled = (Y: Matrix, scale: ScaleOption): boolean => (scale === 'auto' ? differInUnit(Y) : scale);

/** What a fit says where columns were divided by their deviations without being asked to. */
export const SCALED_NOTE =
  ' Columns are in units that differ by more than ten times: each was divided by its deviation for the fit, and predictions are in its own unit (scale: false leaves them as they are).';
