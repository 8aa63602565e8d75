import { differInUnits, Matrix } from 'latentfield/core';
import { decodeText } from '../../../src/app/io/textDecoding.ts';
import { csv } from '../exports.ts';
import type { PlainTable } from '../page.worker.ts';
import { PageWorker } from '../pageWorker.ts';
import { countsOf, type Role, type Settings } from '../settings.ts';
import {
  AMONG,
  type Beside,
  besideText,
  counted,
  type Dataset,
  dateText,
  deviationsOf,
  GROUPS,
  isPixel,
  type RowView,
  rowView,
} from './dataset.ts';
import type { Repair } from './repairs.ts';
import { datesOf, SUMS, wordsAmong } from './writtenCells.ts';

/** Visitor's file after reading. */
export interface OwnTable {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Text of the file, if it is small enough for links and for keeping over a reload. */
  readonly csv: string | undefined;
  readonly labels: string;
  /** Columns that may contain labels. */
  readonly choices: readonly string[];
  readonly dataset: Dataset;
  /** Advice before a fit: a column that varies far more than the others, one that may contain classes, those that may contain counts, and text of few kinds. */
  readonly advice: {
    readonly units: string;
    readonly classes: string;
    readonly counts: readonly string[];
    readonly categories: readonly string[];
  };
  readonly uses: readonly ColumnUse[];
  /** All columns of the file with their uses; empty for a table that was not read from a file. */
  readonly all: readonly {
    readonly column: string;
    readonly role: Role | 'labels';
    readonly isDate: boolean;
    /** True if its numbers are whole, from 0. */
    readonly isWhole: boolean;
    /** Its first values, or the reason why it is left out. */
    readonly sample: string;
  }[];
  /** True if it contains numbers that may be read in another way. */
  readonly isRepairable: boolean;
}

/** Columns of one kind, and their treatment. */
export interface ColumnUse {
  readonly columns: string;
  readonly kind: string;
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly use: string;
}

/** Information from the first lines of a text. */
export interface Head {
  /** Number of lines that were examined, and their approximate total. */
  readonly lines: number;
  readonly rows: number;
  readonly uses: readonly ColumnUse[];
  /** Number of these rows that have been read. */
  readonly read: number;
}

const MOST_BYTES = 60e6;
/** Bytes of a text that are read first, to show its columns. */
const HEAD = 120_000;
const isText = (name: string) => /\.(csv|tsv|tab|txt)$/i.test(name);
/** Names of columns that contain classes even if these are numbers. */
const CLASSES = /^(class|classes|label|labels|target|category|group|cluster|species|type|kind|digit|y)$/i;

/** True for text that consists of numbers but for a few words, or of dates. */
const isWritten = (values: readonly string[]) => wordsAmong(values) !== undefined || datesOf(values) !== undefined;

/** Maximum size in bytes of a table that is kept for links and for a reload. */
const MOST_KEPT = 2e6;
/** Maximum size in bytes for repairing an unreadable table. */
const MOST_REPAIRED = 10e6;

/** Reads tables in a worker, one at a time. */
export class TableReader {
  private worker: PageWorker | undefined;

