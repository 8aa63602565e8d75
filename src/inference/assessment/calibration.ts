import { log, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Random } from '../../core/random.ts';
import { erf, normalQuantile } from '../../engine/special/normal.ts';
import { meanOf } from '../../engine/vectors.ts';
import type { Prediction } from '../../model/posterior.ts';

/** Share of held-out entries within central intervals of one nominal level. */
export interface Coverage {
  readonly level: number;
  readonly coverage: number;
  /** Standard error of the coverage, with entries of one row treated as dependent. */
  readonly se: number;
  /** Mean interval score (u − l) + 2/α·(l − y)⁺ + 2/α·(y − u)⁺, α = 1 − level, in standard deviations of the column; smaller is better. */
  readonly intervalScore: number;
}

/** Calibration of predictive intervals on held-out entries. */
export interface Calibration {
  /** Number of held-out entries, and of rows that contain them. */
  readonly entries: number;
  readonly rows: number;
  /** Coverage at 50, 80, 90 and 95 %. */
  readonly coverage: readonly Coverage[];
  /**
   * Histogram of Φ((y − mean)/deviation) in ten equal bins: .1 each for calibrated intervals, high ends for intervals that are too narrow, a high
   * middle for intervals that are too wide.
   */
  readonly pit: readonly number[];
  /** Mean log density per entry, in nats, with standardized columns. */
  readonly logDensity: number;
  /**
   * Gain in mean log density over an independent normal distribution per column, and its standard error: the information that the map has about an
   * entry from the rest of its row.
   */
  readonly gain: number;
  readonly gainSe: number;
  /** Root mean squared error, in standard deviations of the column. */
  readonly error: number;
}

/** Nominal levels of the central intervals. */
const LEVELS = [0.5, 0.8, 0.9, 0.95];
const BINS = 10;

/** Standard deviation, relative to the mean, below which a column counts as constant. */
const ROUNDING = 1e-12;

/** One held-out entry: its row, its value, its prediction, and the mean and deviation of its column among the fitted rows. */
export interface HeldOutEntry {
  readonly row: number;
  readonly column: number;
  readonly value: number;
  readonly mean: number;
  readonly deviation: number;
  readonly columnMean: number;
  readonly columnDeviation: number;
}

/** A third of the observed entries of a row, at least one. */
const aThird = (observed: number): number => Math.max(1, Math.round(observed / 3));

/** A tenth of the observed entries of a row on average, rounded at random. */
export const aTenth = (observed: number, { uniform }: Random): number => Math.floor(observed / 10 + uniform());

/**
 * Rows with some of the observed entries, never all, set to missing.
 *
 * @param Y - n×D, NaN where missing
 * @param countOf - number of entries to hide in a row with a number of observed entries; default a third, at least one
 */
export function withHidden(
  Y: Matrix,
  random: Random,
  countOf: (observed: number, random: Random) => number = aThird,
): Matrix {
  const shown = Matrix.from(Y);
  for (let i = 0; i < Y.rows; i++) {
    const observed = Array.from({ length: Y.columns }, (_, j) => j).filter((j) => !Number.isNaN(Y.at(i, j)));
    const count = Math.min(observed.length - 1, countOf(observed.length, random));
    for (let h = 0; h < count; h++) {
      const [j] = observed.splice(random.integer(observed.length), 1);
      shown.data[i * Y.columns + j!] = Number.NaN;
    }
  }
  return shown;
}

/**
 * The entries of Y that are missing in `shown`, with their predictions.
 *
 * @param rows - row numbers of Y in the whole table
 * @param training - fitted rows, which determine the columns' means and deviations
 */
