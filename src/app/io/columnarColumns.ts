import { dayText, instantText, NANOSECONDS } from './dates.ts';
import { numberOf } from './numberStyle.ts';
import type { RawColumn } from './rawTable.ts';

/** Type of a column's values in the file's schema, as far as it affects reading. */
export type ColumnType =
  /** Dates are in milliseconds. */
  | { readonly kind: 'plain' | 'bytes' | 'days' }
  /** Nanoseconds of a unit, and the time zone of instants. */
  | { readonly kind: 'instants'; readonly unit: bigint; readonly zone: '' | 'Z' }
  /** Durations and clock times. */
  | { readonly kind: 'seconds'; readonly unit: bigint; readonly isClock: boolean }
  | { readonly kind: 'decimals'; readonly precision: number; readonly scale: number; readonly isScaled: boolean }
  | { readonly kind: 'lists' }
  | { readonly kind: 'records'; readonly what: string };

/** Column of a file with a schema. */
export interface TypedColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly values: readonly unknown[];
}

/** Name of an unnamed index in pandas. */
const UNNAMED_INDEX = /^__index_level_\d+__$/;

/** Columns of a table from one column of a file: several for lists of equal length. Sentences about changes are added to the notes. */
export function rawColumns({ name, type, values }: TypedColumn, notes: string[]): RawColumn[] {
  const named = { name, isNamed: !UNNAMED_INDEX.test(name) };
  const texts = (of: (value: unknown) => string) => [
    { ...named, text: values.map((value) => (isAbsent(value) ? '' : of(value))) },
  ];
  switch (type.kind) {
    case 'days':
      return texts((value) => dayText(Number(value)));
    case 'instants':
      return texts((value) => instantText(integer(value) * type.unit, type.zone));
    case 'seconds':
      notes.push(`'${name}' contains ${type.isClock ? 'clock times' : 'durations'}, which are read in seconds.`);
      return [{ ...named, numbers: numbers(values, (value) => seconds(integer(value), type.unit)), isSeconds: true }];
    case 'decimals':
      return [{ ...named, numbers: decimals(type, values, name, notes) }];
    case 'bytes':
      return texts((value) => (value instanceof Uint8Array ? hexadecimal(value) : String(value)));
    case 'records':
      return [{ ...named, text: values.map(jsonOf), nested: `contains ${type.what}` }];
    case 'lists':
      return listColumns({ name, type, values }, named, notes);
    default:
      return [plainColumn(named, values)];
  }
}

const isAbsent = (value: unknown) => value === null || value === undefined;

const integer = (value: unknown) => (typeof value === 'bigint' ? value : BigInt(value as number));

const numbers = (values: readonly unknown[], of: (value: unknown) => number) =>
  Float64Array.from(values, (value) => (isAbsent(value) ? Number.NaN : of(value)));

const seconds = (count: bigint, unit: bigint) => {
  const perSecond = NANOSECONDS.s / unit;
  return Number(count / perSecond) + Number(count % perSecond) / Number(perSecond);
};

const hexadecimal = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Column of numbers if all of its values are numbers; whole numbers that a double cannot represent stay text. */
function plainColumn(named: Pick<RawColumn, 'name' | 'isNamed'>, values: readonly unknown[]): RawColumn {
  if (values.every(isNumeric)) return { ...named, numbers: numbers(values, Number) };
  const areNumbers = values.every((value) => isAbsent(value) || ['number', 'bigint', 'boolean'].includes(typeof value));
  return { ...named, text: values.map(textOf), ...(areNumbers && { read: numberOf }) };
}

const isNumeric = (value: unknown): boolean =>
  isAbsent(value) ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'bigint' && BigInt(Number(value)) === value);

function textOf(value: unknown): string {
  if (isAbsent(value)) return '';
  return typeof value === 'object' ? jsonOf(value) : String(value);
}

const jsonOf = (value: unknown) =>
  isAbsent(value) ? '' : JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));

/** Decimal digits that every double keeps. */
const KEPT_DIGITS = 15;

/** Doubles nearest to decimal numbers, which a reader may have scaled by an inexact product. */
function decimals(
  { precision, scale, isScaled }: Extract<ColumnType, { kind: 'decimals' }>,
  values: readonly unknown[],
  name: string,
  notes: string[],
): Float64Array {
  if (precision > KEPT_DIGITS) {
    notes.push(
      `'${name}' contains decimal numbers of up to ${precision} digits, and doubles keep ${KEPT_DIGITS} to 17.`,
    );
  }
  return numbers(values, (value) => (isScaled ? unscaled(value as number) : Number(`${value}e${-scale}`)));
}

/** Number of 15 digits whose product was rounded to this one, if there is one. */
function unscaled(product: number): number {
  const short = Number(product.toPrecision(KEPT_DIGITS));
  return Math.abs(short - product) <= 4 * Number.EPSILON * Math.abs(product) ? short : product;
}

/** One column for each entry of lists with equally many numbers; other lists are not observations. */
function listColumns(
  { name, values }: TypedColumn,
  named: Pick<RawColumn, 'name' | 'isNamed'>,
  notes: string[],
): RawColumn[] {
  const lists = values.map((value) => (isAbsent(value) ? undefined : Array.from(value as Iterable<unknown>)));
  const length = lists.find((list) => list !== undefined)?.length ?? 0;
  const areNumbers = lists.every((list) => list === undefined || list.every(isNumeric));
  if (!areNumbers || length === 0 || lists.some((list) => list !== undefined && list.length !== length)) {
    const what = areNumbers ? 'lists of different lengths' : 'lists of other values than numbers';
    return [{ ...named, text: values.map(jsonOf), nested: `contains ${what}` }];
  }
  notes.push(`'${name}' contains lists of ${length} numbers: they are read as ${length} columns, from '${name}[0]'.`);
  return Array.from({ length }, (_, k) => ({
    ...named,
    name: `${name}[${k}]`,
    numbers: Float64Array.from(lists, (list) => (isAbsent(list?.[k]) ? Number.NaN : Number(list![k]))),
  }));
}
