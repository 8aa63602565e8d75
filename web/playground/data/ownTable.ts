import { Matrix } from 'latentfield';
import { inWorker } from '../tasks.ts';
import type { PlainTable } from '../tasks.worker.ts';
import { type Dataset, rowView } from './dataset.ts';

/** A file of the visitor's, as it was read. */
export interface OwnTable {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Its text where it is small enough for a link. */
  readonly csv: string | undefined;
  readonly labels: string;
  /** Columns that may hold labels. */
  readonly choices: readonly string[];
  readonly dataset: Dataset;
}

const MOST_BYTES = 60e6;

/** Reads a file by the rules of the command line, in the worker. A column of text becomes the labels unless a column is named. */
export async function ownTable(name: string, bytes: Uint8Array, labels?: string): Promise<OwnTable> {
  if (bytes.length > MOST_BYTES) {
    throw new Error(
      `'${name}' has ${Math.round(bytes.length / 1e6)} MB; this page reads up to ${MOST_BYTES / 1e6}. Use the command line for larger tables.`,
    );
  }
  const first = await inWorker({ kind: 'read', bytes, name, labels: labels ?? '' });
  const text = first.others.filter(({ reason }) => reason.startsWith('is text')).map(({ column }) => column);
  const guessed = labels === undefined ? text.at(-1) : undefined;
  const table = guessed === undefined ? first : await inWorker({ kind: 'read', bytes, name, labels: guessed });
  const isText = /\.(csv|tsv|tab|txt)$/i.test(name) && bytes.length <= 4000;
  const chosen = labels ?? guessed ?? '';
  return {
    name,
    bytes,
    csv: isText ? new TextDecoder().decode(bytes) : undefined,
    labels: chosen,
    choices: [
      ...new Set([...(chosen === '' ? [] : [chosen]), ...first.others.map(({ column }) => column), ...first.columns]),
    ],
    dataset: datasetOf(name, table),
  };
}

/** New rows for a fit: a file with the same columns. */
export async function newRows(name: string, bytes: Uint8Array, columns: readonly string[]): Promise<Matrix> {
  const { observations } = await inWorker({ kind: 'read', bytes, name, labels: '', columns });
  return matrixOf(observations);
}

function datasetOf(name: string, table: PlainTable): Dataset {
  const observations = matrixOf(table.observations);
  const leftOut = table.others.map(({ column, reason }) => `Column '${column}' ${reason}, so it is left out.`);
  return {
    name,
    observations,
    columns: table.columns,
    labels: table.labels,
    ids: table.ids,
    view: rowView(observations.columns),
    notes: [...table.notes, ...leftOut],
  };
}

const matrixOf = ({ data, rows, columns }: PlainTable['observations']) => new Matrix(data, rows, columns);
