import { Matrix } from 'latentfield/core';
import type { PlainTable } from '../page.worker.ts';
import { PageWorker } from '../pageWorker.ts';
import { type Dataset, deviationsOf, rowView } from './dataset.ts';

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
  /** What to look at before a fit. */
  readonly advice: string;
}

const MOST_BYTES = 60e6;
/** Names of columns that hold classes, though these are numbers. */
const CLASSES = /^(class|classes|label|labels|target|category|group|cluster|species|type|kind|digit|y)$/i;
/** Parts by which the deviations of columns may differ before it is told. */
const APART = 30;

/** Reads tables in a worker, one at a time. */
export class TableReader {
  private worker: PageWorker | undefined;

  /**
   * Reads a file by the rules of the command line. Unless a column is named, text becomes the labels, or whole numbers of few kinds in a column that is
   * called so.
   */
  async read(name: string, bytes: Uint8Array, labels?: string): Promise<OwnTable> {
    if (bytes.length > MOST_BYTES) {
      throw new Error(
        `'${name}' has ${Math.round(bytes.length / 1e6)} MB; this page reads up to ${MOST_BYTES / 1e6}. Use the command line for larger tables.`,
      );
    }
    this.cancel();
    const worker = new PageWorker();
    this.worker = worker;
    try {
      const first = await worker.ask({ kind: 'read', bytes, name, labels: labels ?? '' });
      const text = first.others.filter(({ reason }) => reason.startsWith('is text')).map(({ column }) => column);
      const classes = first.few.filter(({ column }) => CLASSES.test(column)).map(({ column }) => column);
      const guessed = labels === undefined ? (text.at(-1) ?? classes.at(-1)) : undefined;
      const table = guessed === undefined ? first : await worker.ask({ kind: 'read', bytes, name, labels: guessed });
      const isText = /\.(csv|tsv|tab|txt)$/i.test(name) && bytes.length <= 4000;
      const chosen = labels ?? guessed ?? '';
      const dataset = datasetOf(name, table, chosen);
      return {
        name,
        bytes,
        csv: isText ? new TextDecoder().decode(bytes) : undefined,
        labels: chosen,
        choices: [
          ...new Set([
            ...(chosen === '' ? [] : [chosen]),
            ...first.others.map(({ column }) => column),
            ...first.columns,
          ]),
        ],
        dataset,
        advice: [unitsAdvice(dataset), classAdvice(table, chosen)].filter((sentence) => sentence !== '').join(' '),
      };
    } finally {
      if (this.worker === worker) this.worker = undefined;
      worker.end();
    }
  }

  cancel(): void {
    this.worker?.end('Reading was cancelled.');
    this.worker = undefined;
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
  const leftOut = table.others.map(({ column, reason }) => `Column '${column}' ${reason}, so it is left out.`);
  return {
    name,
    observations,
    columns: table.columns,
    labels: table.labels,
    labelColumn: labels === '' ? 'label' : labels,
    ids: table.ids,
    idColumn: table.idColumn ?? 'id',
    view: rowView(table.columns),
    notes: [...table.notes, ...leftOut],
  };
}

/** Columns of very different size: the largest decides the map alone. */
function unitsAdvice({ observations, columns }: Dataset): string {
  const deviations = [...deviationsOf(observations)].map((value, j) => ({ value, column: columns[j]! }));
  const sorted = deviations.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  const [largest, middle] = [sorted[0], sorted[Math.floor(sorted.length / 2)]];
  if (largest === undefined || sorted.length < 2 || largest.value < APART * middle!.value) return '';
  const times = Number((largest.value / middle!.value).toPrecision(2)).toLocaleString('en');
  return `Column '${largest.column}' varies ${times} times as much as '${middle!.column}': it alone would decide the map. Bring columns to mean 0 and deviation 1.`;
}

/** Whole numbers of few kinds that were taken as measurements. */
function classAdvice({ few }: PlainTable, labels: string): string {
  const found = few.filter(({ column }) => column !== labels);
  if (labels !== '' || found.length !== 1) return '';
  return `Column '${found[0]!.column}' holds ${found[0]!.kinds} different whole numbers: choose it as the labels if they are classes.`;
}

const matrixOf = ({ data, rows, columns }: PlainTable['observations']) => new Matrix(data, rows, columns);
