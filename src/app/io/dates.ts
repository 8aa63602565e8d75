import type { MissingCodes } from './missingValues.ts';
import type { RawColumn } from './rawTable.ts';
import { numbersIn } from './writtenValues.ts';

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const MILLISECONDS_A_DAY = 86_400_000;

/** Days since 1970-01-01 of an ISO 8601 date, with or without a time; without a time zone it is UTC. */
function days(cell: string): number | undefined {
  const [, date, time = '00:00', fraction = '', zone = 'Z'] = DATE.exec(cell) ?? [];
  if (date === undefined || (fraction !== '' && time.length < 8)) return undefined;
  // Some engines accept February 31.
  if (new Date(`${date}T00:00Z`).toJSON()?.slice(0, 10) !== date) return undefined;
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return (milliseconds + 1000 * Number(`0${fraction}`)) / MILLISECONDS_A_DAY;
}

/** Column of dates as days since 1970-01-01, NaN where missing; undefined if it has no dates. */
export const datesIn = (column: RawColumn, missing: MissingCodes): Float64Array | undefined =>
  numbersIn(column, missing, days);

/** True if the cell is an ISO 8601 date. */
export const isDate = (cell: string): boolean => days(cell) !== undefined;

/** Nanoseconds of the time units of dates in files. */
export const NANOSECONDS = {
  ns: 1n,
  us: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  D: 86_400_000_000_000n,
  W: 604_800_000_000_000n,
} as const;

/** ISO 8601 text of nanoseconds since 1970-01-01, with as many decimals of the seconds as needed, as in text files. */
export function instantText(nanoseconds: bigint, zone: '' | 'Z' = ''): string {
  const rest = ((nanoseconds % NANOSECONDS.s) + NANOSECONDS.s) % NANOSECONDS.s;
  const date = new Date(Number((nanoseconds - rest) / NANOSECONDS.ms));
  if (Number.isNaN(date.getTime())) return String(nanoseconds);
  const decimals = rest === 0n ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`;
  return `${date.toISOString().slice(0, -5)}${decimals}${zone}`;
}

/** ISO 8601 text of a date in milliseconds since 1970-01-01. */
export const dayText = (milliseconds: number): string =>
  instantText(BigInt(milliseconds) * NANOSECONDS.ms).replace(/T00:00:00$/, '');
