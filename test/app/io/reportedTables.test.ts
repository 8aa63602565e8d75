import {
  bool,
  dateDay,
  duration,
  fixedSizeList,
  float32,
  int64,
  list,
  tableFromArrays,
  tableToIPC,
  timeSecond,
  timestamp,
  utf8,
} from '@uwdata/flechette';
import { zipSync } from 'fflate';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { parseTable, type ReadTableOptions, readLabels } from '../../../src/app/io/index.ts';
import { temporaryFolder } from './folder.ts';

// Kinds of tables that users of other programs have reported as read wrongly.

const bytesOf = (text: string) => new TextEncoder().encode(text);
const parsed = (text: string, options: ReadTableOptions = {}, file = 't.csv') =>
  parseTable(bytesOf(text), file, options);
const rowsOf = async (text: string, options: ReadTableOptions = {}, file = 't.csv') =>
  (await parsed(text, options, file)).observations.toArrays();
const five = (cell: (i: number) => string) => [0, 1, 2, 3, 4].map((i) => `${cell(i)},${i * i},${7 - i}.5`).join('\n');

describe('lines that begin with #', () => {
  it('are rows below the first line of data', async () => {
    const { observations, ids } = await parsed('id,x,y\n#1,2,3\nb,4,1\n#3,5,9\n');
    expect(observations.toArrays()).toEqual([
      [2, 3],
      [4, 1],
      [5, 9],
    ]);
    expect(ids).toEqual(['#1', 'b', '#3']);
    expect((await parsed('x,y\n1,2\n#N/A,4\n', { allowMissing: true })).observations.row(1)[0]).toBeNaN();
  });

  it('are colors where labels are read', async () => {
    const file = temporaryFolder().write('labels.txt', '#ff0000\n#00ff00\n#0000ff\n');
    expect(await readLabels(file, { count: 3 })).toEqual(['#ff0000', '#00ff00', '#0000ff']);
  });

  it('contain names where their number fits', async () => {
    const { columns, notes } = await parsed('# mass speed\n1.5 2\n2.5 1\n0.5 4\n', {}, 't.txt');
    expect(columns).toEqual(['mass', 'speed']);
    expect(notes).toContain('Column names are taken from line 1, behind #.');
    const otu = await parsed('# made by a pipeline\n#OTU ID\tS1\tS2\na\t1\t2\nb\t3\t5\nc\t4\t4\n', {}, 't.tsv');
    expect([otu.columns, otu.idColumn, otu.ids]).toEqual([['S1', 'S2'], 'OTU ID', ['a', 'b', 'c']]);
    expect(otu.notes[0]).toMatch(/^2 lines that begin with # above the data are comments/);
  });
});

describe('decimal commas and points between thousands', () => {
  it.each([
    [
      'between blanks',
      '0,5 1,5\n2,5 3,7\n4,5 1,2\n',
      't.txt',
      [
        [0.5, 1.5],
        [2.5, 3.7],
        [4.5, 1.2],
      ],
    ],
    [
      'below names',
      'a b\n0,5 1,5\n2,5 3,7\n',
      't.txt',
      [
        [0.5, 1.5],
        [2.5, 3.7],
      ],
    ],
    [
      'beside whole numbers',
      '0,5 1,5 2\n2,5 3,7 1\n',
      't.txt',
      [
        [0.5, 1.5, 2],
        [2.5, 3.7, 1],
      ],
    ],
    ['alone on a line', '0,5\n0,7\n1,25\n', 't.txt', [[0.5], [0.7], [1.25]]],
  ])('%s', async (_, text, file, expected) => {
    expect(await rowsOf(text, {}, file)).toEqual(expected);
  });

  it('are refused where both readings are possible, with remedies that work', async () => {
    const points = 'a;b\n340;12.500\n987;1.234\n1.250;8\n';
    await expect(parsed(points)).rejects.toThrow(
      /'12\.500', whose point may be a decimal mark or a thousands separator/,
    );
    expect(await rowsOf(points, { thousands: '.' })).toEqual([
      [340, 12500],
      [987, 1234],
      [1250, 8],
    ]);
    expect((await rowsOf(points, { decimal: '.' }))[0]).toEqual([340, 12.5]);
    const commas = 'city;people\na;1,234\nb;988\n';
    await expect(parsed(commas)).rejects.toThrow(/'1,234', whose comma/);
    expect(await rowsOf(commas, { thousands: ',' })).toEqual([[1234], [988]]);
  });
});

describe('written numbers', () => {
  it.each([
    ['Fortran exponents', (i: number) => `${i}.5D+01`, (i: number) => 10 * (i + 0.5)],
    ['Fortran exponents of three digits', (i: number) => `${i + 1}.5-101`, (i: number) => Number(`${i + 1}.5e-101`)],
    ['brackets', (i: number) => (i % 2 ? `(${i}.5)` : `${i}.5`), (i: number) => (i % 2 ? -i - 0.5 : i + 0.5)],
    ['minus signs behind', (i: number) => (i % 2 ? `${i}.5-` : `${i}.5`), (i: number) => (i % 2 ? -i - 0.5 : i + 0.5)],
    ['powers of ten', (i: number) => `${i + 1}.5x10^2`, (i: number) => 100 * (i + 1.5)],
    ['one unit', (i: number) => `${i}.5kg`, (i: number) => i + 0.5],
    ['one unit behind a blank', (i: number) => `${i}.5 kg`, (i: number) => i + 0.5],
    ["a spreadsheet's mark", (i: number) => `'${i}.5`, (i: number) => i + 0.5],
    ['clock times', (i: number) => `${i}:10.5`, (i: number) => 60 * i + 10.5],
  ])('with %s are read, with a note', async (_, cell, value) => {
    const { observations, notes, ids } = await parsed(`a,b,c\n${five(cell)}\n`);
    expect(Array.from(observations.column(0))).toEqual([0, 1, 2, 3, 4].map(value));
    const first = [0, 1, 2, 3, 4].find((i) => cell(i) !== `${i}.5`)!;
    expect(notes[0]).toContain(`'${cell(first)}' is read as ${value(first)}`);
    expect(ids).toBeUndefined();
  });

  it('may contain typeset minus signs in exponents', async () => {
    expect((await rowsOf(`a,b,c\n${five((i) => `8.5e\u2212${i}`)}\n`))[2]![0]).toBe(0.085);
  });

  it.each([
    ['brackets in all cells', (i: number) => `(${i}.65)`, 'Write a minus sign, as in -6.65'],
    ['errors', (i: number) => `4.6${i}±0.1`, 'Put the value and its error into separate columns'],
    ['bounds', (i: number) => (i % 2 ? `<${i}.5` : `${i}.5`), 'Write a number, or leave the cell empty'],
  ])('with %s are refused, with the position and the remedy', async (_, cell, remedy) => {
    const reading = parsed(`a,b,c\n${five(cell)}\n`);
    const first = [0, 1, 2, 3, 4].find((i) => cell(i) !== `${i}.5`)!;
    await expect(reading).rejects.toThrow(`line ${first + 2}, column 'a' contains '${cell(first)}'`);
    await expect(reading).rejects.toThrow(remedy);
  });

  it('in different units are left out, and name no points', async () => {
    const { ids, leftOut } = await parsed(`a,b,c\n${five((i) => `${i}.5${i === 3 ? 'g' : 'kg'}`)}\n`);
    expect(ids).toBeUndefined();
    expect(leftOut[0]).toMatchObject({ column: 'a', reason: expect.stringContaining('all with the same one') });
  });

  it('keep their leading zeros where a formula marks them as text', async () => {
    const { ids, notes } = await parsed('id,b,c\n="00100",1,2.5\n="00101",4,1.5\n="00102",2,0.5\n');
    expect(ids).toEqual(['00100', '00101', '00102']);
    expect(notes[0]).toContain('keeps as text');
  });

  it('that no double is near are missing, as compilers write them', async () => {
    const { observations, notes } = await parsed('a,b\n1,-1.#IND\n1.#QNAN,2\n3,5\n', { allowMissing: true });
    expect(observations.toArrays()).toEqual([
      [1, Number.NaN],
      [Number.NaN, 2],
      [3, 5],
    ]);
    expect(notes).toEqual(["2 of 6 entries are missing: '1.#QNAN', '-1.#IND'."]);
  });
});

describe('whole numbers beyond 2⁵³', () => {
  it('are ids where none comes twice', async () => {
    const rows = [3, 4, 5, 6, 7].map((last) => `155655957314159265${last},${last}.5,${last % 3}`);
    const { ids, columns } = await parsed(`stamp,a,b\n${rows.join('\n')}\n`);
    expect(columns).toEqual(['a', 'b']);
    expect(ids).toEqual(rows.map((row) => row.slice(0, 19)));
  });

  it('are refused as observations and as times', async () => {
    const text = 't,x\n1556559573141592653,1\n1556559573141592654,2\n';
    await expect(parsed(text)).rejects.toThrow(
      /'1556559573141592653'.*[Dd]oubles represent whole numbers only up to 2⁵³/,
    );
    await expect(parsed(text, { time: 't' })).rejects.toThrow(/Subtract a common start/);
    expect((await parsed(text, { id: 't' })).ids).toEqual(['1556559573141592653', '1556559573141592654']);
  });
});

describe('codes of missing values', () => {
  it('are an option that the error names', async () => {
    const text = 'x,y\n1,2\n.,3\n4,5\n';
    await expect(parsed(text)).rejects.toThrow(/line 3, column 'x' contains '\.'.*`missingValues: \['\.'\]`/);
    const { observations } = await parsed(text, { missingValues: ['.'], allowMissing: true });
    expect(Array.from(observations.column(0))).toEqual([1, Number.NaN, 4]);
  });

  it('among numbers are noted', async () => {
    const text = 'rain,temp\n-999,3.5\n6.8,4\n7.4,2\n12.5,1\n-999,2\n';
    const { notes } = await parsed(text);
    expect(notes[0]).toMatch(/'rain' contains -999 2 times, far from its other numbers.*`missingValues: \['-999'\]`/);
    const coded = await parsed(text, { missingValues: [-999], allowMissing: true });
    expect(coded.observations.row(0)[0]).toBeNaN();
    expect(coded.notes).toEqual(["2 of 10 entries are missing: '-999'."]);
  });

  it('keep a class called NA where other codes are set', async () => {
    const text = 'kind,x,y\nNA,1,2\nEU,2,4\nNA,3,1\n';
    const usual = await parsed(text, { labels: 0 });
    expect(usual.labels).toEqual(['', 'EU', '']);
    expect(usual.notes[0]).toMatch(/2 labels of 'kind' are missing: 'NA'.*`missingValues: \[\]`/);
    expect((await parsed(text, { labels: 0, missingValues: [] })).labels).toEqual(['NA', 'EU', 'NA']);
  });
});

describe('names and lines above them', () => {
  it('may be years, for labels by number too', async () => {
    for (const labels of [0, 'kind']) {
      const table = await parsed('kind,2019,2020\na,1,2\nb,3,5\na,2,2\n', { labels });
      expect([table.columns, table.labels]).toEqual([
        ['2019', '2020'],
        ['a', 'b', 'a'],
      ]);
      expect(table.observations.rows).toBe(3);
    }
  });

  it('are located below titles and notes, which are noted', async () => {
    const one = await parsed('Station,Hilltop\nday,temp,co2\n1,2.5,400\n3,2.7,401\n4,1.9,399\n');
    expect([one.columns, one.observations.rows]).toEqual([['day', 'temp', 'co2'], 3]);
    expect(one.notes[0]).toMatch(
      /^1 line above the table is left out: line 1, from "Station, Hilltop" \(set their number with `skip`/,
    );
    const bank =
      '"Account:","10306",\n\n"From:","01.01.2012",\n"Text","Amount","Rate"\n"t","13.96","5.08"\n"u","9.5","7.1"\n';
    expect((await parsed(bank)).columns).toEqual(['Amount', 'Rate']);
    expect((await parsed(bank, { skip: 3 })).columns).toEqual(['Amount', 'Rate']);
  });
});

describe('text', () => {
  it('is UTF-8 but for one bad byte, which is named', async () => {
    const bytes = bytesOf('Größe,y,note\n1,2,a\n3,5,b\n4,4,?\n');
    bytes[bytes.lastIndexOf(63)] = 0xe9;
    const { columns, notes } = await parseTable(bytes, 't.csv');
    expect(columns).toEqual(['Größe', 'y']);
    expect(notes[0]).toBe("1 byte is not valid UTF-8: byte 32 (0xe9, line 4); '\ufffd' stands for it.");
  });

  it('may contain quotes within a cell', async () => {
    const { ids, columns } = await parsed(
      'size;flow;loss\n1" pipe;7.5;1\n2" pipe;7.25;4\n3" pipe;4.5;2\n4" pipe;1.5;3\n5" pipe;2.5;0\n',
    );
    expect([columns, ids?.[1]]).toEqual([['flow', 'loss'], '2" pipe']);
  });
});

describe('columnar files', () => {
  const when = [0, 1, 2, 3].map((i) => new Date(Date.UTC(2024, 2, 1 + i, 12)));
  const days = when.map((date) => Number(date) / 86_400_000);

  it('give dates as text files do, and times in days', async () => {
    const arrow = tableToIPC(
      tableFromArrays(
        { when, day: when, took: [55, 46, 63, 80], at: [0, 60, 120, 3600], x: [2.5, 1, 4, 3] },
        { types: { when: timestamp(2), day: dateDay(), took: duration(0), at: timeSecond() } },
      ),
      { format: 'file' },
    )!;
    const parquet = new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'when', data: when, type: 'TIMESTAMP' },
          { name: 'x', data: [2.5, 1, 4, 3], type: 'DOUBLE' },
        ],
      }),
    );
    const csv = bytesOf(
      `when,x\n${when.map((date, i) => `${date.toISOString().slice(0, 19)},${[2.5, 1, 4, 3][i]}`).join('\n')}\n`,
    );
    for (const [file, bytes] of [
      ['t.arrow', arrow],
      ['t.parquet', parquet],
      ['t.csv', csv],
    ] as const) {
      const { time, observations, columns, notes } = await parseTable(bytes, file, { time: 'when' });
      expect(Array.from(time!.data), file).toEqual(days);
      expect(Array.from(observations.column(columns.indexOf('x'))), file).toEqual([2.5, 1, 4, 3]);
      expect(columns, file).not.toContain('day');
      if (file !== 't.arrow') continue;
      expect(Array.from(observations.column(columns.indexOf('took')))).toEqual([55, 46, 63, 80]);
      expect(notes).toEqual([
        "'took' contains durations, which are read in seconds.",
        "'at' contains clock times, which are read in seconds.",
      ]);
      const clock = await parseTable(bytes, file, { time: 'at' });
      expect(Array.from(clock.time!.data)).toEqual([0, 60, 120, 3600].map((second) => second / 86_400));
    }
  });

  it('give lists of equally many numbers as columns, and leave others out', async () => {
    const table = tableFromArrays(
      {
        id: [1n, 2n, 3n],
        vector: [
          [0.5, 1],
          [2, 3],
          [4, 5.5],
        ],
        ragged: [[1], [2, 3], []],
        words: [['a'], ['b'], ['c']],
        on: [true, false, null],
      },
      {
        types: {
          id: int64(),
          vector: fixedSizeList(float32(), 2),
          ragged: list(float32()),
          words: list(utf8()),
          on: bool(),
        },
      },
    );
    const { columns, observations, ids, leftOut, notes } = await parseTable(
      tableToIPC(table, { format: 'file' })!,
      't.arrow',
      {
        allowMissing: true,
      },
    );
    expect(columns).toEqual(['vector[0]', 'vector[1]', 'on']);
    expect(observations.toArrays()).toEqual([
      [0.5, 1, 1],
      [2, 3, 0],
      [4, 5.5, Number.NaN],
    ]);
    expect(ids).toEqual(['1', '2', '3']);
    expect(leftOut.slice(1)).toEqual([
      { column: 'ragged', reason: 'contains lists of different lengths' },
      { column: 'words', reason: 'contains lists of other values than numbers' },
    ]);
    expect(notes[0]).toContain("'vector' contains lists of 2 numbers");
  });
});

