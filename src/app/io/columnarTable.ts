import type { DataType, Type as Types } from '@uwdata/flechette';
import type { ColumnChunk, SchemaTree } from 'hyparquet';
import { InvalidInputError } from '../../core/errors.ts';
import { optionalPackage, systemReason } from '../../core/host.ts';
import { checkArrowMetadata } from './arrowMetadata.ts';
import { type ColumnType, rawColumns, type TypedColumn } from './columnarColumns.ts';
import { dayText, instantText, NANOSECONDS } from './dates.ts';
import { checkTableSize } from './format.ts';
import { type FileTable, uniqueNames } from './rawTable.ts';

/** Reads a Parquet file with hyparquet, an optional package. */
export async function parquetTable(bytes: Uint8Array, file: string, most: number): Promise<FileTable> {
  const { parquetRead, parquetMetadata, parquetSchema } = await optionalPackage(
    'hyparquet',
    () => import('hyparquet'),
    `Reading '${file}'`,
  );
  const { compressors } = await import('hyparquet-compressors').catch(() => ({ compressors: undefined }));
  const content = new Uint8Array(bytes).buffer;
  return withFormatErrors(file, 'Parquet', async () => {
    const metadata = parquetMetadata(content);
    const tree = parquetSchema(metadata);
    const paths = pathsOf(tree);
    for (const { columns } of metadata.row_groups) for (const chunk of columns) checkPath(paths, chunk, file);
    const schema = tree.children;
    const names = schema.map(({ element }) => element.name);
    const rows = Number(metadata.num_rows);
    checkTableSize(rows, names.length, most, file);
    const chunks = new Map(names.map((name): [string, ArrayLike<unknown>[]] => [name, []]));
    await parquetRead({
      file: content,
      metadata,
      parsers: PARSERS,
      ...(compressors === undefined ? {} : { compressors }),
      onChunk: ({ columnName, columnData }) => chunks.get(columnName)!.push(columnData),
    });
    const durations = await durationUnits(metadata.key_value_metadata, file);
    const columns = [...chunks].map(([name, parts], j): TypedColumn => {
      const held = parts.reduce((sum, { length }) => sum + length, 0);
      const unit = durations.get(name);
      const type = unit === undefined ? parquetType(schema[j]!) : ({ kind: 'seconds', unit, isClock: false } as const);
      if (held === rows) return { name, type, values: parts.flatMap((part) => Array.from(part)) };
      throw wrongLength(file, name, held, rows);
    });
    return tableOf(columns, file, most);
  });
}

/** Paths of all columns and groups of a schema, as one text each. */
function pathsOf({ children }: SchemaTree, above: readonly string[] = [], paths = new Set<string>()): Set<string> {
  for (const child of children) {
    const path = [...above, child.element.name];
    paths.add(JSON.stringify(path));
    pathsOf(child, path, paths);
  }
  return paths;
}

/** @throws InvalidInputError if a column is not in the schema; otherwise hyparquet fails while other columns are read, with errors that cannot be caught */
function checkPath(paths: ReadonlySet<string>, { meta_data: chunk }: ColumnChunk, file: string): void {
  const path = chunk?.path_in_schema ?? [];
  if (path.length === 0 || paths.has(JSON.stringify(path))) return;
  throw new InvalidInputError(`'${file}' is damaged: its column '${path.join('.')}' is not in its schema.`, {
    code: 'damaged',
  });
}

const wrongLength = (file: string, column: string, values: number, rows: number) =>
  new InvalidInputError(
    `'${file}' is damaged: its column '${column}' contains ${values} values, but the file declares ${rows} rows.`,
    { code: 'damaged' },
  );

/** Milliseconds of a day. */
const DAY = 86_400_000;

/** Dates and times as text, with all of their digits. */
const PARSERS = {
  dateFromDays: (days: number) => (days == null ? days : dayText(days * DAY)),
  timestampFromMilliseconds: (count: bigint) => instant(count, NANOSECONDS.ms),
  timestampFromMicroseconds: (count: bigint) => instant(count, NANOSECONDS.us),
  timestampFromNanoseconds: (count: bigint) => instant(count, NANOSECONDS.ns),
};

const instant = (count: bigint | null | undefined, unit: bigint) => (count == null ? count : instantText(count * unit));

const PARQUET_UNITS = { MILLIS: NANOSECONDS.ms, MICROS: NANOSECONDS.us, NANOS: NANOSECONDS.ns } as const;

function parquetType({ element, children }: SchemaTree): ColumnType {
  const { converted_type: converted, logical_type: logical, precision = 0, scale = 0, type } = element;
  if (converted === 'LIST' || logical?.type === 'LIST') {
    const leaf = (tree: SchemaTree): SchemaTree => (tree.children.length === 1 ? leaf(tree.children[0]!) : tree);
    return parquetType(leaf(children[0]!)).kind === 'plain'
      ? { kind: 'lists' }
      : { kind: 'records', what: 'lists of other values than numbers' };
  }
  if (children.length > 0) return { kind: 'records', what: 'records' };
  if (element.repetition_type === 'REPEATED') return { kind: 'lists' };
  if (converted === 'DECIMAL') return { kind: 'decimals', precision, scale, isScaled: true };
  if (logical?.type === 'DECIMAL') {
    return type === 'INT32' || type === 'INT64'
      ? { kind: 'decimals', precision: logical.precision, scale: logical.scale, isScaled: false }
      : { kind: 'records', what: 'decimal numbers in bytes' };
  }
  const unit =
    logical?.type === 'TIME'
      ? PARQUET_UNITS[logical.unit]
      : converted === 'TIME_MILLIS'
        ? NANOSECONDS.ms
        : converted === 'TIME_MICROS'
          ? NANOSECONDS.us
          : undefined;
  if (unit !== undefined) return { kind: 'seconds', unit, isClock: true };
  return { kind: type === 'FIXED_LEN_BYTE_ARRAY' && logical?.type !== 'FLOAT16' ? 'bytes' : 'plain' };
}

