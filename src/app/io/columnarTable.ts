import { InvalidInputError } from '../../core/errors.ts';
import { optionalPackage, systemReason } from '../../core/host.ts';
import { checkTableSize } from './format.ts';
import { type RawColumn, type RawTable, uniqueNames } from './rawTable.ts';

/** Reads a Parquet file with hyparquet, an optional package. */
export async function parquetTable(bytes: Uint8Array, file: string, most: number): Promise<RawTable> {
  const { parquetRead, parquetMetadata, parquetSchema } = await optionalPackage(
    'hyparquet',
    () => import('hyparquet'),
    `Reading '${file}'`,
  );
  const { compressors } = await import('hyparquet-compressors').catch(() => ({ compressors: undefined }));
  const content = new Uint8Array(bytes).buffer;
  return withFormatErrors(file, 'Parquet', async () => {
    const metadata = parquetMetadata(content);
    const names = parquetSchema(metadata).children.map(({ element }) => element.name);
    const rows = Number(metadata.num_rows);
    checkTableSize(rows, names.length, most, file);
    const chunks = new Map(names.map((name): [string, ArrayLike<unknown>[]] => [name, []]));
    await parquetRead({
      file: content,
      metadata,
      ...(compressors === undefined ? {} : { compressors }),
      onChunk: ({ columnName, columnData }) => chunks.get(columnName)!.push(columnData),
    });
    const columns = [...chunks].map(([name, parts]) => {
      const held = parts.reduce((sum, { length }) => sum + length, 0);
      if (held === rows) return parts.flatMap((part) => Array.from(part));
      throw new InvalidInputError(
        `'${file}' is damaged: its column '${name}' holds ${held} values, where the file says ${rows} rows.`,
        { code: 'damaged' },
      );
    });
    return tableOf(names, columns, file);
  });
}

/** Reads an Arrow file or stream (Feather) with @uwdata/flechette, an optional package. */
export async function arrowTable(bytes: Uint8Array, file: string, most: number): Promise<RawTable> {
  const { tableFromIPC } = await optionalPackage(
    '@uwdata/flechette',
    () => import('@uwdata/flechette'),
    `Reading '${file}'`,
  );
  return withFormatErrors(file, 'Arrow', async () => {
    const table = tableFromIPC(new Uint8Array(bytes), { useBigInt: true });
    checkTableSize(table.numRows, table.names.length, most, file);
    const columns = table.names.map((_, j) => Array.from(table.getChildAt(j).toArray() as Iterable<unknown>));
    return tableOf(table.names.map(String), columns, file);
  });
}

async function withFormatErrors(file: string, format: string, read: () => Promise<RawTable>): Promise<RawTable> {
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

/** Name that pandas gives an index without a name. */
const UNNAMED_INDEX = /^__index_level_\d+__$/;

function tableOf(names: readonly string[], columns: readonly (readonly unknown[])[], file: string): RawTable {
  const rows = columns[0]?.length ?? 0;
  if (rows === 0) throw new InvalidInputError(`'${file}' is empty: it has no rows.`);
  const unique = uniqueNames(names);
  return {
    file,
    rows,
    columns: columns.map((values, j) => columnOf(unique[j]!, values)),
    place: (row) => `row ${row}`,
    notes: [],
  };
}

/** A column of numbers if all of its values are numbers; whole numbers that a double cannot hold stay text. */
function columnOf(name: string, values: readonly unknown[]): RawColumn {
  const isNamed = !UNNAMED_INDEX.test(name);
  if (!values.every(isNumeric)) return { name, isNamed, text: values.map(textOf) };
  return {
    name,
    isNamed,
    numbers: Float64Array.from(values, (value) => (isAbsent(value) ? Number.NaN : Number(value))),
  };
}

const isAbsent = (value: unknown) => value === null || value === undefined;

const isNumeric = (value: unknown): boolean =>
  isAbsent(value) ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'bigint' && BigInt(Number(value)) === value);

const textOf = (value: unknown): string => {
  if (isAbsent(value)) return '';
  return value instanceof Date ? value.toISOString() : String(value);
};
