import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkGiven, givenList, givenOptions, isList } from '../../core/options.ts';
import { counted, countGiven } from '../../core/wording.ts';
import { uniqueNames } from './rawTable.ts';

/** Column of text or numbers in addition to the matrix. */
export interface LabelColumn {
  readonly name: string;
  readonly values: ArrayLike<string | number>;
}

export interface WriteTableOptions {
  /** First column, with N ids. */
  readonly ids?: LabelColumn;
  /** Whether text that a spreadsheet would interpret as a formula (starting with =, +, -, @, a tab or a line break) is prefixed with an apostrophe. */
  readonly guardFormulas?: boolean;
}

/**
 * Formats a table as CSV or TSV text with a header. Each number is the shortest decimal that reads back as the same double. Repeated names are numbered,
 * `x`, `x.1`, as by `readTable`.
 *
 * @param matrix - numbers, N×D; NaN reads back as a missing cell
 * @param names - D names of the columns
 * @param labels - N labels, appended as a column
 * @param options - see {@link WriteTableOptions}, and the delimiter
 * @throws InvalidInputError if names, ids or labels do not match the matrix
 */
export function tableText(
  matrix: MatrixLike,
  names: readonly string[],
  labels?: LabelColumn,
  options: WriteTableOptions & { delimiter?: string } = {},
): string {
  const { ids, guardFormulas = false, delimiter = ',' } = givenOptions(options, 'tableText');
  const table = Matrix.from(matrix);
  const columnNames = givenTexts(names, 'a list of column names, texts');
  if (columnNames.length !== table.columns) {
    throw new InvalidInputError(
      `The table has ${counted(table.columns, 'column')}, but ${countGiven(columnNames.length, 'name')}.`,
    );
  }
  for (const [column, noun] of [
    [labels, 'label'],
    [ids, 'id'],
  ] as const) {
    if (column === undefined) continue;
    checkGiven(column, 'tableText', `${noun}s as { name, values }`, isColumn);
    if (column.values.length === table.rows) continue;
    throw new InvalidInputError(
      `The table has ${counted(table.rows, 'row')}, but ${countGiven(column.values.length, noun)}.`,
    );
  }
  const cell = (text: string) => quoted(guardFormulas ? guarded(text) : text);
  const [before, after] = [ids, labels].map((column) => (column === undefined ? [] : [column])) as [
    LabelColumn[],
    LabelColumn[],
  ];
  const line = (cells: readonly string[]) => `${cells.join(delimiter)}\n`;
  const header = [...before.map(({ name }) => name), ...columnNames, ...after.map(({ name }) => name)];
  const lines = [line(uniqueNames(header).map(cell))];
  for (let i = 0; i < table.rows; i++) {
    const text = ({ values }: LabelColumn) => cell(String(values[i]));
    lines.push(line([...before.map(text), ...Array.from(table.row(i), decimal), ...after.map(text)]));
  }
  return lines.join('');
}

const isColumn = (given: LabelColumn) => typeof given.name === 'string' && isList(given.values);

const givenTexts = (given: readonly string[], expected: string) =>
  checkGiven(givenList(given, 'tableText', expected), 'tableText', expected, (list) =>
    list.every((text) => typeof text === 'string'),
  );

/** Shortest decimal that reads back as the same double. */
export const decimal = (value: number) => (Object.is(value, -0) ? '-0' : String(value));

/** Cell in quotes, if it contains a delimiter, a quote, a line break, outer blanks, or begins like a comment. Decimal commas need none between other delimiters. */
export const quoted = (text: string, delimiter = ','): string =>
  (delimiter === ',' ? /[",;|\t\r\n]|^\s|\s$|^#/ : /[";|\t\r\n]|^\s|\s$|^#/).test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;

/** Prefixes text that spreadsheets evaluate, even in quotes; numbers are unchanged. */
const guarded = (text: string) => (/^[=+\-@\t\r\n]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text);
