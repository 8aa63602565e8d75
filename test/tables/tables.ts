import { readFileSync } from 'node:fs';

const [names, ...lines] = readFileSync(new URL('flowers.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(','));

export const NAMES = names!.slice(0, 4);

/** Measurements of 24 flowers of two kinds: four columns that vary. */
export const flowers = (): { rows: number[][]; kinds: string[] } => ({
  rows: lines.map((cells) => cells.slice(0, 4).map(Number)),
  kinds: lines.map((cells) => cells[4]!),
});

/** Lines of cells between commas. */
export const csv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((cells) => `${cells.join(',')}\n`).join('');

/** The flowers with cells before and behind them. */
export function table(
  names: readonly string[],
  cells: (row: number[], i: number, kind: string) => readonly (string | number)[],
): string {
  const { rows, kinds } = flowers();
  return csv([names, ...rows.map((row, i) => cells(row, i, kinds[i]!))]);
}
