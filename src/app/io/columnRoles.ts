import { remedyForWritten } from './numberText.ts';
import type { RawColumn } from './rawTable.ts';

/** A column that is not among the observations unless it is chosen. */
export interface LeftOut {
  readonly column: string;
  /** The reason, as the end of a sentence: "is constant". */
  readonly reason: string;
  /** True for numbers that are not taken for observations by default, but may be chosen. */
  readonly byDefault?: true;
  /** The value of a column that is constant, and how many columns of the observations precede it in the file. */
  readonly constant?: { readonly value: number; readonly position: number };
}

/** Kinds of columns. */
export type Appearance =
  | { readonly kind: 'feature' }
  | { readonly kind: 'index' | 'text' | 'constant' | 'empty'; readonly reason: string };

const IDENTIFIER =
  /^(id|ids|idx|index|row|rows|rowid|row_?(id|name|number|names|no)|rownames?|key|uuid|guid|unnamed: ?\d+|.*[_ .-]ids?|.*[a-z]I[dD])$/i;
const NAMED_ID = /^(.*[_ .-])?(id|ids|index|idx)$|[a-z]I[dD]$/;

/** Fewest rows for which whole numbers that count up in some order are taken for an index and not for measurements. */
const FEWEST_COUNTED = 5;
const FEWEST_UNIQUE = 20;

/**
 * The kind of a column:
 * - an index: no name, first, and no value twice; the name of an identifier (id, index, row, key, sample_id, …) and whole numbers; text
 *   that never comes twice; whole numbers that count the rows up by one, in order or, from 20 rows, in any order; the first column, from 20 rows, of
 *   whole numbers none of which comes twice, where other columns are not like that;
 * - text: more than half of its cells are not numbers;
 * - constant without holes, or empty throughout.
 */
export function appearance(column: RawColumn, position: number, all: readonly RawColumn[]): Appearance {
  const { numbers, text, name, isNamed } = column;
  if (text !== undefined) return textAppearance(column, position);
  const present = numbers!.filter((value) => !Number.isNaN(value));
  if (present.length === 0 && numbers!.length > 1) return { kind: 'empty', reason: 'holds no value' };
  const isWhole = present.every(Number.isInteger);
  const distinct = new Set(present).size;
  const isUnique = distinct === numbers!.length && numbers!.length > 1;
  if (isNamed && IDENTIFIER.test(name) && isWhole && (isUnique || NAMED_ID.test(name))) {
    return { kind: 'index', reason: 'is named like an identifier' };
  }
  if (numbers!.length >= FEWEST_COUNTED && isWhole && isUnique && counts(numbers!)) {
    return { kind: 'index', reason: 'counts the rows' };
  }
  if (position === 0 && !isNamed && all.slice(1).some((other) => other.isNamed) && isWhole && isUnique) {
    return { kind: 'index', reason: 'has no name and no value twice' };
  }
  if (position === 0 && isUniqueWhole(numbers!) && all.slice(1).some((other) => !isUniqueWhole(other.numbers))) {
    return { kind: 'index', reason: 'holds whole numbers, none of them twice' };
  }
  return arrayAppearance(column);
}

/** Kind of a column of an array: all columns are meant as observations, but a constant one carries no information. */
export function arrayAppearance({ numbers, text }: RawColumn): Appearance {
  if (text !== undefined) return { kind: 'text', reason: 'is text' };
  const first = numbers![0]!;
  const isConstant = numbers!.length > 1 && numbers!.every((value) => value === first);
  return isConstant ? { kind: 'constant', reason: `is ${first} in every row` } : { kind: 'feature' };
}

/** The first column that looks like an index; one that only counts rows gives way to text that names each row. −1 if there is none. */
export function namingColumn(
  looks: readonly Appearance[],
  columns: readonly RawColumn[],
  isTaken: (j: number) => boolean,
): number {
  const found = looks.flatMap(({ kind }, j) => (kind === 'index' && !isTaken(j) ? [j] : []));
  const first = found[0];
  if (first === undefined) return -1;
  const { numbers } = columns[first]!;
  if (numbers === undefined || !counts(numbers)) return first;
  return found.find((j) => columns[j]!.text !== undefined) ?? first;
}

/** True if the numbers increase by one from row to row or, in tables with many rows, would after sorting. */
function counts(numbers: Float64Array): boolean {
  if (numbers.every((value, i) => value === numbers[0]! + i)) return true;
  if (numbers.length < FEWEST_UNIQUE) return false;
  const range =
    numbers.reduce((largest, value) => Math.max(largest, value)) -
    numbers.reduce((least, value) => Math.min(least, value));
  return range === numbers.length - 1;
}

const isUniqueWhole = (numbers: Float64Array | undefined): boolean =>
  numbers !== undefined &&
  numbers.length >= FEWEST_UNIQUE &&
  numbers.every(Number.isInteger) &&
  new Set(numbers).size === numbers.length;

function textAppearance({ text, read, name, isNamed }: RawColumn, position: number): Appearance {
  const present = text!.filter((cell) => cell !== '' && !Number.isNaN(read?.(cell)));
  const texts = present.filter((cell) => read?.(cell) === undefined);
  // A text among numbers is a mistake, which the reader reports with its position.
  if (2 * texts.length <= present.length) return { kind: 'feature' };
  const kinds = new Set(text).size;
  const shown = shortened(texts[0]!);
  const remedy = remedyForWritten(texts[0]!);
  if (remedy !== undefined && texts.every((cell) => remedyForWritten(cell) !== undefined)) {
    return { kind: 'text', reason: `is text to this reader, though it holds numbers such as '${shown}': ${remedy}` };
  }
  const isUnique = kinds === text!.length && text!.length > 1;
  if (isUnique && ((position === 0 && !isNamed) || IDENTIFIER.test(name) || text!.length >= FEWEST_COUNTED)) {
    return { kind: 'index', reason: 'is text that names each row' };
  }
  return { kind: 'text', reason: `is text ('${shown}', ${kinds === 1 ? 'always' : `${kinds} kinds`})` };
}

function shortened(cell: string): string {
  const line = cell.replace(/\s+/gu, ' ');
  return line.length > 20 ? `${line.slice(0, 19)}…` : line;
}
