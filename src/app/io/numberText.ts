import { isMissingText } from '../../core/observations.ts';

/** How numbers are written: what stands before the decimals, and between thousands if anything. */
export interface NumberStyle {
  readonly decimal: '.' | ',';
  readonly thousands?: string;
}

export const PLAIN: NumberStyle = { decimal: '.' };

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^[+-]?(inf|infinity)$/i;

/**
 * Reads a cell as a number: NaN where it is missing (empty, NaN, NA, N/A, null, None, ?, a dash), ±Infinity where it says so or is beyond the
 * largest double, undefined where it is text.
 */
export function numberReader({ decimal, thousands }: NumberStyle): (cell: string) => number | undefined {
  if (decimal === '.' && thousands === undefined) return numberOf;
  const grouped = thousands === undefined ? undefined : groups(thousands, decimal);
  return (given) => {
    const cell = thousands === ' ' ? given.replace(/[\u00a0\u2009\u202f]/g, ' ') : given;
    const ungrouped = grouped?.test(cell) ? cell.replaceAll(thousands!, '') : cell;
    // With a decimal comma, a point is no number: 1.234 may be a thousand.
    if (decimal === ',' && ungrouped.includes('.')) return isMissingText(cell) ? Number.NaN : undefined;
    return numberOf(decimal === ',' ? ungrouped.replace(',', '.') : ungrouped);
  };
}

/** `numberReader` of plain numbers, with a decimal point. */
export function numberOf(cell: string): number | undefined {
  if (NUMBER.test(cell)) return Number(cell);
  if (isMissingText(cell)) return Number.NaN;
  if (INFINITE.test(cell)) return cell.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  // As typeset: −1.5.
  return cell.startsWith('\u2212') && /^[\d.]/.test(cell.slice(1)) ? numberOf(`-${cell.slice(1)}`) : undefined;
}

/** '' for a label that is missing as a number would be: NaN, NA, null, a dash. */
export const presentLabel = (label: string): string => (isMissingText(label.trim()) ? '' : label);

/** The number before a percent sign, as that reads it; NaN where it is missing. */
export function percentReader(read: (cell: string) => number | undefined): (cell: string) => number | undefined {
  return (cell) => {
    if (cell.endsWith('%')) return read(cell.slice(0, -1).trim());
    const value = read(cell);
    return Number.isNaN(value) ? value : undefined;
  };
}

const WRITTEN = "[+-]?(\\d{1,3}([ ,.'’\\u00a0\\u2009\\u202f]\\d{3})+|\\d+)([.,]\\d+)?";
const IN_UNITS = new RegExp(`^(\\p{Sc}\\s?${WRITTEN}|${WRITTEN}(\\s?\\p{Sc}|\\s?%|\\s[\\p{L}°µ²³/]+))$`, 'u');
const GROUPED = new RegExp(`^${WRITTEN}$`, 'u');

/** How a text that is a number to a reader can be read as one: "…, which …"; undefined where it is none. */
export function remedyForWritten(cell: string): string | undefined {
  if (IN_UNITS.test(cell)) return 'write them without their unit';
  if (!GROUPED.test(cell)) return undefined;
  const mark = /\d([ ,.'’\u00a0\u2009\u202f])\d{3}/u.exec(cell)?.[1];
  if (mark === undefined) return undefined;
  const thousands = /\s/u.test(mark) ? ' ' : mark;
  // A comma after other marks stands before the decimals.
  if (thousands !== ',' && /,\d+$/.test(cell)) {
    const flag = thousands === ' ' ? '" "' : thousands;
    return `decimal ',' and thousands '${thousands}' read them (--decimal , --thousands ${flag})`;
  }
  return `thousands '${thousands}' reads them (--thousands "${thousands}")`;
}

/** Numbers whose thousands are separated, as in 1,234,567.5. */
const groups = (thousands: string, decimal: string): RegExp =>
  new RegExp(`^[+-]?\\d{1,3}(${escaped(thousands)}\\d{3})+(${escaped(decimal)}\\d*)?$`);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a cell is a number with a decimal comma: 'sure', 'unsure' (1,234 may be a thousand), or 'no'. */
export function decimalComma(cell: string): 'sure' | 'unsure' | 'no' {
  if (!/^[+-]?\d*,\d+(e[+-]?\d+)?$/i.test(cell)) return 'no';
  return /^[+-]?[1-9]\d{0,2},\d{3}$/.test(cell) ? 'unsure' : 'sure';
}

/** Whether a cell looks like a number with commas between its thousands. */
export const hasThousands = (cell: string): boolean => /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(cell);
