import {
  bool,
  dateDay,
  float32,
  float64,
  int32,
  int64,
  tableFromArrays,
  tableToIPC,
  timestamp,
  utf8,
} from '@uwdata/flechette';
import * as fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, it } from 'vitest';
import { parseTable, type ReadTableOptions, type Table } from '../../../src/app/io/index.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';

// Any table that is written is read back as it was, or an error or a note says why it is not.

type Cell = number | bigint | string | boolean | Date | null;
interface Column {
  readonly name: string;
  readonly kind: 'number' | 'whole' | 'text' | 'truth' | 'date';
  readonly cells: readonly Cell[];
}
interface Written {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly columns: readonly Column[];
  readonly isNamed: boolean;
  readonly options: ReadTableOptions;
}

const WORDS = [
  'oil',
  'gas',
  'water',
  'Größe',
  'it is',
  'a, b',
  'x; y',
  'say "so"',
  '#1',
  'tab\there',
  'N°5',
  '12 Main St',
  '3rd',
  'B52',
];
const NAMES = ['mass', 'speed', 'Temp °C', 'id', 'kind', 'x,y', 'a "b"', '2019', 'mean (m/s)', 'name', 'é'];

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -2000, max: 20000 }).map((n) => n / 100),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 1000),
);
const wholes = fc.oneof(fc.integer({ min: -5, max: 30 }), fc.integer(), fc.maxSafeInteger());
const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

const cellsOf = (cell: fc.Arbitrary<Cell>, rows: number, isHoley: boolean): fc.Arbitrary<Cell[]> =>
  fc.array(isHoley ? fc.oneof({ weight: 5, arbitrary: cell }, { weight: 1, arbitrary: fc.constant(null) }) : cell, {
    minLength: rows,
    maxLength: rows,
  });

const kinds = { number: numbers, whole: wholes, text: fc.constantFrom(...WORDS), truth: fc.boolean(), date: dates };
const column = (name: string, rows: number): fc.Arbitrary<Column> =>
  fc
    .record({ kind: fc.constantFrom('number', 'number', 'whole', 'text', 'truth', 'date'), isHoley: fc.boolean() })
    .chain(({ kind, isHoley }) =>
      cellsOf(kinds[kind as Column['kind']], rows, isHoley).map((cells) => ({
        name,
        kind: kind as Column['kind'],
        cells,
      })),
    );
const columns: fc.Arbitrary<Column[]> = fc
  .record({
    rows: fc.integer({ min: 1, max: 9 }),
    names: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 }),
  })
  .chain(({ rows, names }) => fc.tuple(...names.map((name) => column(name, rows))) as fc.Arbitrary<Column[]>);

/** A cell as text, without quotes. */
function textOf(cell: Cell, decimal: string, code: string): string {
  if (cell === null) return code;
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  return typeof cell === 'number' ? String(cell).replace('.', decimal) : String(cell);
}

const style = fc.record({
  delimiter: fc.constantFrom(',', ',', ';', '\t', '|'),
  decimal: fc.constantFrom('.', '.', ','),
  isQuoted: fc.boolean(),
  code: fc.constantFrom('', 'NA', 'NaN', 'null', '.', '-999', 'missing'),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  mark: fc.constantFrom('', '\ufeff'),
  isWide: fc.boolean(),
  isNamed: fc.constantFrom(true, true, false),
  above: fc.constantFrom(
    '',
    '',
    '# a comment',
    '# made, by; a\tprogram',
    'Results of a study',
    'Station,Hilltop',
    '\n',
  ),
  isEnded: fc.boolean(),
});