/**
 * Units of the columns that are durations in the Arrow schema, which its libraries store next to the Parquet schema, since Parquet has no such type.
 *
 * @throws InvalidInputError with the code `damaged` if the Arrow schema names places outside itself
 */
async function durationUnits(
  metadata: readonly { readonly key: string; readonly value?: string }[] | undefined,
  file: string,
): Promise<ReadonlyMap<string, bigint>> {
  const encoded = metadata?.find(({ key }) => key === 'ARROW:schema')?.value;
  if (encoded === undefined) return new Map();
  const schema = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
  checkArrowMetadata(schema, `${file}', 'ARROW:schema`);
  try {
    const { tableFromIPC, Type } = await import('@uwdata/flechette');
    const { fields } = tableFromIPC(schema).schema;
    return new Map(
      fields.flatMap(({ name, type }) => {
        const found = arrowType(type, Type);
        return found.kind === 'seconds' && !found.isClock ? [[name, found.unit] as const] : [];
      }),
    );
  } catch {
    // Without the package, or with a schema that it cannot read, durations are whole numbers, as Parquet has them.
    return new Map();
  }
}

/** Reads an Arrow file or stream (Feather) with @uwdata/flechette, an optional package. */
export async function arrowTable(bytes: Uint8Array, file: string, most: number): Promise<FileTable> {
  const { tableFromIPC, Type } = await optionalPackage(
    '@uwdata/flechette',
    () => import('@uwdata/flechette'),
    `Reading '${file}'`,
  );
  return withFormatErrors(file, 'Arrow', async () => {
    checkArrowMetadata(bytes, file);
    const table = tableFromIPC(new Uint8Array(bytes), {
      useBigInt: true,
      useBigIntTimestamp: true,
      useDecimalInt: true,
    });
    checkTableSize(table.numRows, table.names.length, most, file);
    const columns = table.schema.fields.map(({ name, type }, j): TypedColumn => {
      const column = table.getChildAt(j);
      if (column.length !== table.numRows || column.data.some(({ length }) => !(length <= table.numRows))) {
        throw wrongLength(file, String(name), column.length, table.numRows);
      }
      return {
        name: String(name),
        type: arrowType(type, Type),
        values: Array.from(column.toArray() as Iterable<unknown>),
      };
    });
    return tableOf(columns, file, most);
  });
}

/** Nanoseconds of Arrow's time units, by number. */
const ARROW_UNITS = [NANOSECONDS.s, NANOSECONDS.ms, NANOSECONDS.us, NANOSECONDS.ns] as const;

function arrowType(type: DataType, T: typeof Types): ColumnType {
  switch (type.typeId) {
    case T.Dictionary:
      return arrowType(type.dictionary, T);
    case T.RunEndEncoded:
      return arrowType(type.children[1].type, T);
    case T.Date:
      return { kind: 'days' };
    case T.Timestamp:
      return { kind: 'instants', unit: ARROW_UNITS[type.unit], zone: type.timezone ? 'Z' : '' };
    case T.Time:
    case T.Duration:
      return { kind: 'seconds', unit: ARROW_UNITS[type.unit], isClock: type.typeId === T.Time };
    case T.Decimal:
      return { kind: 'decimals', precision: type.precision, scale: type.scale, isScaled: false };
    case T.Binary:
    case T.LargeBinary:
    case T.BinaryView:
    case T.FixedSizeBinary:
      return { kind: 'bytes' };
    case T.List:
    case T.LargeList:
    case T.ListView:
    case T.LargeListView:
    case T.FixedSizeList:
      return [T.Int, T.Float, T.Bool, T.Null].includes(type.children[0].type.typeId as never)
        ? { kind: 'lists' }
        : { kind: 'records', what: 'lists of other values than numbers' };
    case T.Interval:
      return { kind: 'records', what: 'intervals of the calendar' };
    case T.Struct:
    case T.Map:
      return { kind: 'records', what: 'records' };
    case T.Union:
      return { kind: 'records', what: 'values of several types' };
    default:
      return { kind: 'plain' };
  }
}

async function withFormatErrors(file: string, format: string, read: () => Promise<FileTable>): Promise<FileTable> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const remedy = /compress/i.test(systemReason(error)) ? ' Write it without compression.' : '';
    throw new InvalidInputError(`'${file}' cannot be read as ${format}: ${systemReason(error)}.${remedy}`, {
      cause: error,
    });
  }
}

function tableOf(columns: readonly TypedColumn[], file: string, most: number): FileTable {
  const rows = columns[0]?.values.length ?? 0;
  if (rows === 0) throw new InvalidInputError(`'${file}' is empty: it has no rows.`);
  const unique = uniqueNames(columns.map(({ name }) => name));
  const notes: string[] = [];
  const read = columns.flatMap((column, j) => rawColumns({ ...column, name: unique[j]! }, notes));
  checkTableSize(rows, read.length, most, file);
  return { file, rows, columns: read, place: (row) => `row index ${row}`, notes };
}
