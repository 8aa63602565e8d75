import { differInUnits, Matrix } from 'latentfield/core';
import { csv } from '../exports.ts';
import type { PlainTable } from '../page.worker.ts';
import { PageWorker } from '../pageWorker.ts';
import { counted, type Dataset, deviationsOf, rowView } from './dataset.ts';
import type { Repair } from './repairs.ts';

/** A file of the visitor's, as it was read. */
export interface OwnTable {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Its text where it is small enough for links and to be kept over a reload. */
  readonly csv: string | undefined;
  readonly labels: string;
  /** Columns that may hold labels. */
  readonly choices: readonly string[];
  readonly dataset: Dataset;
  /** What to look at before a fit: a column that varies far more than the others, and one that may hold classes. */
  readonly advice: { readonly units: string; readonly classes: string };
  readonly uses: readonly ColumnUse[];
}

/** Columns of one kind, and what is done with them. */
export interface ColumnUse {
  readonly columns: string;
  readonly kind: string;
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly use: string;
}

/** What the first lines of a text say of it. */
export interface Head {
  /** Lines that it was told from, and about how many there are. */
  readonly lines: number;
  readonly rows: number;
  readonly uses: readonly ColumnUse[];
  /** Of these rows, how many are read. */
  readonly read: number;
}

const MOST_BYTES = 60e6;
/** Bytes of a text that are read before the rest, so that its columns are told. */
const HEAD = 120_000;
const isText = (name: string) => /\.(csv|tsv|tab|txt)$/i.test(name);
/** Names of columns that hold classes, though these are numbers. */
const CLASSES = /^(class|classes|label|labels|target|category|group|cluster|species|type|kind|digit|y)$/i;

/** Bytes of a table that is kept for links and for a reload. */
const MOST_KEPT = 2e6;
/** Bytes up to which ways to read a table are looked for that could not be read. */
const MOST_REPAIRED = 10e6;

/** Reads tables in a worker, one at a time. */
export class TableReader {
  private worker: PageWorker | undefined;

  /**
   * Reads a file by the rules of the command line. Unless a column is named, text becomes the labels, or whole numbers of few kinds in a column that is
   * called so.
   */
  async read(name: string, bytes: Uint8Array, labels?: string, onHead?: (head: Head) => void): Promise<OwnTable> {
    if (bytes.length > MOST_BYTES) {
      throw new Error(
        `'${name}' has ${Math.round(bytes.length / 1e6)} MB; this page reads up to ${MOST_BYTES / 1e6}. Use the command line for larger tables.`,
      );
    }
    this.cancel();
    const worker = new PageWorker();
    this.worker = worker;
    let known = labels;
    try {
      if (onHead !== undefined && isText(name) && bytes.length > 4 * HEAD) {
        const head = bytes.slice(0, bytes.lastIndexOf(10, HEAD) + 1);
        const table = await worker
          .ask({ kind: 'read', bytes: head, name, labels: labels ?? '' })
          .catch(() => undefined);
        if (table !== undefined && this.worker === worker) {
          const lines = table.observations.rows;
          // A column with text in it stays one of text, so the whole is read but once.
          known = labels ?? textColumns(table).at(-1);
          const rows = Math.round((lines * bytes.length) / head.length);
          const told = { lines, rows, uses: usesOf(table, known ?? '') };
          onHead({ ...told, read: 0 });
          worker.onRows = (read) => this.worker === worker && onHead({ ...told, read: Math.min(read, rows) });
        }
      }
      const first = await worker.ask({ kind: 'read', bytes, name, labels: known ?? '' });
      const classes = first.few.filter(({ column }) => CLASSES.test(column)).map(({ column }) => column);
      const guessed = known === undefined ? (textColumns(first).at(-1) ?? classes.at(-1)) : undefined;
      worker.onRows = () => {};
      const table = guessed === undefined ? first : await worker.ask({ kind: 'read', bytes, name, labels: guessed });
      const chosen = known ?? guessed ?? '';
      const dataset = datasetOf(name, table, chosen);
      return {
        name,
        bytes,
        csv: isText(name) && bytes.length <= MOST_KEPT ? new TextDecoder().decode(bytes) : undefined,
        labels: chosen,
        choices: [
          ...new Set([
            ...(chosen === '' ? [] : [chosen]),
            ...first.others.map(({ column }) => column),
            ...first.columns,
          ]),
        ],
        dataset,
        uses: usesOf(table, chosen),
        advice: { units: unitsAdvice(dataset), classes: classAdvice(table, chosen) },
      };
    } finally {
      if (this.worker === worker) this.worker = undefined;
      worker.end();
    }
  }

  cancel(): void {
    this.worker?.end('Reading was canceled.');
    this.worker = undefined;
  }
}

