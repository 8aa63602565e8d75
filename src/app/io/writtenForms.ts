import type { ReadNumber } from './numberStyle.ts';

/** Cell parsed by a number format. */
interface Written {
  readonly value: number;
  /** Unit or currency, which must be the same in all cells of a column. */
  readonly unit?: string;
}

/** Notation of numbers by people and programs. */
interface Form {
  readonly pattern: RegExp;
  /** Value of a matching cell; undefined if it is ambiguous. */
  read?(match: RegExpExecArray, read: ReadNumber): Written | undefined;
  /** True if a column of such cells is unambiguous; by default it always is. */
  isCertain?(column: ColumnOfForm): boolean;
  /** Text of a number, given its decimal and a cell of the column; default the decimal. */
  write?(value: number, decimal: string, cell: RegExpExecArray): string;
  /** Reason for this interpretation, as the end of a sentence. */
  readonly why?: string;
  /** Advice about ambiguous cells, as the end of a sentence. */
  readonly remedy: string;
}

interface ColumnOfForm {
  /** Plain numbers, without missing ones. */
  readonly plain: readonly number[];
  /** Number of cells that match the form. */
  readonly count: number;
}

/** Pattern of a number in any notation of thousands and decimals, whether or not it is the table's style. */
const CORE = "[+\\-\\u2212]?(?:\\d[\\d.,'’]*|[.,]\\d+)(?:e[+\\-\\u2212]?\\d+)?";
const form = (pattern: string) => new RegExp(`^${pattern}$`, 'iu');

const number = (value: number | undefined): Written | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : { value };

const negative = (text: string, read: ReadNumber): Written | undefined => {
  const value = read(text);
  return value === undefined || !(value >= 0) ? undefined : { value: -value };
};

/** Seconds of h:mm:ss, or of m:ss with decimals. */
function seconds([, sign, first, second, third]: RegExpExecArray): Written | undefined {
  const isMinutes = third === undefined;
  if (isMinutes && !second!.includes('.')) return undefined;
  const parts = [first, second, ...(isMinutes ? [] : [third])].map(Number);
  if (parts.slice(1).some((part) => part >= 60)) return undefined;
  const total = parts.reduce((sum, part) => 60 * sum + part, 0);
  return { value: sign === '-' || sign === '\u2212' ? -total : total };
}

/** Seconds as h:mm:ss, to the millisecond. */
function clockTime(value: number): string {
  const total = Math.round(1000 * Math.abs(value));
  const padded = (part: number) => String(part).padStart(2, '0');
  const rest = total % 1000 === 0 ? '' : `.${String(total % 1000).padStart(3, '0')}`;
  const [hours, minutes, whole] = [3_600_000, 60_000, 1000].map((unit) => Math.floor(total / unit));
  return `${value < 0 ? '-' : ''}${hours}:${padded(minutes! % 60)}:${padded(whole! % 60)}${rest}`;
}

