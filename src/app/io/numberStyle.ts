import { InvalidInputError } from '../../core/errors.ts';
import { type MissingCodes, missingCodes } from './missingValues.ts';

/** Number format: decimal point or comma, thousands separator, if any, and markers of missing values. */
export interface NumberStyle {
  readonly decimal: '.' | ',';
  readonly thousands?: string;
  readonly missing: MissingCodes;
}

/** Reads a cell as a number: NaN if it is missing, undefined if it is text. */
export type ReadNumber = (cell: string) => number | undefined;

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^[+-]?(inf|infinity|1\.#inf0*)$/i;

/**
 * Reader of cells as numbers: NaN if missing, ±Infinity if the cell contains it or exceeds the largest double, undefined for text and for whole
 * numbers that a double cannot represent.
 */
export function numberReader({ decimal, thousands, missing }: NumberStyle): ReadNumber {
  const grouped = thousands === undefined ? undefined : groups(thousands, decimal);
  return (given) => {
    if (missing.isMissing(given)) return Number.NaN;
    const cell = thousands === ' ' ? given.replace(/[\u00a0\u2009\u202f]/g, ' ') : given;
    const ungrouped = grouped?.test(cell) ? cell.replaceAll(thousands!, '') : cell;
    if (decimal === '.') return plainNumber(ungrouped);
    // With a decimal comma, 1.234 is not a number, because the point may separate thousands.
    return ungrouped.includes('.') ? undefined : plainNumber(ungrouped.replace(',', '.'));
  };
}

/** Reads a number with a decimal point, or one of the usual spellings of a missing value. */
export const numberOf: ReadNumber = (cell) => (USUAL.isMissing(cell) ? Number.NaN : plainNumber(cell));

const USUAL = missingCodes();

function plainNumber(given: string): number | undefined {
  // Typographic minus signs: −1.5, 8.5e−1.
  const cell = given.includes('\u2212') ? given.replaceAll('\u2212', '-') : given;
  if (NUMBER.test(cell)) return isInexact(cell) ? undefined : Number(cell);
  if (!INFINITE.test(cell)) return undefined;
  return cell.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Number of digits of whole numbers that doubles always represent exactly. */
const SAFE_DIGITS = 15;

/** True for whole numbers between doubles: another whole number may have the same double. Text that was written from a double is exact. */
export function isInexact(cell: string): boolean {
  if (cell.length <= SAFE_DIGITS || !/^[+-]?\d+$/.test(cell)) return false;
  const digits = cell.replace(/^\+/, '');
  if (!Number.isFinite(Number(digits))) return false;
  return BigInt(digits) !== BigInt(Number(digits)) && String(Number(digits)) !== digits;
}

/** Pattern of numbers with thousands separators, as in 1,234,567.5. */
const groups = (thousands: string, decimal: string): RegExp =>
  new RegExp(`^[+-]?\\d{1,3}(${escaped(thousands)}\\d{3})+(${escaped(decimal)}\\d*)?$`);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a cell is a number with a decimal comma: 'sure', 'unsure' (1,234 may be a thousand), or 'no'. */
function decimalComma(cell: string): 'sure' | 'unsure' | 'no' {
  if (!/^[+-]?\d*,\d+(e[+-]?\d+)?$/i.test(cell)) return 'no';
  return /^[+-]?[1-9]\d{0,2},\d{3}$/.test(cell) ? 'unsure' : 'sure';
}

const HAS_POINT = /^[+-]?\d*\.\d+(\.\d+)*$/;
/** Pattern of points that may separate thousands: exactly three digits follow each. */
const POINTS = /^[+-]?[1-9]\d{0,2}(\.\d{3})+$/;

/**
 * Requested style; otherwise a decimal comma if numbers cannot be read without it.
 *
 * @param cells - all cells below the names
 * @param notes - notes that receive a sentence about a decimal comma
 * @throws InvalidInputError if the table's numbers are ambiguous
 */
export function numberStyle(
  cells: Iterable<string>,
  delimiter: string,
  file: string,
  asked: { readonly decimal?: '.' | ',' | undefined; readonly thousands?: string | undefined },
  missing: MissingCodes,
  notes: string[],
): NumberStyle {
  const { decimal, thousands } = asked;
  if (decimal !== undefined && decimal === (thousands ?? '')) {
    throw new InvalidInputError(
      `'${decimal}' cannot be both the decimal mark and the thousands separator. Give two different characters.`,
    );
  }
  const style = { decimal: decimal ?? '.', missing, ...(thousands === undefined ? {} : { thousands }) } as const;
  if (decimal !== undefined || thousands === ',') return style;
  const found = marksIn(cells);
  if (found.sure !== undefined && (delimiter !== ',' || found.point === undefined)) {
    notes.push(`Numbers are read with a decimal comma, as in '${found.sure}'.`);
    return { ...style, decimal: ',' };
  }
  if (found.unsure !== undefined && delimiter !== ',') throw twoReadings(file, found.unsure, 'comma', ',');
  const isUnsurePoint = delimiter === ';' && found.point !== undefined && !found.isPointSure;
  if (isUnsurePoint && thousands === undefined) throw twoReadings(file, found.point!, 'point', '.');
  return style;
}

interface Marks {
  /** Cells with a comma before decimals, or possibly before thousands. */
  readonly sure?: string;
  readonly unsure?: string;
  /** Cell with a point, and whether one of them can only precede decimals. */
  readonly point?: string;
  readonly isPointSure: boolean;
}

function marksIn(cells: Iterable<string>): Marks {
  const marks: { sure?: string; unsure?: string; point?: string; isPointSure: boolean } = { isPointSure: false };
  for (const cell of cells) {
    if (cell.includes(',')) {
      const kind = decimalComma(cell);
      if (kind !== 'no') marks[kind] ??= cell;
    } else if (cell.includes('.') && HAS_POINT.test(cell)) {
      marks.point ??= cell;
      if (!POINTS.test(cell)) marks.isPointSure = true;
    }
  }
  return marks;
}

const twoReadings = (file: string, cell: string, name: string, mark: string) =>
  new InvalidInputError(
    `'${file}' contains numbers such as '${cell}', whose ${name} may be a decimal mark or a thousands separator. Choose: \`decimal: '${mark}'\` or \`thousands: '${mark}'\`.`,
  );

/** True if a cell looks like a number with commas between its thousands. */
export const hasThousands = (cell: string): boolean => /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(cell);