/** A text file of the columns. */
const delimited: fc.Arbitrary<Written> = fc.tuple(columns, style).map(([given, how]) => {
  const decimal = how.delimiter === ',' ? '.' : how.decimal;
  const quoted = (text: string) =>
    how.isQuoted ||
    /["\r\n]/.test(text) ||
    text.includes(how.delimiter) ||
    (given.length === 1 && text === given[0]!.name)
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  // As other programs write an empty cell that stands alone.
  const line = (cells: readonly string[]) => cells.map(quoted).join(how.delimiter) || '""';
  const rows = given[0]!.cells.map((_, i) => line(given.map(({ cells }) => textOf(cells[i]!, decimal, how.code))));
  // A title above a table without names, or above as many names, cannot be told from names.
  const isAbove =
    how.above.startsWith('#') || how.above === '\n' || (how.isNamed && given.length > how.above.split(',').length);
  const lines = [
    ...(isAbove ? [how.above.trim()] : []),
    ...(how.isNamed ? [line(given.map(({ name }) => name))] : []),
    ...rows,
  ];
  const text = `${how.mark}${lines.join(how.end)}${how.isEnded ? how.end : ''}`;
  const isUsual = ['', 'NA', 'NaN', 'null'].includes(how.code);
  return {
    file: `t.${how.delimiter === '\t' ? 'tsv' : 'csv'}`,
    bytes: how.isWide
      ? new Uint8Array([0xff, 0xfe, ...Buffer.from(text.replace(/^\ufeff/, ''), 'utf16le')])
      : new TextEncoder().encode(text),
    columns: given,
    isNamed: how.isNamed,
    options: isUsual ? {} : { missingValues: [how.code] },
  };
});

const ARROW_TYPES = { number: float64(), whole: int64(), text: utf8(), truth: bool(), date: timestamp(1) };
const arrow: fc.Arbitrary<Written> = fc
  .tuple(columns, fc.constantFrom('file', 'stream'), fc.nat(3))
  .map(([given, format, narrow]) => {
    const values = given.map(({ kind, cells }) =>
      kind === 'whole' && narrow !== 1 ? cells.map((cell) => (cell === null ? null : BigInt(cell as number))) : cells,
    );
    const types = given.map(({ kind, cells }) => {
      if (narrow === 1 && kind === 'whole' && cells.every((cell) => cell === null || cell === ((cell as number) | 0)))
        return int32();
      if (narrow === 1 && kind === 'whole') return float64();
      if (narrow === 2 && kind === 'number') return float32();
      if (narrow === 3 && kind === 'date') return dateDay();
      return ARROW_TYPES[kind];
    });
    const table = tableFromArrays(given.map(({ name }, j) => [name, values[j]!]) as never, {
      types: Object.fromEntries(given.map(({ name }, j) => [name, types[j]!])),
    });
    return {
      file: 't.arrow',
      bytes: tableToIPC(table, { format: format as 'file' | 'stream' })!,
      columns: given.map((each) =>
        narrow === 2 && each.kind === 'number'
          ? { ...each, cells: each.cells.map((cell) => (cell === null ? null : Math.fround(cell as number))) }
          : narrow === 3 && each.kind === 'date'
            ? {
                ...each,
                cells: each.cells.map((cell) => (cell === null ? null : (cell as Date).toISOString().slice(0, 10))),
              }
            : each,
      ),
      isNamed: true,
      options: {},
    };
  });

const PARQUET_TYPES = {
  number: 'DOUBLE',
  whole: 'INT64',
  text: 'STRING',
  truth: 'BOOLEAN',
  date: 'TIMESTAMP',
} as const;
const parquet: fc.Arbitrary<Written> = fc
  .tuple(columns, fc.constantFrom('SNAPPY', 'UNCOMPRESSED'))
  .map(([given, codec]) => ({
    file: 't.parquet',
    bytes: new Uint8Array(
      parquetWriteBuffer({
        codec: codec as 'SNAPPY',
        columnData: given.map(({ name, kind, cells }) => ({
          name,
          type: PARQUET_TYPES[kind],
          nullable: true,
          data: (kind === 'whole'
            ? cells.map((cell) => (cell === null ? null : BigInt(cell as number)))
            : cells) as never,
        })),
      }),
    ),
    columns: given,
    isNamed: true,
    options: {},
  }));

/** Sentences that say that rows were taken for something else than rows, or the other way round. */
const ABOUT_ROWS =
  /read as column names|read as data|above the (table|data)|names are taken from|names? the rows|lines? of empty cells|blank lines?|two whole numbers|one number|lines? .*skipped/;

/** How a table differs from what was written without a word about it; undefined if it does not. */
function silentDifference({ columns: given, isNamed, file }: Written, table: Table): string | undefined {
  const { observations, columns: names, ids, idColumn, leftOut, notes } = table;
  if (notes.some((note) => ABOUT_ROWS.test(note)) && observations.rows !== given[0]!.cells.length) return undefined;
  if (observations.rows !== given[0]!.cells.length) return `${observations.rows} rows`;
  const nameOf = (j: number) => (isNamed ? given[j]!.name : `column${j}`);
  const places = new Map(given.map((_, j) => [nameOf(j), j]));
  if (notes.some((note) => ABOUT_ROWS.test(note)) && names.some((name) => !places.has(name))) return undefined;
  const said = new Set([
    ...leftOut.map(({ column: name }) => name),
    ...names,
    ...(idColumn === undefined ? [] : [idColumn]),
  ]);
  const lost = given.findIndex((_, j) => !said.has(nameOf(j)));
  if (lost >= 0) return `'${nameOf(lost)}' is neither read nor left out`;
  for (const [k, name] of names.entries()) {
    const found = places.get(name);
    if (found === undefined) return `'${name}' was not written`;
    const { kind, cells } = given[found]!;
    if (kind === 'text' || kind === 'date') {
      if (cells.every((cell) => cell === null)) continue;
      const note = notes.find((each) => each.startsWith(`'${name}'`));
      if (note === undefined) return `'${name}' is text`;
      continue;
    }
    for (const [i, cell] of cells.entries()) {
      const value = observations.row(i)[k]!;
      if (cell === null ? !Number.isNaN(value) : value !== Number(cell))
        return `'${name}', row ${i} is ${value}, not ${cell}`;
    }
  }
  const missing = names.reduce(
    (sum, name) => sum + given[places.get(name)!]!.cells.filter((cell) => cell === null).length,
    0,
  );
  if (missing > 0 && !notes.some((note) => note.startsWith(`${missing} of `)))
    return `${missing} missing entries are not counted`;
  const id = given[places.get(leftOut.find(({ reason }) => reason.endsWith('names the points'))?.column ?? '') ?? -1];
  if (id !== undefined && ids !== undefined && id.kind === 'text' && !file.endsWith('csv')) {
    const wrong = id.cells.findIndex((cell, i) => cell !== null && cell !== ids[i]);
    if (wrong >= 0) return `id ${wrong} is '${ids[wrong]}', not '${id.cells[wrong]}'`;
  }
  return undefined;
}

async function count(tables: number): Promise<{ read: number; refused: number; different: string[] }> {
  const result = { read: 0, refused: 0, different: [] as string[] };
  const any = fc.oneof(
    { weight: 4, arbitrary: delimited },
    { weight: 1, arbitrary: arrow },
    { weight: 1, arbitrary: parquet },
  );
  for (const written of fc.sample(any, { numRuns: tables, seed: 1 })) {
    try {
      const table = await parseTable(written.bytes, written.file, { allowMissing: true, ...written.options });
      result.read++;
      const difference = silentDifference(written, table);
      if (difference === undefined) continue;
      const text = /sv$/.test(written.file)
        ? JSON.stringify(new TextDecoder(written.bytes[0] === 0xff ? 'utf-16le' : 'utf-8').decode(written.bytes))
        : written.file;
      result.different.push(`${difference}: ${text} ${JSON.stringify(table.notes)}`);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      result.refused++;
    }
  }
  return result;
}

it('reads generated tables as they were written, or gives the reason', async () => {
  const { read, refused, different } = await count(400);
  expect(different).toEqual([]);
  expect(read).toBeGreaterThan(refused);
});

it('reads 20 000 generated tables as they were written, or gives the reason', {
  tags: ['long'],
  timeout: 600_000,
}, async () => {
  const { read, refused, different } = await count(20_000);
  expect(different).toEqual([]);
  expect(read).toBeGreaterThan(3 * refused);
});