/** Forms in order of preference. */
const FORMS = {
  exponents: {
    pattern: form('([+\\-\\u2212]?(?:\\d+\\.?\\d*|\\.\\d+))([dq])([+\\-\\u2212]?\\d+)'),
    read: ([cell, mantissa, , exponent], read) =>
      /[.+\-\u2212]/.test(cell) ? number(read(`${mantissa}e${exponent}`)) : undefined,
    why: 'as Fortran writes exponents',
    remedy: 'write exponents with an e, as in 1.5e+00',
  },
  shortExponents: {
    pattern: form('([+\\-\\u2212]?\\d*\\.\\d+)([+\\-\\u2212]\\d{3})'),
    read: ([, mantissa, exponent], read) => number(read(`${mantissa}e${exponent}`)),
    why: 'as Fortran writes exponents of three digits',
    remedy: 'write exponents with an e, as in 1.5e-103',
  },
  powers: {
    pattern: form(`(${CORE})\\s?[x×·*⋅]\\s?10\\s?(?:\\^|\\*\\*)?\\s?[({]?([+\\-\\u2212]?\\d+)[)}]?`),
    read: ([, mantissa, exponent], read) => number(read(`${mantissa}e${exponent}`)),
    why: 'as a power of ten',
    remedy: 'write powers of ten with an e, as in 9e2',
  },
  brackets: {
    pattern: form(`\\(\\s?(${CORE})\\s?\\)`),
    read: ([, inner], read) => negative(inner!, read),
    // A column with minus signs has no negative numbers in parentheses, and a column of standard errors has no plain numbers.
    isCertain: ({ plain }) => plain.length > 0 && plain.every((value) => value >= 0),
    write: (value, decimal) => (value < 0 ? `(${decimal.slice(1)})` : decimal),
    why: 'as accounts write negative numbers',
    remedy: 'write a minus sign, as in -6.65, if brackets mean a negative number, otherwise remove them',
  },
  trailingMinus: {
    pattern: form(`(${CORE})\\s?[\\-\\u2212]`),
    read: ([, inner], read) => negative(inner!, read),
    isCertain: ({ plain }) => plain.length > 0 && plain.every((value) => value >= 0),
    write: (value, decimal) => (value < 0 ? `${decimal.slice(1)}-` : decimal),
    why: 'with the minus sign behind it',
    remedy: 'write the minus sign in front',
  },
  clock: {
    pattern: form('([+\\-\\u2212]?)(\\d+):(\\d{2}(?:\\.\\d+)?)(?::(\\d{2}(?:\\.\\d+)?))?'),
    read: (match) => seconds(match),
    write: (value) => clockTime(value),
    why: 'in seconds',
    remedy: 'write times as h:mm:ss, or as one number',
  },
  units: {
    pattern: form(`(\\p{Sc}\\s?|)(${CORE})(\\s?(?:[%‰]|\\p{Sc}|[\\p{L}°µ²³/·]+(?:[23]|\\^[23])?)|)`),
    read: ([, currency, inner, unit], read) => {
      const found = number(read(inner!) ?? amount(inner!));
      const written = `${currency!.trim()}${unit!.trim()}`;
      return found === undefined || written === '' ? undefined : { ...found, unit: written };
    },
    write: (_, decimal, [, currency, , unit]) => `${currency}${decimal}${unit}`,
    remedy: 'write them without their unit, or all with the same one',
  },
  errors: {
    pattern: form(`${CORE}\\s?(?:±|\\+\\/-|\\+-)\\s?${CORE}.*`),
    remedy: 'put the value and its error into separate columns',
  },
  bounds: {
    pattern: form(`(?:[<>≤≥~≈]=?)\\s?${CORE}.*`),
    remedy: 'write a number, or leave the cell empty: then it is missing',
  },
  hexadecimal: {
    pattern: form('0x[\\da-f]{1,16}'),
    remedy: 'write whole numbers in decimal digits',
  },
  inexact: {
    pattern: form('[+-]?\\d{16,}'),
    remedy:
      'doubles represent whole numbers only up to 2⁵³: subtract a common start or divide them, or take the column as ids (`id`)',
  },
} satisfies Record<string, Form> as Record<string, Form>;

/** Amounts of money with commas between thousands and a point before the cents: 1,000.50. */
const amount = (cell: string) =>
  /^[+-]?\d{1,3}(,\d{3})+\.\d\d$/.test(cell) ? Number(cell.replaceAll(',', '')) : undefined;

/** Maximum length of text that may be a number, since patterns need time that grows with its square. */
const LONGEST = 100;

const formOf = (cell: string): Form | undefined =>
  cell.length > LONGEST
    ? undefined
    : Object.values(FORMS).find((each) => each.pattern.test(cell) && (each !== FORMS.units || /[^\d.,]/.test(cell)));

/** Numbers with the same meaning with and without their unit are rejected if they may be intentional; other words after numbers are text. */
const ARE_REFUSED = Object.values(FORMS).filter((each) => each !== FORMS.units);

