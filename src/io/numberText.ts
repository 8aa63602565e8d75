/** How numbers are written: what stands before the decimals, and between thousands if anything. */
export interface NumberStyle {
  readonly decimal: '.' | ',';
  readonly thousands?: string;
}

export const PLAIN: NumberStyle = { decimal: '.' };

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const MISSING = /^(|nan|na|n\/a|#n\/a|<na>|nat|null|none|\?)$/i;
const INFINITE = /^[+-]?(inf|infinity)$/i;

/**
 * Reads a cell as a number: NaN where it is missing (empty, NaN, NA, N/A, null, None, ?), ±Infinity where it says so or is beyond the
 * largest double, undefined where it is text.
 */
export function numberReader({ decimal, thousands }: NumberStyle): (cell: string) => number | undefined {
  if (decimal === '.' && thousands === undefined) return numberOf;
  const grouped = thousands === undefined ? undefined : groups(thousands, decimal);
  return (cell) => {
    const ungrouped = grouped?.test(cell) ? cell.replaceAll(thousands!, '') : cell;
    // With a decimal comma, a point is no number: 1.234 may be a thousand.
    if (decimal === ',' && ungrouped.includes('.')) return MISSING.test(cell) ? Number.NaN : undefined;
    return numberOf(decimal === ',' ? ungrouped.replace(',', '.') : ungrouped);
  };
}

/** `numberReader` of plain numbers, with a decimal point. */
export function numberOf(cell: string): number | undefined {
  if (NUMBER.test(cell)) return Number(cell);
  if (MISSING.test(cell)) return Number.NaN;
  if (INFINITE.test(cell)) return cell.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return undefined;
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
