import { cos, sin } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { MissingCodes } from './missingValues.ts';
import { cellsOf, type RawColumn, type RawTable } from './rawTable.ts';
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

/** Unit of dates that are read as numbers. */
export const DAYS = 'days since 1970-01-01';

/** Table in whose chosen columns dates are numbers of days, with a note. */
export function withDays(raw: RawTable, chosen: readonly number[]): RawTable {
  const notes: string[] = [];
  const isChosen = new Set(chosen);
  const columns = raw.columns.map((column, j): RawColumn => {
    const numbers = isChosen.has(j) ? datesIn(column, raw.missing) : undefined;
    if (numbers === undefined) return column;
    const { name, isNamed, text } = column;
    notes.push(`'${name}' contains dates, which are read as ${DAYS}.`);
    const areDays = numbers.every((value) => Number.isNaN(value) || Number.isInteger(value));
    // Without times among the cells, the nearest day; otherwise to the second.
    const write = (value: number) =>
      dayText(areDays ? Math.round(value) * MILLISECONDS_A_DAY : 1000 * Math.round(86_400 * value));
    return { name, isNamed, numbers, unit: DAYS, write, source: (row) => text![row]! };
  });
  return notes.length === 0 ? raw : { ...raw, columns, notes: [...raw.notes, ...notes] };
}

/** Elapsed part of the year, from 0 to 1, of a date in days. */
function partOfYear(date: number): number {
  const year = new Date(date * MILLISECONDS_A_DAY).getUTCFullYear();
  const [first, next] = [year, year + 1].map((each) => new Date(0).setUTCFullYear(each, 0, 1) / MILLISECONDS_A_DAY);
  return (date - first!) / (next! - first!);
}

const SEASON = { 'season cosine': cos, 'season sine': sin };

/** Names of the two columns of a date's season, cos 2πu and sin 2πu for the elapsed part u of the year. */
export const seasonColumns = (column: string): readonly string[] =>
  Object.keys(SEASON).map((part) => `${column}=${part}`);

/** Table with the seasons of dates that are known by name, NaN where the date is missing. */
export function withSeasons(raw: RawTable, known: readonly string[]): RawTable {
  const names = new Set(raw.columns.map(({ name }) => name));
  const isKnown = new Set(known);
  const added = raw.columns.flatMap((column): RawColumn[] => {
    const { name, isNamed } = column;
    const wanted = Object.entries(SEASON).filter(
      ([part]) => isKnown.has(`${name}=${part}`) && !names.has(`${name}=${part}`),
    );
    if (wanted.length === 0) return [];
    const dates = datesIn(column, raw.missing) ?? absentDates(raw, column);
    return wanted.map(([part, wave]) => ({
      name: `${name}=${part}`,
      isNamed,
      seasonOf: name,
      numbers: dates.map((date) => wave(2 * Math.PI * partOfYear(date))),
    }));
  });
  return added.length === 0 ? raw : { ...raw, columns: [...raw.columns, ...added] };
}

/** @throws InvalidInputError for a cell that is neither a date nor missing */
function absentDates(raw: RawTable, column: RawColumn): Float64Array {
  const cells = cellsOf(column);
  const wrong = cells.findIndex((cell) => !raw.missing.isMissing(cell) && !isDate(cell));
  if (wrong < 0) return new Float64Array(raw.rows).fill(Number.NaN);
  throw new InvalidInputError(
    `'${raw.file}', ${raw.place(wrong)}, column '${column.name}' contains '${cells[wrong]}', but a season needs dates such as 2024-02-29. Correct it, or leave the cell empty.`,
  );
}

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
