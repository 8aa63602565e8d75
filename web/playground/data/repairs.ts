import { parse } from 'csv-parse/browser/esm/sync';
import { parseTable } from 'latentfield/io';
import { decodeText } from '../../../src/app/io/textDecoding.ts';
import { GROUPS } from './dataset.ts';

/** Way to read a table that cannot be read unchanged. */
export interface Repair {
  readonly title: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const MISSING = /^(?:|nan|na|n\/a|null|none|\?|[-–—])$/i;

/**
 * Repairs of a delimited text whose lines differ in length, or with other contents in some cells of a numeric column; and, for a readable text, of
 * numbers with grouped digits and of numbers that look like codes of missing cells. Only repairs that lead to a readable table are returned.
 */
export async function repairsOf(bytes: Uint8Array, name: string): Promise<Repair[]> {
  const { text } = decodeText(bytes);
  const frequency = (mark: string) => text.slice(0, 4000).split(mark).length;
  const delimiter = [',', ';', '\t', '|'].reduce((a, b) => (frequency(b) > frequency(a) ? b : a));
  let rows: string[][];
  try {
    const options = { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true, comment: '#' } as const;
    rows = parse(text, { ...options, comment_no_infix: true, delimiter });
  } catch {
    return [];
  }
  if (rows.length === 0) return [];
  const found: Repair[] = [];
  const table = await parseTable(bytes, name, { allowMissing: true }).catch(() => undefined);
  const candidates =
    table === undefined
      ? (splitElsewhere(rows) ?? raggedRows(rows) ?? textAmongNumbers(rows, delimiter))
      : [...groupedDigits(rows, delimiter, textOf(table)), ...codes(rows, table.notes)];
  for (const [title, repaired] of candidates) {
    const written = repaired.map((cells) => cells.map((cell) => quoted(cell, delimiter)).join(delimiter)).join('\n');
    const repair = { title, bytes: new TextEncoder().encode(written) };
    const isRead = await parseTable(repair.bytes, name, { allowMissing: true }).then(
      () => true,
      () => false,
    );
    if (isRead) found.push(repair);
  }
  return found;
}

type Candidate = readonly [title: string, rows: string[][]];

/** Marks between cells that the reader does not try. */
const MARKS = [':', '~', '^', '&', '/'];

/** Candidate for lines of a single cell with another mark, as often in each; undefined if there is none. */
function splitElsewhere(rows: string[][]): Candidate[] | undefined {
  if (rows.some(({ length }) => length !== 1)) return undefined;
  const mark = MARKS.find((each) => {
    const counts = new Set(rows.map(([line]) => line!.split(each).length));
    return counts.size === 1 && !counts.has(1);
  });
  if (mark === undefined) return undefined;
  return [[`Split the lines at '${mark}'`, rows.map(([line]) => line!.split(mark).map((cell) => cell.trim()))]];
}

/** Candidate for lines of different lengths; undefined if all lines have the same number of cells. */
function raggedRows(rows: string[][]): Candidate[] | undefined {
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  if (counts.size < 2) return undefined;
  const [width, usual] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  const others = rows.filter(({ length }) => length !== width);
  const above = rows.findIndex(({ length }) => length === width);
  if (2 * usual <= rows.length) return [];
  // Lines of text above the names of the columns.
  if (above > 0) {
    if (rows[above]!.some((cell) => cell !== '' && Number.isFinite(Number(cell)))) return [];
    const below = rows.slice(above);
    const isWhole = others.length === above;
    const title = `Leave out ${above === 1 ? 'the line' : `the ${above} lines`} above the table`;
    return isWhole
      ? [[title, below]]
      : [
          [
            `${title}, and ${counted(others.length - above, 'line')} of another length`,
            below.filter(({ length }) => length === width),
          ],
        ];
  }
  const absent = others.reduce((sum, { length }) => sum + width - length, 0);
  return [
    [`Leave out ${counted(others.length, 'line')}`, rows.filter(({ length }) => length === width)],
    ...(others.every(({ length }) => length < width)
      ? [
          [
            `Treat ${counted(absent, 'absent cell')} as missing`,
            rows.map((cells) => [...cells, ...new Array<string>(width - cells.length).fill('')]),
          ] as const,
        ]
      : []),
  ];
}

function textAmongNumbers(rows: string[][], delimiter: string): Candidate[] {
  const [names, ...body] = rows as [string[], ...string[][]];
  const isNumber = (cell: string) => {
    const plain = cell.replace('−', '-');
    return Number.isFinite(Number(delimiter === ',' ? plain : plain.replace(',', '.')));
  };
  const places = names.flatMap((_, j) => {
    const present = body.flatMap((cells, i) => (MISSING.test(cells[j]!) ? [] : [i]));
    const wrong = present.filter((i) => !isNumber(body[i]![j]!));
    // Where most cells are text, the column is text.
    return 2 * wrong.length > present.length ? [] : wrong.map((i) => [i, j] as const);
  });
  if (places.length === 0) return [];
  const [inRows, inColumns] = [new Set(places.map(([i]) => i)), [...new Set(places.map(([, j]) => j))]];
  const emptied = body.map((cells) => [...cells]);
  for (const [i, j] of places) emptied[i]![j] = '';
  return [
    [`Treat ${counted(places.length, 'cell')} as missing`, [names, ...emptied]],
    [`Leave out ${counted(inRows.size, 'row')}`, [names, ...body.filter((_, i) => !inRows.has(i))]],
    ...(inColumns.length === 1
      ? [
          [
            `Leave out column '${names[inColumns[0]!]}'`,
            rows.map((cells) => cells.filter((_, j) => j !== inColumns[0])),
          ] as const,
        ]
      : []),
  ];
}

/** Numbers in groups of three digits: 1,234 or 1.234.567,8. */
const GROUPED = /^[-−]?\d{1,3}(?:([,. '\u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/;

/** Names of columns that the reader took for text, although they contain numbers. */
const textOf = ({ leftOut }: Awaited<ReturnType<typeof parseTable>>): ReadonlySet<string> =>
  new Set(leftOut.filter(({ reason }) => GROUPS.test(reason)).map(({ column }) => column));

/** Candidate that reads these columns as numbers with groups of three digits: 1,234 or 1.234.567,8. */
function groupedDigits(rows: string[][], delimiter: string, isText: ReadonlySet<string>): Candidate[] {
  const [names, ...body] = rows as [string[], ...string[][]];
  const marks = names.map((name, j) => {
    if (!isText.has(name)) return undefined;
    const present = body.map((cells) => cells[j] ?? '').filter((cell) => !MISSING.test(cell));
    const found = present.flatMap((cell) => GROUPED.exec(cell)?.[1] ?? []);
    const mark = found[0];
    const isNumber = (cell: string) => GROUPED.exec(cell)?.[1] === mark || /^[-−]?\d+(?:[.,]\d+)?$/.test(cell);
    return mark !== undefined && found.every((each) => each === mark) && present.every(isNumber) ? mark : undefined;
  });
  const first = marks.findIndex((mark) => mark !== undefined);
  if (first < 0) return [];
  const plain = (cell: string, mark: string) =>
    cell
      .replaceAll(mark, '')
      .replace('−', '-')
      .replace(',', delimiter === ',' ? '.' : ',');
  const repaired = body.map((cells) =>
    cells.map((cell, j) => (marks[j] === undefined || MISSING.test(cell) ? cell : plain(cell, marks[j]))),
  );
  const sample = body.map((cells) => cells[first]!).find((cell) => GROUPED.test(cell))!;
  const columns = names.filter((_, j) => marks[j] !== undefined).map((column) => `'${column}'`);
  return [
    [`Read ${columns.join(', ')} as numbers: ${sample} is ${plain(sample, marks[first]!)}`, [names, ...repaired]],
  ];
}

/** Candidate that treats suspicious numbers as missing cells. */
function codes([names, ...body]: string[][], notes: readonly string[]): Candidate[] {
  const listed = notes.flatMap((note) => /`missingValues: \[(.*?)\]`/.exec(note)?.[1] ?? [])[0];
  const suspected = [...(listed ?? '').matchAll(/'([^']*)'/g)].map(([, code]) => Number(code));
  if (suspected.length === 0) return [];
  const emptied = body.map((cells) =>
    cells.map((cell) => (cell !== '' && suspected.includes(Number(cell.replace('−', '-'))) ? '' : cell)),
  );
  return [[`Treat ${suspected.join(' and ').replaceAll('-', '−')} as missing`, [names!, ...emptied]]];
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
const quoted = (cell: string, delimiter: string) =>
  cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
