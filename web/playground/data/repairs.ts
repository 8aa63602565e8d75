import { parse } from 'csv-parse/browser/esm/sync';
import { parseTable } from 'latentfield/io';
import { decodeText } from '../../../src/app/io/textDecoding.ts';
import { AMONG, GROUPS } from './dataset.ts';
import { datesOf, GROUPED, MISSING, partsOf, SUMS, unitOf, wordsAmong } from './writtenCells.ts';

/** Way to read a table that cannot be read unchanged. */
export interface Repair {
  readonly title: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Repairs of a delimited text whose lines differ in length, or with other contents in some cells of a numeric column; and, for a readable text, of
 * numbers with grouped digits or with a word for missing cells among them, of dates in other forms than ISO 8601, of a last row of sums, and of numbers
 * that look like codes of missing cells. Only repairs that lead to a readable table are returned. Repairs that the text needs once it is readable are
 * part of the first repair that makes it readable.
 */
export async function repairsOf(bytes: Uint8Array, name: string): Promise<Repair[]> {
  const { text } = decodeText(bytes);
  // Commas may be decimal commas, and outnumber the delimiter: that has the same number in most lines.
  const lines = text.slice(0, 4000).split('\n');
  const alike = (mark: string) => {
    const counts = lines.map((line) => line.split(mark).length - 1).filter((count) => count > 0);
    return Math.max(0, ...counts.map((count) => counts.filter((other) => other === count).length));
  };
  const most = [';', ',', '\t', '|'].reduce((a, b) => (alike(b) > alike(a) ? b : a));
  const delimiter = alike(most) > 0 ? most : ',';
  let rows: string[][];
  try {
    const options = { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true, comment: '#' } as const;
    rows = withoutTitles(parse(text, { ...options, comment_no_infix: true, delimiter }));
  } catch {
    return [];
  }
  if (rows.length === 0) return [];
  const readAs = (read: Uint8Array) => parseTable(read, name, { allowMissing: true }).catch(() => undefined);
  const written = (repaired: string[][]) =>
    new TextEncoder().encode(
      repaired.map((cells) => cells.map((cell) => quoted(cell, delimiter)).join(delimiter)).join('\n'),
    );
  const found: Repair[] = [];
  const add = async ([title, repaired]: Candidate) => {
    const repair = { title, bytes: written(repaired) };
    const isRead = (await readAs(repair.bytes)) !== undefined;
    if (isRead) found.push(repair);
    return isRead;
  };
  const table = await readAs(bytes);
  if (table !== undefined) {
    const { each, together } = repairsOfRead(headed(rows, table), delimiter, table);
    for (const one of each.length < 2 ? each : [['Do all of these', together] as const, ...each]) await add(one);
    return found;
  }
  for (const candidate of splitElsewhere(rows) ?? raggedRows(rows) ?? withoutSums(rows, delimiter)) {
    const titles = [candidate[0]];
    let lines = candidate[1];
    let read = await readAs(written(lines));
    // Lines of the same length may still have sums below them, or text among their numbers.
    for (const way of [
      lastSums,
      (of: string[][]) => textAmongNumbers(of, delimiter).filter(([, { length }]) => length > 2),
    ]) {
      const [next] = read === undefined ? way(lines) : [];
      if (next === undefined) continue;
      titles.push(next[0]);
      lines = next[1];
      read = await readAs(written(lines));
    }
    if (read === undefined) continue;
    // Repairs of the table that is then readable are offered in the same step.
    const { each, together } = repairsOfRead(headed(lines, read), delimiter, read);
    if (each.length > 0) await add([joined([...titles, ...each.map(([more]) => more)]), together]);
    if (each.length === 0 || found.length < 2) await add([joined(titles), lines]);
  }
  return found;
}

/** Candidates for text among numbers, without a last row of sums, whose cells may be text in the same way. */
function withoutSums(rows: string[][], delimiter: string): Candidate[] {
  const [sums] = lastSums(rows);
  if (sums === undefined) return textAmongNumbers(rows, delimiter);
  const [title, lines] = sums;
  const found = textAmongNumbers(lines, delimiter);
  return found.length === 0 ? [sums] : found.map(([more, repaired]) => [joined([title, more]), repaired]);
}

/** Lines without those above the table that contain one text and are filled with empty cells, which the reader leaves out too. */
function withoutTitles(rows: string[][]): string[][] {
  const start = rows.findIndex((cells) => cells.length < 3 || cells.filter((cell) => cell !== '').length > 1);
  return rows.slice(Math.max(0, start));
}

/** Titles in one: 'Leave out 1 line; treat 2 cells as missing; read …'. */
const joined = (titles: readonly string[]) =>
  titles.map((title, i) => (i === 0 ? title : `${title[0]!.toLowerCase()}${title.slice(1)}`)).join('; ');

type Candidate = readonly [title: string, rows: string[][]];

type Table = Awaited<ReturnType<typeof parseTable>>;

/** Lines of a readable table from the names of its columns on. */
function headed(rows: string[][], { columns, leftOut }: Table): string[][] {
  const known = new Set([...columns, ...leftOut.map(({ column }) => column)]);
  const at = rows.findIndex((cells) => cells.filter((cell) => known.has(cell)).length >= Math.min(2, cells.length));
  return rows.slice(Math.max(0, at));
}

/** Repairs of a readable table one by one, and its lines after all of them. */
function repairsOfRead(rows: string[][], delimiter: string, table: Table) {
  const ways = [
    lastSums,
    (lines: string[][]) => groupedDigits(lines, delimiter, textOf(table)),
    (lines: string[][]) => wordsAmongNumbers(lines, delimiter, table),
    (lines: string[][]) => writtenDates(lines, table),
    (lines: string[][]) => codes(lines, table.notes),
  ];
  const each = ways.flatMap((way) => way(rows));
  const together = ways.reduce((lines, way) => way(lines)[0]?.[1] ?? lines, rows);
  return { each, together };
}

/** Candidate without a last row of sums. */
function lastSums(rows: string[][]): Candidate[] {
  const word = rows.at(-1)!.find((cell) => cell !== '');
  if (rows.length < 4 || word === undefined || !SUMS.test(word)) return [];
  return [[`Leave out the last row, '${word}'`, rows.slice(0, -1)]];
}

/** Candidate that treats the few words in columns of numbers as missing cells. */
function wordsAmongNumbers([names, ...body]: string[][], delimiter: string, { columns }: Table): Candidate[] {
  const words = names!.map((name, j) =>
    columns.includes(name) ? undefined : wordsAmong(body.map((cells) => cells[j] ?? '')),
  );
  const first = words.findIndex((each) => each !== undefined);
  if (first < 0) return [];
  const emptied = body.map((cells) => cells.map((cell, j) => (words[j]?.includes(cell) ? '' : cell)));
  const all = new Set(names!.filter((_, j) => words[j] !== undefined));
  const read = groupedDigits([names!, ...emptied], delimiter, all)[0]?.[1] ?? [names!, ...emptied];
  const listed = [...new Set(words.flatMap((each) => each ?? []))].map((word) => `'${word}'`).join(', ');
  return [[`Treat ${listed} in ${[...all].map((column) => `'${column}'`).join(', ')} as missing`, read]];
}

/** Candidate with dates in ISO 8601. */
function writtenDates([names, ...body]: string[][], { columns }: Table): Candidate[] {
  const dates = names!.map((name, j) =>
    columns.includes(name) ? undefined : datesOf(body.map((cells) => cells[j] ?? '')),
  );
  const first = dates.findIndex((each) => each !== undefined);
  if (first < 0) return [];
  const row = dates[first]!.findIndex((cell) => cell !== '');
  const all = names!.filter((_, j) => dates[j] !== undefined).map((column) => `'${column}'`);
  return [
    [
      `Read ${all.join(', ')} as dates: ${body[row]![first]} is ${dates[first]![row]}`,
      [names!, ...body.map((cells, i) => cells.map((cell, j) => dates[j]?.[i] ?? cell))],
    ],
  ];
}

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
  if (places.length === 0) return groupedDigits(rows, delimiter, new Set(names));
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

/** Names of columns that the reader took for text, although they contain numbers. */
const textOf = ({ leftOut }: Awaited<ReturnType<typeof parseTable>>): ReadonlySet<string> =>
  new Set(leftOut.filter(({ reason }) => GROUPS.test(reason) || AMONG.test(reason)).map(({ column }) => column));

/**
 * Candidate that reads these columns as numbers with groups of three digits: 1,234 or 1.234.567,8. Other columns whose numbers may be in the same groups are
 * too: a table has one mark for thousands.
 */
function groupedDigits(rows: string[][], delimiter: string, isText: ReadonlySet<string>): Candidate[] {
  const [names, ...body] = rows as [string[], ...string[][]];
  const possible = names.map((_, j) => {
    const present = body.map((cells) => cells[j] ?? '').filter((cell) => !MISSING.test(cell));
    const numbers = present.map((cell) => partsOf(cell)?.[1]);
    const found = numbers.flatMap((number) => GROUPED.exec(number ?? '')?.[1] ?? []);
    const mark = found[0];
    // With points between thousands, 12.5 would become 125.
    const isPlain = (number: string | undefined) =>
      number !== undefined && (GROUPED.exec(number)?.[1] === mark || !number.includes(mark!));
    const areAlike = found.every((each) => each === mark) && new Set(present.map(unitOf)).size === 1;
    return mark !== undefined && areAlike && numbers.every(isPlain) ? mark : undefined;
  });
  const known = new Set(possible.filter((_, j) => isText.has(names[j]!)));
  const marks = possible.map((mark) => (known.has(mark) ? mark : undefined));
  const first = marks.findIndex((mark) => mark !== undefined);
  if (first < 0) return [];
  const plain = (cell: string, mark: string) => {
    const [currency, number, unit] = partsOf(cell)!;
    const digits = number.replaceAll(mark, '').replace('−', '-');
    return `${currency}${digits.replace(',', delimiter === ',' ? '.' : ',')}${unit}`;
  };
  const repaired = body.map((cells) =>
    cells.map((cell, j) => (marks[j] === undefined || MISSING.test(cell) ? cell : plain(cell, marks[j]))),
  );
  const sample = body.map((cells) => cells[first]!).find((cell) => GROUPED.test(partsOf(cell)?.[1] ?? ''))!;
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
