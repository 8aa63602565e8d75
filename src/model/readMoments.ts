import { square } from '../core/elementary/index.ts';
import type { Matrix } from '../core/matrix.ts';
import type { Standardization } from '../core/observations.ts';
import { type RowSource, readRows, type SampledRows } from '../core/rowMatrices.ts';

/** Number of rows used to initialize a model, evenly spaced. */
const SAMPLE = 2048;

/** Sample of the rows of a source, used to initialize a model. */
export async function startRows(source: RowSource): Promise<SampledRows['sample']> {
  const count = Math.min(SAMPLE, source.rows);
  return readRows(
    source,
    Int32Array.from({ length: count }, (_, k) => Math.floor((k * source.rows) / count)),
  );
}

/** Number of rows read at a time. */
const ROWS = 4096;

/**
 * Means and deviations for standardizing each column of a source: its rows are read once for means, and again for deviations if requested.
 *
 * @param check - throws for invalid rows
 */
export async function readMoments(
  source: RowSource,
  {
    center,
    scale,
    check,
  }: {
    readonly center: boolean;
    readonly scale: boolean;
    check(Y: Matrix): void;
  },
): Promise<Standardization> {
  const { rows: N, columns: D } = source;
  const average = new Float64Array(D);
  const least = new Float64Array(D).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(D).fill(Number.NEGATIVE_INFINITY);
  for await (const Y of blocks(source)) {
    check(Y);
    Y.data.forEach((entry, k) => {
      average[k % D]! += entry / N;
      least[k % D] = Math.min(least[k % D]!, entry);
      most[k % D] = Math.max(most[k % D]!, entry);
    });
  }
  // A constant column's mean is its value, which a rounded sum would miss.
  least.forEach((value, j) => {
    if (value === most[j]) average[j] = value;
  });
  const deviation = new Float64Array(D).fill(1);
  if (scale) {
    const variance = new Float64Array(D);
    for await (const Y of blocks(source)) {
      Y.data.forEach((entry, k) => {
        variance[k % D]! += square(entry - average[k % D]!) / N;
      });
    }
    variance.forEach((entry, j) => {
      if (most[j]! > least[j]! && entry > 0) deviation[j] = Math.sqrt(entry);
    });
  }
  return { mean: center ? average : new Float64Array(D), deviation };
}

async function* blocks(source: RowSource): AsyncGenerator<Matrix, void, void> {
  for (let from = 0; from < source.rows; from += ROWS) {
    const length = Math.min(ROWS, source.rows - from);
    yield await readRows(
      source,
      Int32Array.from({ length }, (_, k) => from + k),
    );
  }
}
