import { isMissingText } from '../../core/observations.ts';

/** Texts and numbers that stand for a missing value. */
export type MissingValues = readonly (string | number)[];

/** Tells missing values from others. */
export interface MissingCodes {
  /** True for the text of a cell. */
  isMissing(cell: string): boolean;
  /** True for a number that stands for a missing value. */
  isMissingNumber(value: number): boolean;
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * The codes of missing values. Unless some are given, these are the usual ones (NaN, NA, N/A, null, None, ?, a dash); those that are given replace
 * them. An empty cell is always missing.
 */
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