describe('archives of NumPy', () => {
  const npy = (descr: string, shape: string, data: Uint8Array) => {
    const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
    const header = `${text.padEnd(117)}\n`;
    return new Uint8Array([0x93, ...bytesOf('NUMPY'), 1, 0, header.length, 0, ...bytesOf(header), ...data]);
  };
  const doubles = (...values: number[]) => new Uint8Array(Float64Array.from(values).buffer);
  const whole = (...values: number[]) => new Uint8Array(Int32Array.from(values).buffer);

  it('yield the requested array among objects and complex numbers, which are noted', async () => {
    const bytes = zipSync({
      'X.npy': npy('<f8', '(2, 2)', doubles(1.5, 2, 3, 4)),
      'names.npy': npy('|O', '(2,)', new Uint8Array(16)),
      'spectrum.npy': npy('<c16', '(2,)', doubles(1, 2, 3, 4)),
    });
    for (const options of [{}, { array: 'X' }]) {
      const { observations, notes } = await parseTable(bytes, 't.npz', options);
      expect(observations.toArrays()).toEqual([
        [1.5, 2],
        [3, 4],
      ]);
      expect(notes.slice(1)).toEqual([
        expect.stringMatching(/^Left out: 't\.npz:names' contains Python objects/),
        expect.stringMatching(/^Left out: 't\.npz:spectrum' contains complex numbers/),
      ]);
    }
    await expect(parseTable(bytes, 't.npz', { array: 'names' })).rejects.toThrow('contains Python objects');
  });

  it.each(['csr', 'csc', 'coo'])('give a sparse matrix of SciPy: %s', async (format) => {
    const parts = {
      csr: { indptr: whole(0, 2, 3), indices: whole(0, 2, 1) },
      csc: { indptr: whole(0, 1, 2, 3), indices: whole(0, 1, 0) },
      coo: { row: whole(0, 0, 1), col: whole(0, 2, 1) },
    }[format]!;
    const values = format === 'csc' ? [5, 7, 6] : [5, 6, 7];
    const bytes = zipSync({
      ...Object.fromEntries(
        Object.entries(parts).map(([name, data]) => [`${name}.npy`, npy('<i4', `(${data.length / 4},)`, data)]),
      ),
      'format.npy': npy('|S3', '()', bytesOf(format)),
      'shape.npy': npy('<i4', '(2,)', whole(2, 3)),
      'data.npy': npy('<f8', '(3,)', doubles(...values)),
    });
    const { observations, notes } = await parseTable(bytes, 't.npz');
    expect(observations.toArrays()).toEqual([
      [5, 0, 6],
      [0, 7, 0],
    ]);
    expect(notes).toEqual([`A sparse matrix of SciPy (${format}) is read with its zeros.`]);
  });

  it('give dates as text', async () => {
    const bytes = zipSync({
      'X.npy': npy('<f8', '(2, 1)', doubles(1.5, 2)),
      'when.npy': npy('<M8[h]', '(2,)', new Uint8Array(BigInt64Array.of(36n, 48n).buffer)),
    });
    expect(Array.from((await parseTable(bytes, 't.npz', { time: 'when' })).time!.data)).toEqual([1.5, 2]);
  });
});
