import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTable, type ReadTableOptions, readMatchingTable, type Table } from '../../../src/app/io/index.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { temporaryFolder } from './folder.ts';

const read = (text: string, name = 'table.csv', options: ReadTableOptions = {}) =>
  parseTable(new TextEncoder().encode(text), name, {
    ...{ allowMissing: true, keepCells: true, categories: 'auto' },
    ...options,
  });

/** Values by column name, the same in each row. */
const values = ({ observations, columns }: Table, byName: Readonly<Record<string, number>>) =>
  observations.map((_, __, j) => byName[columns[j]!] ?? 0);

const MIXED = [
  'customer,joined,age,plan,active,share,ride,currency,balance',
  'C1,2024-01-01,31.50,"pro, big",TRUE,75.8 %,4:16:00,EUR,1.0',
  'C2,,,basic,,28 %,0:00:07,EUR,(2.50)',
  'C3,2024-01-03,45.0,,FALSE,,,EUR,',
  'C4,2024-01-09,52,basic,TRUE,60.9 %,3:28:22,EUR,12',
  'C5,2024-01-10,28.1,"pro, big",FALSE,19.9 %,4:19:04,EUR,3',
  'C6,2024-01-11,30,"pro, big",FALSE,19.9 %,4:19:04,EUR,(1)',
  'C7,2024-01-12,29,basic,FALSE,19.8 %,4:19:05,EUR,7',
].join('\n');

describe('a table with its missing entries filled in', () => {
  it('has the columns, the order, the header and the cells of its file, with filled entries in the form of their columns', async () => {
    const table = await read(`# exported\n${MIXED}\n`);
    const filled = values(table, {
      ...{
        age: 40.25,
        active: 0.4,
        share: 33.5,
        ride: 3723.5,
        balance: -4.75,
        'plan=basic': 0.4,
        'plan=pro, big': 0.6,
      },
    });
    const expected = MIXED.replace('C2,,,basic,,', 'C2,,40.25,basic,FALSE,')
      .replace('45.0,,', '45.0,"pro, big",')
      .replace('FALSE,,,EUR,\n', 'FALSE,33.5 %,1:02:03.500,EUR,(4.75)\n');
    expect(table.completedText!(filled)).toBe(`${expected}\n`);
    expect(table.completedText!(filled, 'tsv').split('\n')[1]).toBe(
      'C1\t2024-01-01\t31.50\t"pro, big"\tTRUE\t75.8 %\t4:16:00\tEUR\t1.0'.replace('"pro, big"', 'pro, big'),
    );
  });

  it('keeps decimal commas, semicolons and lines without names', async () => {
    const table = await read('1,5;2,25\n;3,5\n4,5;\n', 'numbers.csv');
    expect(
      table.completedText!([
        [0, 0],
        [2.125, 0],
        [0, 1e-7],
      ]),
    ).toBe('1,5;2,25\n2,125;3,5\n4,5;1e-7\n');
  });

  it('has the columns that a file lacks of a fit behind those that it has, a category by its labels', async () => {
    const { write } = temporaryFolder();
    const file = write('part.csv', 'height,id\n,a\n1.5,b\n');
    const known = {
      columns: ['age', 'height', 'plan=basic', 'plan=pro'],
      isNamed: true,
      others: ['id', 'plan'],
      idColumn: 'id',
    };
    const options = { allowMissing: true, allowAbsent: true, keepCells: true };
    const { completedText } = await readMatchingTable(file, known, options);
    const filled = [
      [30, 1.75, 0.2, 0.8],
      [41, 9, 0.7, 0.3],
    ];
    expect(completedText!(filled)).toBe('height,id,age,plan\n1.75,a,30,pro\n1.5,b,41,basic\n');
    expect(() => completedText!([[1, 2]])).toThrow(InvalidInputError);
  });

  it('leaves a category missing that is fitted by some of its levels, where the other levels are more probable', async () => {
    const text = 'x,kind\n1,a\n2,b\n4,c\n3.5,a\n2.5,b\n1.5,c\n7,\n6,a\n5,b\n9,c\n8,\n';
    const table = await read(text, 't.csv', { columns: ['x', 'kind=a'] });
    const filled = table.observations.map((_, i, j) => (j === 1 && i === 6 ? 0.3 : 0.6));
    expect(table.completedText!(filled)).toBe(text.replace('8,\n', '8,a\n'));
  });
});

