import type { Matrix } from './matrix.ts';
import { rowsOf } from './rowMatrices.ts';

/** Measures the seconds that work takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** Numbers of rows that are timed: the first call includes one-time work, and the other two give the time per call and per row. */
const TIMED = [4, 4, 12] as const;

/**
 * Estimates the time of work on the rows of a table from a few rows, evenly spaced.
 *
 * @param Y - the table
 * @param work - handles rows independently of each other
 * @returns the seconds for any number of rows
 */
export async function secondsOfRows(
  Y: Matrix,
  work: (rows: Matrix) => Promise<unknown>,
): Promise<(count: number) => number> {
  const seconds: number[] = [];
  for (const count of TIMED) {
    const rows = Array.from({ length: count }, (_, k) => Math.floor(((k + 0.5) * Y.rows) / count));
    seconds.push(await secondsOf(() => work(rowsOf(Y, rows))));
  }
  const [, few, more] = seconds as [number, number, number];
  const each = Math.max(0, more - few) / (TIMED[2] - TIMED[1]);
  return (count) => Math.max(0, few + each * (count - TIMED[1]));
}