  /**
   * Reads a file by the rules of the command line. Unless a column is named, labels are text, or whole numbers with few distinct values in a column
   * whose name suggests classes.
   */
  async read(
    name: string,
    bytes: Uint8Array,
    labels?: string,
    onHead?: (head: Head) => void,
    roles: Settings['roles'] = {},
  ): Promise<OwnTable> {
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
          const told = { lines, rows, uses: usesOf(table, known ?? '', viewOf(table)) };
          onHead({ ...told, read: 0 });
          worker.onRows = (read) => this.worker === worker && onHead({ ...told, read: Math.min(read, rows) });
        }
      }
      const first = await worker.ask({ kind: 'read', bytes, name, labels: known ?? '', roles });
      const classes = first.few.filter(({ column }) => CLASSES.test(column)).map(({ column }) => column);
      const guessed = known === undefined ? (textColumns(first).at(-1) ?? classes.at(-1)) : undefined;
      worker.onRows = () => {};
      const table =
        guessed === undefined ? first : await worker.ask({ kind: 'read', bytes, name, labels: guessed, roles });
      const chosen = known ?? guessed ?? '';
      const columns = bytes.length > MOST_KEPT ? [] : besideColumns(table, chosen);
      const beside = columns.length === 0 ? [] : await worker.ask({ kind: 'beside', bytes, name, columns });
      const dataset = datasetOf(name, table, chosen, beside);
      return {
        name,
        bytes,
        csv: isText(name) && bytes.length <= MOST_KEPT ? decodeText(bytes).text : undefined,
        labels: chosen,
        choices: [
          ...new Set([
            ...(chosen === '' ? [] : [chosen]),
            ...first.others.map(({ column }) => column),
            ...first.columns,
          ]),
        ],
        dataset,
        uses: usesOf(table, chosen, dataset.view, beside, roles),
        all: rolesOf(table, chosen, roles, beside),
        isRepairable:
          table.others.some(({ reason }) => GROUPS.test(reason) || AMONG.test(reason)) ||
          beside.some(({ values }) => !(values instanceof Float64Array) && isWritten(values)) ||
          table.ids?.some((id) => SUMS.test(id)) ||
          table.notes.some((note) => note.includes('`missingValues: ')),
        advice: {
          units: unitsAdvice(dataset),
          classes: classAdvice(table, chosen),
          counts: likeCounts(dataset),
          categories: likeCategories(dataset),
        },
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

/** Table of an opened fit, as if its rows had been read from a file. */
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
    all: [],
    isRepairable: false,
    advice: { units: unitsAdvice(dataset), classes: '', counts: likeCounts(dataset), categories: [] },
  };
}

/** Columns of text that may be classes: neither constant, nor a name for each row, nor dates. */
const textColumns = ({ others }: PlainTable) =>
  others.filter(({ reason }) => /^is text \(.* kinds\)$/s.test(reason)).map(({ column }) => column);

/** Maximum number of columns of text and dates that are read in addition to the observations. */
const MOST_BESIDE = 8;

/** Columns for coloring and searching rows, although they are not fitted: text with several distinct values, and dates. */
const besideColumns = ({ others, days }: PlainTable, labels: string) => {
  const known = others.filter(
    ({ column, reason }) =>
      column !== labels && /^is text (\(.* kinds\)$|that names each row)|^contains dates|of its season$/s.test(reason),
  );
  return [...days, ...known.map(({ column }) => column)].slice(0, days.length + MOST_BESIDE);
};

/** Ways to read a table that could not be read unchanged. */
export async function repairs(name: string, bytes: Uint8Array): Promise<readonly Repair[]> {
  if (!isText(name) || bytes.length > MOST_REPAIRED) return [];
  const worker = new PageWorker();
  try {
    return await worker.ask({ kind: 'repairs', bytes, name });
  } finally {
    worker.end();
  }
}

/** New rows for a fit: a file with the same columns, its row names, and notes about how it was read. */
export async function newRows(name: string, bytes: Uint8Array, columns: readonly string[]) {
  const worker = new PageWorker();
  try {
    const { observations, ids, idColumn, notes } = await worker.ask({ kind: 'read', bytes, name, labels: '', columns });
    return { observations: matrixOf(observations), ids, idColumn: idColumn ?? 'id', notes };
  } finally {
    worker.end();
  }
}

function datasetOf(name: string, table: PlainTable, labels: string, beside: readonly Beside[]): Dataset {
  const observations = matrixOf(table.observations);
  return {
    name,
    observations,
    columns: table.columns,
    labels: table.labels,
    labelColumn: labels === '' ? 'label' : labels,
    ids: table.ids,
    idColumn: table.idColumn ?? 'id',
    // The names of rows are searched anyway.
    beside: beside.filter(({ column, values }) => column !== table.idColumn || values instanceof Float64Array),
    view: viewOf(table),
    notes: table.notes,
  };
}

const viewOf = ({ columns, others }: PlainTable): RowView =>
  rowView(
    columns,
    others.flatMap(({ column, constant }) => (constant ? [{ column, value: constant.value }] : [])),
  );

/** Maximum number of distinct values for a text column to color rows. */
export const MOST_COLORED = 30;

/** Number of values that are shown of each column. */
const SHOWN = 3;

