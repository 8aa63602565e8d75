import { log, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Random } from '../../core/random.ts';
import { erf } from '../../engine/special/erf.ts';
import { normalQuantile } from '../../engine/special/quantiles.ts';
import type { Prediction } from '../../model/posterior.ts';

/** The share of held-out entries within central intervals of one nominal level. */
export interface Coverage {
  readonly level: number;
  readonly coverage: number;
  /** Standard error of the coverage, entries of one row counted as dependent. */
  readonly se: number;
  /** Mean of (u − l) + 2/α·(l − y)⁺ + 2/α·(y − u)⁺, α = 1 − level, in standard deviations of the column: small is good. */
  readonly intervalScore: number;
}

/** How predictions of held-out entries and their intervals agree with what was held out. */
export interface Calibration {
  /** Entries held out, and the rows they are of. */
  readonly entries: number;
  readonly rows: number;
  /** At 50, 80, 90 and 95 %. */
  readonly coverage: readonly Coverage[];
  /** Shares of Φ((y − mean)/deviation) in ten equal bins: .1 each where intervals hold, high ends where they are too narrow, a high middle where too wide. */
  readonly pit: readonly number[];
  /** Mean log density of an entry, standardized columns, in nats. */
  readonly logDensity: number;
  /** By how much it exceeds that of a normal distribution of each column by itself, and its standard error: what the map knows about an entry from the others of its row. */
  readonly gain: number;
  readonly gainSe: number;
  /** Root mean squared error, in standard deviations of the column. */
  readonly error: number;
}

/** Central intervals that coverage is counted of. */
const LEVELS = [0.5, 0.8, 0.9, 0.95];
const BINS = 10;

/** A column that varies by less, as a part of its mean, is constant but for rounding. */
const ROUNDING = 1e-12;

/** One held-out entry: its row, what it was, what was predicted, and mean and deviation of its column among the rows that were fitted. */
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
 * Rows in which a part of the observed entries, never all, are missing.
 *
 * @param Y - n×D, NaN where missing
 * @param countOf - number of entries to hide in a row, by the number of observed ones; a third, at least one, unless given
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
 * The entries of Y that `shown` does not have, with what is predicted of them.
 *
 * @param rows - the numbers of the rows of Y in the whole table
 * @param training - the rows that were fitted, from which the columns' means and deviations are
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
  const mean = average(column);
  return { mean, deviation: Math.sqrt(average(column.map((entry) => square(entry - mean)))) };
}

/** Coverage, PIT and densities of held-out entries; undefined of none. */
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
      return { level, coverage, se, intervalScore: average(scores) };
    }),
    pit,
    logDensity: average(densities),
    gain: gain.mean,
    gainSe: gain.se,
    error: Math.sqrt(
      average(entries.map(({ value, mean, columnDeviation }) => square((value - mean) / columnDeviation))),
    ),
  };
}

/** log N(y; mean, deviation²) in standard deviations of the column. */
export const logDensityOf = ({ value, mean, deviation, columnDeviation }: HeldOutEntry): number =>
  -(log(2 * Math.PI * square(deviation / columnDeviation)) + square((value - mean) / deviation)) / 2;

const columnLogDensity = ({ value, columnMean, columnDeviation }: HeldOutEntry): number =>
  -(log(2 * Math.PI) + square((value - columnMean) / columnDeviation)) / 2;

/** The mean of a quantity of entries with its standard error, where entries of one row depend on each other and rows do not. */
export function rowwise(
  entries: readonly Pick<HeldOutEntry, 'row'>[],
  values: readonly number[],
): { readonly mean: number; readonly se: number } {
  const mean = average(values);
  const ofRow = new Map<number, number>();
  entries.forEach(({ row }, at) => {
    ofRow.set(row, (ofRow.get(row) ?? 0) + values[at]! - mean);
  });
  const count = ofRow.size;
  const squares = [...ofRow.values()].reduce((sum, own) => sum + square(own), 0);
  return { mean, se: count < 2 ? Number.NaN : Math.sqrt((count / (count - 1)) * squares) / values.length };
}

function average(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}
