import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { checkSaved } from '../../../core/saved.ts';
import { knownRowsOf } from '../../../inference/index.ts';
import { type ReadTableOptions, readTable } from '../../io/index.ts';
import { makeTemporaryFolder } from '../../io/makeFolder.ts';
import { packed, unpacked } from '../requests.ts';
import { checksumOf, dataKey, type Transport } from '../session.ts';
import type { SweptTable } from './fitCell.ts';
import type { CheckedSpec } from './spec.ts';

/** Location of a sweep's table: bytes under a key, or a file that each worker reads. */
export const placeSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('key'), key: v.string() }),
  v.strictObject({
    kind: v.literal('file'),
    file: v.string(),
    checksum: v.string(),
    options: v.record(v.string(), v.unknown()),
    labels: v.optional(v.array(v.string())),
  }),
]);
export type TablePlace = v.InferOutput<typeof placeSchema>;

/** Table in the form that a thread receives. */
export type ReadTable = { readonly kind: 'bytes'; readonly bytes: Uint8Array } | Extract<TablePlace, { kind: 'file' }>;

/** Maximum size in bytes of a table that goes through the queue by default. */
const SMALL = 16 * 2 ** 20;

/** Stores the table where workers can read it, with a checksum of its rows. */
export async function placedTable(
  spec: CheckedSpec,
  { blobs }: Transport,
): Promise<{ place: TablePlace; checksum: string }> {
  const { data, labels, table } = spec;
  const options: ReadTableOptions = { ...table, ...(isColumn(labels) && { labels }) };
  if (typeof data === 'string') {
    const isUrl = /^https?:/.test(data);
    const file = isUrl ? data : resolve(data);
    const isSmall = !isUrl && (await sizeOf(file)) <= SMALL;
    const through = spec.through ?? (isSmall ? 'queue' : 'file');
    if (through === 'file') {
      const checksum = checksumOf(await bytesOf(file));
      const given = Array.isArray(labels) && { labels };
      return { place: { kind: 'file', file, checksum, options: { ...options }, ...given }, checksum };
    }
  }
  const read =
    typeof data === 'string'
      ? await readTable(data, options)
      : { observations: Matrix.from(data, 'Option data'), labels: undefined, given: undefined, offset: undefined };
  const known = knownRowsOf(read);
  const text = packed({
    observations: read.observations,
    labels: Array.isArray(labels) ? labels : read.labels,
    ...(known && { known }),
  });
  const bytes = new TextEncoder().encode(text);
  const key = dataKey(bytes);
  await blobs.put(key, bytes);
  return { place: { kind: 'key', key }, checksum: checksumOf(bytes) };
}

const isColumn = (labels: unknown): labels is string | number =>
  typeof labels === 'string' || typeof labels === 'number';

/** @throws InvalidInputError for a pipe or a device, which a resumed sweep, or another worker, could not read again */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => {
    throw new InvalidInputError(
      `There is no file '${file}'. Option data takes a matrix, or the path or URL of a table.`,
    );
  });
  if (found.isFile() || found.isDirectory()) return found.size;
  throw new InvalidInputError(
    `'${file}' is a pipe or a device, but the table of a sweep is read more than once. Write it into a file first.`,
  );
}

/** Downloads a table. Redirects to another origin are not followed, so that access to one address does not grant access to another. */
async function bytesOf(file: string): Promise<Uint8Array> {
  if (!/^https?:/.test(file)) {
    await sizeOf(file);
    return readFile(file);
  }
  const response = await fetch(file, { redirect: 'manual' });
  if (response.status >= 300 && response.status < 400) {
    throw new InvalidInputError(`'${file}' is a redirect, which is not followed. Name the address that it leads to.`);
  }
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  throw new InvalidInputError(`'${file}' cannot be read: the server answers ${response.status}.`);
}

const tableSchema = v.strictObject({
  observations: v.instance(Matrix),
  labels: v.optional(v.array(v.string())),
  known: v.optional(v.record(v.string(), v.instance(Matrix))),
});

/**
 * Reads the table in the thread that fits it.
 *
 * @throws InvalidInputError if the rows differ from those that the coordinator saw
 */
export async function readSweptTable(table: ReadTable): Promise<SweptTable> {
  if (table.kind === 'bytes') {
    return checkSaved(tableSchema, unpacked(new TextDecoder().decode(table.bytes)), 'table');
  }
  const { file, checksum, options, labels } = table;
  const bytes = await bytesOf(file);
  if (checksumOf(bytes) !== checksum) {
    throw new InvalidInputError(
      `'${basename(file)}' is not the file that the sweep was started with: its checksum is another.`,
    );
  }
  const read = /^https?:/.test(file) ? await readDownloaded(file, bytes, options) : await readTable(file, options);
  return { observations: read.observations, labels: labels ?? read.labels, known: knownRowsOf(read) };
}

/** Writes downloaded bytes to a temporary file, since the format of a table is determined by its file extension. */
async function readDownloaded(file: string, bytes: Uint8Array, options: ReadTableOptions) {
  const { rm, writeFile } = await import('node:fs/promises');
  const folder = await makeTemporaryFolder();
  try {
    const local = `${folder}/${basename(new URL(file).pathname)}`;
    await writeFile(local, bytes);
    return await readTable(local, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
