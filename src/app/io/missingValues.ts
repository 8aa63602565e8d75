import { isMissingText } from '../../core/observations.ts';

/** Texts and numbers that mark a missing value. */
export type MissingValues = readonly (string | number)[];

/** Test for missing values. */
export interface MissingCodes {
  /** True if the text of a cell marks a missing value. */
  isMissing(cell: string): boolean;
  /** True for a number that marks a missing value. */
  isMissingNumber(value: number): boolean;
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Markers of missing values. Default NaN, NA, N/A, null, None, ?, a dash; explicit ones replace these. An empty cell is always missing. */
export function missingCodes(given?: MissingValues): MissingCodes {
  if (given === undefined) return { isMissing: isMissingText, isMissingNumber: Number.isNaN };
  const texts = new Set(given.map((code) => String(code).trim()));
  const numbers = new Set([...texts].filter((code) => DECIMAL.test(code)).map(Number));
  const isMissingNumber = (value: number) => Number.isNaN(value) || numbers.has(value);
  return {
    isMissing: (cell) => cell === '' || texts.has(cell) || (DECIMAL.test(cell) && numbers.has(Number(cell))),
    isMissingNumber,
  };
}