/** The table of a fit that was opened: as if its rows had been read from a file. */
export function tableOfDataset(dataset: Dataset): OwnTable {
  const { observations, columns, labels, labelColumn, name } = dataset;
  const text = csv(observations, columns, dataset);
  const chosen = labels === undefined ? '' : labelColumn;
  return {
    name: name.replace(/\.json$/i, '').replace(/(?:\.csv)?$/i, '.csv'),
    bytes: new TextEncoder().encode(text),
    csv: text.length <= MOST_KEPT ? text : undefined,
    labels: chosen,
    choices: [...(chosen === '' ? [] : [chosen]), ...columns],
    dataset,
    uses: [],
    advice: { units: unitsAdvice(dataset), classes: '' },
  };
}

/** Columns of text that may be classes: neither one text throughout nor a name for each row. */
const textColumns = ({ others }: PlainTable) =>
  others.filter(({ reason }) => /^is text \(.* kinds\)$/s.test(reason)).map(({ column }) => column);

/** Ways to read a table that could not be read as it is. */
export async function repairs(name: string, bytes: Uint8Array): Promise<readonly Repair[]> {
  if (!isText(name) || bytes.length > MOST_REPAIRED) return [];
  const worker = new PageWorker();
  try {
    return await worker.ask({ kind: 'repairs', bytes, name });
  } finally {
    worker.end();
  }
}

/** New rows for a fit: a file with the same columns. */
export async function newRows(name: string, bytes: Uint8Array, columns: readonly string[]): Promise<Matrix> {
  const worker = new PageWorker();
  try {
    const { observations } = await worker.ask({ kind: 'read', bytes, name, labels: '', columns });
    return matrixOf(observations);
  } finally {
    worker.end();
  }
}

function datasetOf(name: string, table: PlainTable, labels: string): Dataset {
  const observations = matrixOf(table.observations);
  return {
    name,
    observations,
    columns: table.columns,
    labels: table.labels,
    labelColumn: labels === '' ? 'label' : labels,
    ids: table.ids,
    idColumn: table.idColumn ?? 'id',
    view: rowView(
      table.columns,
      table.others.flatMap(({ column, constant }) => (constant ? [column] : [])),
    ),
    notes: table.notes,
  };
}

const MOST_NAMED = 6;

/** The numbers of a table, its labels and ids, and what is left out with the reason. */
function usesOf(
  { observations, columns, labels, ids, idColumn, others }: PlainTable,
  labelColumn: string,
): ColumnUse[] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let missing = 0;
  for (const value of observations.data) {
    if (Number.isNaN(value)) missing++;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const count = columns.length;
  const none = { least: undefined, most: undefined };
  const named = count < 3 ? columns.join(', ') : `${columns[0]} … ${columns[count - 1]}`;
  /** Columns by why they are left out. */
  const leftOut = new Map<string, string[]>();
  for (const { column, reason, constant } of others) {
    if (column === labelColumn || (ids && column === idColumn)) continue;
    const kind = constant ? 'constant' : reason.replace(/ \(.*|^is /gs, '');
    leftOut.set(kind, [...(leftOut.get(kind) ?? []), column]);
  }
  return [
    {
      ...{ columns: named, least, most },
      kind: `${counted(count, 'number')}${missing === 0 ? '' : `, ${missing} missing`}`,
      use: 'fit',
    },
    ...(labels === undefined
      ? []
      : [{ ...none, columns: labelColumn, kind: counted(new Set(labels).size, 'label'), use: 'color' }]),
    ...(ids === undefined ? [] : [{ ...none, columns: idColumn ?? 'id', kind: 'names', use: 'names of rows' }]),
    ...[...leftOut].map(([kind, names]) => ({
      ...{ ...none, kind, use: 'left out' },
      columns:
        names.length > MOST_NAMED
          ? `${names.slice(0, MOST_NAMED).join(', ')} and ${names.length - MOST_NAMED} more`
          : names.join(', '),
    })),
  ];
}

/** Columns of very different size: the largest decides the map alone. */
function unitsAdvice({ observations, columns }: Dataset): string {
  const deviations = [...deviationsOf(observations)].map((value, j) => ({ value, column: columns[j]! }));
  const sorted = deviations.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  const [largest, middle] = [sorted[0], sorted[Math.floor(sorted.length / 2)]];
  if (!differInUnits(observations)) return '';
  const times = Number((largest!.value / middle!.value).toPrecision(2)).toLocaleString('en');
  return `Column '${largest!.column}' varies ${times} times as much as '${middle!.column}': columns of large deviation would decide the map nearly alone. Bring columns to mean 0 and deviation 1.`;
}

/** Whole numbers of few kinds that were taken as measurements. */
function classAdvice({ few }: PlainTable, labels: string): string {
  const found = few.filter(({ column }) => column !== labels);
  if (labels !== '' || found.length !== 1) return '';
  return `Column '${found[0]!.column}' holds ${found[0]!.kinds} different whole numbers: choose it as the labels if they are classes.`;
}

const matrixOf = ({ data, rows, columns }: PlainTable['observations']) => new Matrix(data, rows, columns);
