import { seededRandom } from '../../src/core/random.ts';

/** Measurements of 24 flowers of two kinds: four columns that vary, from a seed. */
export function flowers(seed = 1): { rows: number[][]; kinds: string[] } {
  const random = seededRandom(seed);
  const kinds = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? 'setosa' : 'virginica'));
  const rows = kinds.map((kind) => {
    const size = (kind === 'setosa' ? 1 : 3) + 0.3 * random.normal();
    return [5 + 0.5 * size, 3 - 0.2 * size, size, 0.3 * size].map((mean) =>
      Number((mean + 0.1 * random.normal()).toFixed(3)),
    );
  });
  return { rows, kinds };
}

export const NAMES = ['length', 'width', 'petal', 'stem'];

/** Lines of cells between commas. */
export const csv = (rows: readonly (readonly (string | number)[])[], delimiter = ','): string =>
  rows.map((cells) => `${cells.join(delimiter)}\n`).join('');

/** The flowers with cells before and behind them. */
export function table(
  names: readonly string[],
  cells: (row: number[], i: number, kind: string) => readonly (string | number)[],
  delimiter = ',',
): string {
  const { rows, kinds } = flowers();
  return csv([names, ...rows.map((row, i) => cells(row, i, kinds[i]!))], delimiter);
}