/** All columns of a file with their uses and first values, fitted ones first. */
function rolesOf(
  table: PlainTable,
  labelColumn: string,
  roles: Settings['roles'],
  besides: readonly Beside[],
): OwnTable['all'] {
  const { columns, others, ids, idColumn, labels, observations, days } = table;
  const rows = Array.from({ length: Math.min(SHOWN, observations.rows) }, (_, i) => i);
  const sampleOf = (column: string, role: Role | 'labels'): string => {
    const beside = besides.find((each) => each.column === column);
    const [at, reason] = [columns.indexOf(column), others.find((each) => each.column === column)?.reason];
    if (role === 'labels' && labels !== undefined) return rows.map((i) => labels[i]!).join(', ');
    if (role === 'names' && ids !== undefined) return rows.map((i) => ids[i]!).join(', ');
    if (role === 'categories')
      return columns
        .filter((each) => each.startsWith(`${column}=`))
        .map((each) => each.slice(column.length + 1))
        .join(', ');
    if (at >= 0) {
      const values = rows.map((i) => observations.data[i * observations.columns + at]!);
      const written = (value: number) => (days.includes(column) ? dateText(value) : String(value).replace('-', '−'));
      return values.map((value) => (Number.isNaN(value) ? 'missing' : written(value))).join(', ');
    }
    if (beside !== undefined) return rows.map((i) => besideText(beside, i) || 'missing').join(', ');
    return reason ?? '';
  };
  const hot = Object.keys(roles).filter((column) => ['categories', 'season'].includes(roles[column]!));
  const isOf = (column: string) => hot.some((each) => column.startsWith(`${each}=`));
  const found = new Map<string, Role | 'labels'>();
  for (const column of columns) if (!isOf(column)) found.set(column, roles[column] === 'count' ? 'count' : 'fit');
  for (const { column } of others) found.set(column, ids !== undefined && column === idColumn ? 'names' : 'out');
  for (const column of hot) found.set(column, roles[column]!);
  if (labelColumn !== '') found.set(labelColumn, 'labels');
  const isDate = (column: string) =>
    days.includes(column) ||
    besides.some(({ column: each, values }) => each === column && values instanceof Float64Array);
  const whole = (column: string) => columns.includes(column) && isWhole(observations, columns.indexOf(column));
  return Array.from(found, ([column, role]) => ({
    ...{ column, role, isDate: isDate(column) },
    isWhole: whole(column),
    sample: sampleOf(column, role),
  }));
}

const MOST_NAMED = 6;

/** End of the reason for a column of dates that is replaced by its season. */
const SEASON = 'of its season';