const cell = {
  number: fc.integer({ min: -2000, max: 20000 }).map((n) => (n / 100).toFixed(2)),
  whole: fc.integer({ min: 0, max: 12 }).map(String),
  category: fc.constantFrom('oil', 'gas; wet', 'say "so"', '#1', 'a, b'),
  truth: fc.constantFrom('true', 'false'),
  percent: fc.integer({ min: 1, max: 999 }).map((n) => `${n / 10} %`),
  date: fc.integer({ min: 10, max: 28 }).map((day) => `2024-02-${day}`),
  word: fc.constantFrom('note one', 'note two', 'see file'),
};
type Kind = keyof typeof cell;
const HOLED: readonly Kind[] = ['number', 'whole', 'category', 'truth', 'percent', 'date', 'word'];

const columnOf = (kind: Kind, rows: number) =>
  fc.record({
    kind: fc.constant(kind),
    cells: fc.array(fc.tuple(cell[kind], fc.integer({ min: 0, max: 9 })), { minLength: rows, maxLength: rows }),
  });
const tables = fc.integer({ min: 8, max: 30 }).chain((rows) =>
  fc.record({
    rows: fc.constant(rows),
    columns: fc
      .array(fc.constantFrom(...HOLED), { minLength: 1, maxLength: 6 })
      .chain((kinds) => fc.tuple(columnOf('number', rows), ...kinds.map((kind) => columnOf(kind, rows)))),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    hasIds: fc.boolean(),
    missing: fc.constantFrom('', 'NA', '?'),
    values: fc.array(fc.double({ min: 0.01, max: 11, noNaN: true }), { minLength: 20, maxLength: 20 }),
  }),
);

it('observed cells of generated tables come back as the same text, no other cell changes, and the columns have the same roles', async () => {
  let [filledIn, kept] = [0, 0];
  await fc.assert(
    fc.asyncProperty(tables, async ({ rows, columns, delimiter, hasIds, missing, values: some }) => {
      const quoted = (text: string) => (/[",;|\t]|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const all = Array.from({ length: rows }, (_, i) => [
        ...(hasIds ? [`P${i}`] : []),
        ...columns.map((column) => (column.cells[i]![1] === 0 ? missing : column.cells[i]![0])),
      ]);
      // Lines of empty cells are left out, with a note.
      const cells = all.filter((row) => row.some((one) => one !== ''));
      // A column with one value may be constant once it is filled in.
      fc.pre(all[0]!.every((_, j) => new Set(cells.map((row) => row[j]).filter((one) => one !== missing)).size > 1));
      const names = [...(hasIds ? ['sample'] : []), ...columns.map(({ kind }, j) => `${kind} ${j}`)];
      const text = [names, ...cells].map((row) => `${row.map(quoted).join(delimiter)}\n`).join('');
      const table = await read(text, delimiter === '\t' ? 't.tsv' : 't.csv').catch((error: unknown) => error);
      if (table instanceof InvalidInputError) return;
      const { observations, completedText, ...roles } = table as Table;
      const filled = observations.map((_, i, j) => some[(i + 3 * j) % some.length]!);
      const written = completedText!(filled);
      const again = await read(written);
      expect(again.columns).toEqual(roles.columns);
      expect([again.ids, again.idColumn]).toEqual([roles.ids, roles.idColumn]);
      expect(again.leftOut.map(({ column }) => column)).toEqual(roles.leftOut.map(({ column }) => column));
      expect(again.observations.data.some(Number.isNaN)).toBe(false);
      const [header, ...lines] = parse(completedText!(filled, 'tsv'), { delimiter: '\t' }) as string[][];
      expect(header).toEqual(names);
      for (const [i, row] of cells.entries()) {
        const found = lines[i]!;
        for (const [j, before] of row.entries()) {
          const isObserved = roles.columns.some((name) => name === names[j] || name.startsWith(`${names[j]!}=`));
          if (before !== missing || !isObserved) {
            expect(found[j]).toBe(before);
            kept++;
          } else {
            expect(found[j]).not.toBe(missing);
            filledIn++;
          }
        }
      }
    }),
    { numRuns: 400, seed: 7 },
  );
  expect(filledIn).toBeGreaterThan(1000);
  expect(kept).toBeGreaterThan(10_000);
});
