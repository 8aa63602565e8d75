import { numberOf } from './numberText.ts';

/**
 * True if the first line holds names, which it does if
 * - a text of it stands above a column of numbers; or
 * - it is text throughout; or its only numbers are different whole ones, such as years, and its texts do not come again below; or
 * - it counts on from any number, as years do, above numbers of which most have decimals; or
 * - it counts 0, 1, 2, …, as the columns of a data frame without names do, with an empty first cell or without.
 *
 * @param rows - all lines, split into cells
 * @param isNumber - whether a cell is a number or missing
 * @param labels - index of the label column, whose text is no evidence
 */
export function hasHeader(
  rows: readonly (readonly string[])[],
  isNumber: (cell: string) => boolean,
  labels: number | undefined,
): boolean {
  const [first = [], ...body] = rows;
  const texts = first.map((_, j) => j).filter((j) => j !== labels && !isNumber(first[j]!));
  if (texts.length === 0) return (counts(first) || countsOn(first, body)) && body.length > 0;
  if (body.length === 0) return texts.length === first.length;
  const isNumeric = (j: number) => 2 * body.filter((cells) => isNumber(cells[j]!)).length >= body.length;
  if (texts.some(isNumeric)) return true;
  const numbers = first.filter((cell) => isNumber(cell) && cell !== '');
  if (numbers.length === 0) return true;
  const areNames = numbers.every((cell) => /^\d+$/.test(cell)) && new Set(numbers).size === numbers.length;
  return areNames && labels === undefined && !texts.some((j) => body.some((cells) => cells[j] === first[j]));
}

function counts(first: readonly string[]): boolean {
  const cells = first[0] === '' ? first.slice(1) : first;
  return cells.length >= 3 && cells.every((cell, j) => numberOf(cell) === j && cell === String(j));
}

/** True if the first line is n, n + 1, n + 2, …, and most cells below have decimals. */
function countsOn(first: readonly string[], body: readonly (readonly string[])[]): boolean {
  const start = Number(first[0]);
  if (first.length < 3 || !first.every((cell, j) => /^\d+$/.test(cell) && Number(cell) === start + j)) return false;
  const cells = body.flat();
  return 2 * cells.filter((cell) => /\d[.,]\d/.test(cell)).length > cells.length;
}
