import { parse } from 'csv-parse/browser/esm/sync';
import { parseTable } from 'latentfield/io';

/** A way to read a table that cannot be read as it is. */
export interface Repair {
  readonly title: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const MISSING = /^(?:|nan|na|n\/a|null|none|\?|[-–—])$/i;

/**
 * What can be done with a delimited text of which some lines differ in length, or some cells of a column of numbers hold something else. Only what
 * leads to a table that can be read.
 */
export async function repairsOf(bytes: Uint8Array, name: string): Promise<Repair[]> {
  const text = new TextDecoder().decode(bytes);
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
  for (const [title, repaired] of raggedRows(rows) ?? textAmongNumbers(rows, delimiter)) {
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

/** undefined where all lines have as many cells. */
function raggedRows(rows: string[][]): Candidate[] | undefined {
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  if (counts.size < 2) return undefined;
  const [width, usual] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  const others = rows.filter(({ length }) => length !== width);
  if (2 * usual <= rows.length || rows[0]!.length !== width) return [];
  const absent = others.reduce((sum, { length }) => sum + width - length, 0);
  return [
    [`Leave out ${counted(others.length, 'line')}`, rows.filter(({ length }) => length === width)],
    ...(others.every(({ length }) => length < width)
      ? [
          [
            `Take ${counted(absent, 'absent cell')} as missing`,
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
    [`Take ${counted(places.length, 'cell')} as missing`, [names, ...emptied]],
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

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
const quoted = (cell: string, delimiter: string) =>
  cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