export function heldOutEntries(
  Y: Matrix,
  shown: Matrix,
  { mean, variance }: Prediction,
  rows: ArrayLike<number>,
  training: Matrix,
): HeldOutEntry[] {
  const columns = Array.from({ length: Y.columns }, (_, j) => columnMoments(training, j));
  const [predicted, spread] = [Matrix.from(mean), Matrix.from(variance)];
  const entries: HeldOutEntry[] = [];
  shown.data.forEach((entry, at) => {
    const value = Y.data[at]!;
    const [i, j] = [Math.floor(at / Y.columns), at % Y.columns];
    const { mean: columnMean, deviation: columnDeviation } = columns[j]!;
    // A column that is constant in the fitted rows has nothing to predict.
    const varies = columnDeviation > ROUNDING * Math.abs(columnMean);
    if (!Number.isNaN(entry) || Number.isNaN(value) || !varies) return;
    entries.push({
      row: rows[i]!,
      column: j,
      value,
      mean: predicted.data[at]!,
      deviation: Math.sqrt(spread.data[at]!),
      columnMean,
      columnDeviation,
    });
  });
  return entries;
}

function columnMoments(Y: Matrix, j: number): { mean: number; deviation: number } {
  const column = Y.column(j).filter((entry) => !Number.isNaN(entry));
  const mean = meanOf(column);
  return { mean, deviation: Math.sqrt(meanOf(column.map((entry) => square(entry - mean)))) };
}

/** Coverage, PIT and densities of held-out entries; undefined without entries. */
export function calibrationOf(entries: readonly HeldOutEntry[]): Calibration | undefined {
  if (entries.length === 0) return undefined;
  const standard = entries.map(({ value, mean, deviation }) => (value - mean) / deviation);
  const pit = new Array<number>(BINS).fill(0);
  for (const z of standard) {
    const at = Math.min(BINS - 1, Math.floor((BINS * (1 + erf(z / Math.SQRT2))) / 2));
    pit[at]! += 1 / standard.length;
  }
  const densities = entries.map(logDensityOf);
  const gains = entries.map((entry, at) => densities[at]! - columnLogDensity(entry));
  const gain = rowwise(entries, gains);
  return {
    entries: entries.length,
    rows: new Set(entries.map(({ row }) => row)).size,
    coverage: LEVELS.map((level) => {
      const z = normalQuantile((1 + level) / 2);
      const { mean: coverage, se } = rowwise(
        entries,
        standard.map((own) => (Math.abs(own) <= z ? 1 : 0)),
      );
      const scores = entries.map(({ deviation, columnDeviation }, at) => {
        const outside = Math.max(0, Math.abs(standard[at]!) - z);
        return ((2 * z + (2 / (1 - level)) * outside) * deviation) / columnDeviation;
      });
      return { level, coverage, se, intervalScore: meanOf(scores) };
    }),
    pit,
    logDensity: meanOf(densities),
    gain: gain.mean,
    gainSe: gain.se,
    error: Math.sqrt(
      meanOf(entries.map(({ value, mean, columnDeviation }) => square((value - mean) / columnDeviation))),
    ),
  };
}

/** log N(y; mean, deviation²) in standard deviations of the column. */
export const logDensityOf = ({ value, mean, deviation, columnDeviation }: HeldOutEntry): number =>
  -(log(2 * Math.PI * square(deviation / columnDeviation)) + square((value - mean) / deviation)) / 2;

const columnLogDensity = ({ value, columnMean, columnDeviation }: HeldOutEntry): number =>
  -(log(2 * Math.PI) + square((value - columnMean) / columnDeviation)) / 2;

/** Mean of a quantity over entries with its standard error, where entries of one row are dependent and rows are independent. */
export function rowwise(
  entries: readonly Pick<HeldOutEntry, 'row'>[],
  values: readonly number[],
): { readonly mean: number; readonly se: number } {
  const mean = meanOf(values);
  const ofRow = new Map<number, number>();
  entries.forEach(({ row }, at) => {
    ofRow.set(row, (ofRow.get(row) ?? 0) + values[at]! - mean);
  });
  const count = ofRow.size;
  const squares = [...ofRow.values()].reduce((sum, own) => sum + square(own), 0);
  return { mean, se: count < 2 ? Number.NaN : Math.sqrt((count / (count - 1)) * squares) / values.length };
}