/** True for text that can only be a written number: its column is not omitted as text, but rejected if it cannot be read. */
export const isWrittenNumber = (cell: string): boolean =>
  cell.length <= LONGEST && ARE_REFUSED.some(({ pattern }) => pattern.test(cell));

/** True for text that begins like a number: such text does not name rows. */
export const beginsLikeNumber = (cell: string): boolean =>
  formOf(cell) !== undefined || remedyForGroups(cell) !== undefined;

/** Numbers of a column that are written in one form, or plainly. */
export interface ReadColumn {
  readonly numbers: Float64Array;
  readonly isSeconds?: true;
  /** Unit before or after all numbers, such as '%'. */
  readonly unit?: string;
  /** Text of a number in the form of the cells. */
  readonly write: (value: number, mark: string) => string;
  /** Sentence about the interpretation of the cells. */
  readonly note: (name: string) => string;
}

/** Reads a column that contains more than plain numbers, if all of its cells are unambiguous numbers in one of the forms. */
export function readWritten(cells: readonly string[], read: ReadNumber): ReadColumn | undefined {
  const first = cells.find((cell) => read(cell) === undefined);
  if (first === undefined || first.length > LONGEST) return undefined;
  for (const each of Object.values(FORMS)) {
    if (!each.pattern.test(first)) continue;
    const found = readForm(each, cells, read);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readForm(each: Form, cells: readonly string[], read: ReadNumber): ReadColumn | undefined {
  if (each.read === undefined) return undefined;
  const numbers = new Float64Array(cells.length);
  const plain: number[] = [];
  let [count, unit] = [0, undefined as string | undefined];
  let [example, first] = ['', undefined as RegExpExecArray | undefined];
  for (const [i, cell] of cells.entries()) {
    const direct = read(cell);
    if (direct !== undefined) {
      numbers[i] = direct;
      if (!Number.isNaN(direct)) plain.push(direct);
      continue;
    }
    const match = cell.length > LONGEST ? null : each.pattern.exec(cell);
    const written = match === null ? undefined : each.read(match, read);
    if (written === undefined || (count > 0 && written.unit !== unit)) return undefined;
    unit = written.unit;
    if (count === 0) [example, first] = [`'${cell}' is read as ${written.value}`, match!];
    count++;
    numbers[i] = written.value;
  }
  if (each === FORMS.units || each === FORMS.clock ? plain.length > 0 : each.isCertain?.({ plain, count }) === false)
    return undefined;
  const why = unit === undefined ? `, ${each.why}` : '';
  const beginning = unit === undefined ? 'contains written numbers' : unit === '%' ? 'is in percent' : `is in ${unit}`;
  return {
    numbers,
    ...(each === FORMS.clock && { isSeconds: true }),
    ...(unit !== undefined && { unit }),
    write: (value, mark) => {
      const decimal = String(value).replace('.', mark);
      return each.write?.(value, decimal, first!) ?? decimal;
    },
    note: (name) => `'${name}' ${beginning}: ${example}${why}.`,
  };
}

/** Advice about text that people read as a number, as the end of a message; undefined for other text. */
export function remedyForWritten(cell: string): string | undefined {
  return remedyForGroups(cell) ?? formOf(cell)?.remedy;
}

const GROUPED = /^[+-]?(\d{1,3}([ ,.'’\u00a0\u2009\u202f]\d{3})+|\d+)([.,]\d+)?$/u;

function remedyForGroups(cell: string): string | undefined {
  if (cell.length > LONGEST || !GROUPED.test(cell)) return undefined;
  const mark = /\d([ ,.'’\u00a0\u2009\u202f])\d{3}/u.exec(cell)?.[1];
  if (mark === undefined) return undefined;
  const thousands = /\s/u.test(mark) ? ' ' : mark;
  // A comma after other separators is a decimal comma.
  if (thousands !== ',' && /,\d+$/.test(cell)) {
    return `\`decimal: ','\` and \`thousands: '${thousands}'\` read them`;
  }
  return `\`thousands: '${thousands}'\` reads them`;
}