/** Numbers of a table, its labels and ids, and omitted columns with reasons. */
function usesOf(
  { observations, columns, labels, ids, idColumn, others, days }: PlainTable,
  labelColumn: string,
  view: RowView,
  beside: readonly Beside[] = [],
  roles: Settings['roles'] = {},
): ColumnUse[] {
  const seasons = others.flatMap(({ column, reason }) => (reason.endsWith(SEASON) ? [column] : []));
  const isOfDate = (column: string) =>
    days.includes(column) || seasons.some((each) => column.startsWith(`${each}=season `));
  const counts = countsOf({ roles }, columns);
  const numbers = columns.filter((column) => !isOfDate(column) && !counts.includes(column));
  const none = { least: undefined, most: undefined };
  const named = (list: readonly string[]) => (list.length < 3 ? list.join(', ') : `${list[0]} … ${list.at(-1)}`);
  const fitted = (list: readonly string[], thing: string, after = '', use = 'fit'): ColumnUse[] => {
    const own = new Set(list.map((column) => columns.indexOf(column)));
    let [least, most, missing] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    for (const [k, value] of observations.data.entries()) {
      if (!own.has(k % columns.length)) continue;
      if (Number.isNaN(value)) missing++;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const kind = `${counted(list.length, thing)}${after}${missing === 0 ? '' : `, ${missing} missing`}`;
    return list.length === 0 ? [] : [{ columns: named(list), kind, least, most, use }];
  };
  const pixels = view.kind === 'image' ? `, pixels of ${view.height} × ${view.width} images` : '';
  /** Columns by reason for omission. */
  const leftOut = new Map<string, string[]>();
  for (const { column, reason, constant } of others) {
    if (column === labelColumn || (ids && column === idColumn) || beside.some((each) => each.column === column))
      continue;
    const kind = constant
      ? pixels !== '' && isPixel(column)
        ? 'constant pixels'
        : 'constant'
      : GROUPS.test(reason)
        ? 'numbers in groups of digits'
        : reason.replace(/ \(.*|^is |^contains (?=dates)/gs, '');
    leftOut.set(kind, [...(leftOut.get(kind) ?? []), column]);
  }
  const dateUse = (column: string) =>
    days.includes(column)
      ? 'fit as days, color and search'
      : seasons.includes(column)
        ? 'fit as a season, color and search'
        : 'color and search';
  return [
    ...fitted(numbers, 'number', pixels),
    ...fitted(counts, 'count', '', 'fit as counts'),
    ...(labels === undefined
      ? []
      : [{ ...none, columns: labelColumn, kind: counted(new Set(labels).size, 'label'), use: 'color' }]),
    ...(ids === undefined ? [] : [{ ...none, columns: idColumn ?? 'id', kind: 'names', use: 'names of rows' }]),
    ...beside
      .filter(({ column, values }) => column !== idColumn || values instanceof Float64Array)
      .map(({ column, values }) => ({
        ...{ ...none, columns: column },
        ...(values instanceof Float64Array
          ? { kind: 'dates', use: dateUse(column) }
          : { kind: 'text', use: new Set(values).size > MOST_COLORED ? 'search' : 'color and search' }),
      })),
    ...[...leftOut].map(([kind, names]) => ({
      ...{ ...none, kind, use: kind === 'constant pixels' ? 'drawn, not fitted' : 'left out' },
      columns:
        names.length > MOST_NAMED
          ? `${names.slice(0, MOST_NAMED).join(', ')} and ${names.length - MOST_NAMED} more`
          : names.join(', '),
    })),
  ];
}

/** Advice on columns of very different scale, where the largest dominates the map. */
function unitsAdvice({ observations, columns }: Dataset): string {
  const deviations = [...deviationsOf(observations)].map((value, j) => ({ value, column: columns[j]! }));
  const sorted = deviations.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  const [largest, middle] = [sorted[0], sorted[Math.floor(sorted.length / 2)]];
  if (!differInUnits(observations)) return '';
  const times = Number((largest!.value / middle!.value).toPrecision(2)).toLocaleString('en');
  return `Column '${largest!.column}' varies ${times} times as much as '${middle!.column}': columns of large standard deviation would dominate the map. Scale columns to mean 0 and standard deviation 1.`;
}

/** Minimum share of zeros for whole numbers to count as counts. */
const LEAST_ZEROS = 0.05;

/** True if all entries of a column are whole numbers from 0. */
function isWhole({ data, rows, columns }: PlainTable['observations'], j: number): boolean {
  for (let i = 0; i < rows; i++) {
    const value = data[i * columns + j]!;
    if (!Number.isNaN(value) && (value < 0 || !Number.isInteger(value))) return false;
  }
  return true;
}

/** Columns that may contain counts: whole numbers from 0, some of them 0 and some above 2. In a table of such numbers alone, zeros of any column suffice. */
function likeCounts({ observations, columns, view }: Dataset): readonly string[] {
  if (view.kind === 'image') return [];
  const areLike = (values: Float64Array) => {
    const zeros = values.reduce((count, value) => count + (value === 0 ? 1 : 0), 0);
    return zeros >= LEAST_ZEROS * values.length && values.some((value) => value > 2);
  };
  const whole = columns.flatMap((_, j) => (isWhole(observations, j) ? [j] : []));
  if (whole.length === columns.length) return areLike(observations.data) ? columns : [];
  return whole.filter((j) => areLike(observations.column(j))).map((j) => columns[j]!);
}

/** Maximum number of distinct values in a column of text for it to be offered as categories. */
const MOST_CATEGORIES = 10;

/** Columns of text that may be fitted as categories. */
const likeCategories = ({ beside = [] }: Dataset): readonly string[] =>
  beside.flatMap(({ column, values }) => {
    const kinds = values instanceof Float64Array ? 0 : new Set(values).size;
    return kinds > 1 && kinds <= MOST_CATEGORIES && 3 * kinds <= values.length ? [column] : [];
  });

/** Advice on whole numbers with few distinct values that were read as measurements. */
function classAdvice({ few }: PlainTable, labels: string): string {
  const found = few.filter(({ column }) => column !== labels);
  if (labels !== '' || found.length !== 1) return '';
  return `Column '${found[0]!.column}' contains ${found[0]!.kinds} different whole numbers: choose it as the labels if they are classes.`;
}

const matrixOf = ({ data, rows, columns }: PlainTable['observations']) => new Matrix(data, rows, columns);
