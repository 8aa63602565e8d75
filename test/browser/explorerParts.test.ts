import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { parseTable } from '../../src/app/io/index.ts';
import { fit, gplvm, Matrix, ppca, seededRandom } from '../../src/index.ts';
import { namedModels } from '../../src/models/index.ts';
import { dividesColumns } from '../../src/models/savedFit.ts';
import { type Dataset, rowView } from '../../web/playground/data/dataset.ts';
import { repairsOf } from '../../web/playground/data/repairs.ts';
import { byLabels, contrastOf, PALETTES, type Theme } from '../../web/playground/drawing/colors.ts';
import { namesOf } from '../../web/playground/drawing/names.ts';
import { withoutOptions } from '../../web/playground/fitSummary.ts';
import { isUnlikely, likenessOf } from '../../web/playground/likeness.ts';
import { nearestRows } from '../../web/playground/neighbors.ts';
import { rowsFound } from '../../web/playground/search.ts';
import { MODELS, modelsWith, withNeeded } from '../../web/playground/settings.ts';

describe('how rows are shown when only their columns are known', () => {
  it('is value by value, however many columns there are', () => {
    const genes = Array.from({ length: 64 }, (_, j) => `gene${j}`);
    expect(rowView(genes)).toEqual({ kind: 'values' });
    expect(rowView(['height', 'width', 'weight'])).toEqual({ kind: 'values' });
    expect(rowView(['1', '0.5', '2'])).toEqual({ kind: 'values' });
  });

  it('is an image where columns are named as pixels, and a curve where their names are numbers that rise', () => {
    const pixels = Array.from({ length: 12 }, (_, k) => `row${Math.floor(k / 4)}col${k % 4}`);
    expect(rowView(pixels)).toEqual({ kind: 'image', height: 3, width: 4 });
    expect(rowView(Array.from({ length: 64 }, (_, k) => `pixel_${k}`))).toEqual({ kind: 'image', height: 8, width: 8 });
    expect(rowView(Array.from({ length: 63 }, (_, k) => `pixel_${k}`))).toEqual({ kind: 'values' });
    expect(rowView(['400', '410.5', '421'])).toEqual({ kind: 'curve' });
    const scikit = Array.from({ length: 64 }, (_, k) => `pixel_${Math.floor(k / 8)}_${k % 8}`);
    expect(rowView(scikit)).toEqual({ kind: 'image', height: 8, width: 8 });
    const mnist = Array.from({ length: 16 }, (_, k) => `${1 + Math.floor(k / 4)}x${1 + (k % 4)}`);
    expect(rowView(mnist)).toEqual({ kind: 'image', height: 4, width: 4 });
  });

  it('is an image though constant pixels have no columns, in any order of the columns', () => {
    const whole = Array.from({ length: 6 }, (_, k) => `r${1 + Math.floor(k / 3)}c${1 + (k % 3)}`);
    expect(rowView(whole.filter((name) => name !== 'r1c1'))).toEqual({
      ...{ kind: 'image', height: 2, width: 3 },
      pixels: [-1, 0, 1, 2, 3, 4],
    });
    expect(rowView(whole.toReversed())).toEqual({ kind: 'image', height: 2, width: 3, pixels: [5, 4, 3, 2, 1, 0] });
    expect(rowView(['r0c0', 'r0c9', 'r9c0', 'r9c9'])).toEqual({ kind: 'values' });
    // Names of constant pixels restore the border, of lines and columns and of running numbers, from 0 or from 1.
    const of = (names: readonly string[], value = 0) => names.map((column) => ({ column, value }));
    const border = of(['r0c0', 'r0c1', 'r3c2', 'r3c3', 'time']);
    expect(rowView(['r1c1', 'r1c2', 'r2c1', 'r2c2'], border)).toMatchObject({ height: 4, width: 4 });
    for (const first of [0, 1]) {
      const all = Array.from({ length: 16 }, (_, k) => `pixel${first + k}`);
      const inner = [5, 6, 9, 10].map((k) => all[k]!);
      const outer = all.filter((name) => !inner.includes(name));
      const image = {
        ...{ kind: 'image', height: 4, width: 4 },
        pixels: [-1, -1, -1, -1, -1, 0, 1, -1, -1, 2, 3, -1, -1, -1, -1, -1],
      };
      expect(rowView(inner, of(outer))).toEqual(image);
      // A white border is drawn white.
      const constants = [255, 255, 255, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 255, 255, 255];
      expect(rowView(inner, of(outer, 255))).toEqual({ ...image, constants });
    }
    expect(rowView(['r0c0', 'r0c1', 'r1c0', 'row1col0'])).toEqual({ kind: 'values' });
  });
});

const dataset = (over: Partial<Dataset> = {}): Dataset => ({
  name: 'animals',
  observations: Matrix.from([
    [1, 5],
    [2, 6],
    [3, Number.NaN],
  ]),
  columns: ['mass', 'age'],
  labels: ['cat', 'dog', 'cat'],
  labelColumn: 'kind',
  ids: ['tom', '2', 'tim'],
  idColumn: 'name',
  view: { kind: 'values' },
  notes: [],
  ...over,
});

describe('a message of the library', () => {
  it('names no option of a program in the page, and remains a sentence', async () => {
    const cells = Array.from({ length: 12 }, (_, i) => (i % 4 === 0 ? 'k.A.' : String(i + 0.5)));
    const bytes = new TextEncoder().encode(['a,b', ...cells.map((cell, i) => `${i},${cell}`)].join('\n'));
    const error = await parseTable(bytes, 'own.csv', { allowMissing: true }).catch((failure: Error) => failure);
    expect(withoutOptions((error as Error).message)).toMatch(
      /contains 'k\.A\.', which is not a finite number\. If it marks a missing value, treat it as missing\. Otherwise correct it, or drop the column\.$/,
    );
    const bounded = cells.map((_, i) => (i === 4 ? '<2.5' : i)).join('\n');
    const refused = await parseTable(new TextEncoder().encode(`a\n${bounded}`), 'own.csv').catch(
      (failure: Error) => failure,
    );
    expect(withoutOptions((refused as Error).message)).toMatch(
      /contains '<2\.5', which is not a finite number\. .* Or leave the column out\.$/,
    );
  });
});

describe('a search for rows', () => {
  it.each([
    ['mass > 1', [1, 2]],
    ['MASS>=3', [2]],
    ['age <= 6', [0, 1]],
    ['kind = Dog', [1]],
    ['height > 1', []],
    ['cat', [0, 2]],
    ['TI', [2]],
    ['3', [2]],
    ['row 1', [0]],
    // An id comes before a number.
    ['2', [1]],
    ['7', []],
  ])('%s', (text, expected) => {
    expect(rowsFound(text, dataset())).toEqual(expected);
  });
  it('of nothing finds nothing in particular', () => expect(rowsFound('  ', dataset())).toBeUndefined());
});

describe('rows that are placed', async () => {
  const Y = pipeFlow({ points: 40, seed: 1 }).observations;
  const random = seededRandom(3);
  const shuffled = Matrix.from(
    Array.from({ length: 10 }, () => Array.from({ length: 12 }, (_, j) => Y.at(Math.floor(40 * random.uniform()), j))),
  );

  it('are compared by their densities with rows of the fit', { tags: 'long' }, async () => {
    const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 40 });
    const like = await likenessOf((rows) => result.project(rows), Y, result.latents);
    expect(like).toMatchObject({ by: 'density', compared: 40, moved: 0 });
    const own = await result.project(Y);
    expect(like.limit).toBe(own.logDensity.reduce((a, b) => Math.min(a, b)));
    const strange = isUnlikely(shuffled, (await result.project(shuffled)).logDensity, like);
    expect(strange.every((value) => value === 1)).toBe(true);
  });

  it('count rows of the fit that do not land where they are', async () => {
    const result = await fit(ppca(Y, { latentDim: 2 }));
    const elsewhere = async (rows: Matrix) => {
      const { latents, logDensity } = await result.project(rows);
      for (let i = 0; i < 7; i++) latents.data[2 * i]! += 5;
      return { latents, logDensity };
    };
    expect((await likenessOf(elsewhere, Y, result.latents)).moved).toBe(7);
  });

  it('are compared by distances where the model has no density', async () => {
    const points = Matrix.from([[0], [1], [2], [4]]);
    const nowhere = async (rows: Matrix) => ({
      latents: rows,
      logDensity: new Float64Array(rows.rows).fill(Number.NaN),
    });
    const like = await likenessOf(nowhere, points, points);
    expect(like).toMatchObject({ by: 'distance', limit: 2, moved: 0 });
    expect([...isUnlikely(Matrix.from([[3], [6.1], [-2]]), new Float64Array(3), like)]).toEqual([0, 1, 0]);
  });
});

it('the nearest rows are computed in the passed units, without missing entries', () => {
  const Y = Matrix.from([
    [0, 0],
    [1, 100],
    [2, 0],
    [Number.NaN, 10],
  ]);
  expect(nearestRows(Y, [0, 0], 3, 0, [1, 1])).toEqual([2, 3, 1]);
  expect(nearestRows(Y, [0, 0], 3, 0, [1, 100])).toEqual([3, 1, 2]);
});

it('columns in different units are divided by the models that the page lists for it', () => {
  const random = seededRandom(2);
  const Y = Matrix.from(Array.from({ length: 30 }, () => [1, 10, 1000].map((unit) => unit * random.normal())));
  const labels = Array.from({ length: 30 }, (_, i) => `k${i % 3}`);
  const dividing = Object.keys(MODELS).filter((name) =>
    dividesColumns(namedModels[name]!.make(Y, labels, { latentDim: 2 }).toJSON(), Y),
  );
  expect(dividing.sort()).toEqual(modelsWith('scale').sort());
});

it('a likelihood without closed form brings inducing inputs, a Gaussian one none', () => {
  expect(withNeeded({ latentDim: 2, likelihood: 'poisson' }, 'gplvm')).toEqual({
    ...{ latentDim: 2, likelihood: 'poisson', inducing: 30 },
  });
  expect(withNeeded({ likelihood: 'poisson', inducing: 50 }, 'gplvm').inducing).toBe(50);
  expect(withNeeded({ latentDim: 2 }, 'gplvm')).toEqual({ latentDim: 2 });
  expect(withNeeded({ likelihood: 'poisson' }, 'pca')).toEqual({ likelihood: 'poisson' });
});

describe('a table that cannot be read', () => {
  const repairs = async (text: string) =>
    (await repairsOf(new TextEncoder().encode(text), 'own.csv')).map(({ title, bytes }) => [
      title,
      new TextDecoder().decode(bytes),
    ]);

  it('is read without the cells, rows or column that contain text among numbers', async () => {
    expect(await repairs('a,b,c\n1,2,"x, y"\n3,low,z\n5,6,z\n')).toEqual([
      ['Treat 1 cell as missing', 'a,b,c\n1,2,"x, y"\n3,,z\n5,6,z'],
      ['Leave out 1 row', 'a,b,c\n1,2,"x, y"\n5,6,z'],
      ["Leave out column 'b'", 'a,c\n1,"x, y"\n3,z\n5,z'],
    ]);
  });
  it('is read without the lines of another length, or with their absent cells as missing', async () => {
    expect(await repairs('a;b\n1;2\n3\n4;5\n')).toEqual([
      ['Leave out 1 line', 'a;b\n1;2\n4;5'],
      ['Treat 1 absent cell as missing', 'a;b\n1;2\n3;\n4;5'],
    ]);
    expect(await repairs('a,b\n1,2\n3,4,5\n6,7\n')).toEqual([['Leave out 1 line', 'a,b\n1,2\n6,7']]);
  });
  it('is read without the lines above the names of its columns', async () => {
    // Lines above a table that is whole below them are left out by the reader.
    expect(await repairs('Report of 2024\na,b\n1,2\n3,4\n5,6\n')).toEqual([]);
    expect(await repairs('Report\na;b\n1,5;2\n3,5;4\n5;6\ntotal\n')).toEqual([
      ['Leave out the line above the table, and 1 line of another length', 'a;b\n1,5;2\n3,5;4\n5;6'],
    ]);
  });
  it('is read with another mark between its cells', async () => {
    expect(await repairs('a:b:kind\n1:2:x\n3:4:y\n5:7:x\n')).toEqual([
      ["Split the lines at ':'", 'a,b,kind\n1,2,x\n3,4,y\n5,7,x'],
    ]);
    // Not where the lines have different numbers of it.
    expect(await repairs('a:b\n1:2\n3:4:5\n')).toEqual([]);
  });
  it('is read with numbers in groups of digits, and without numbers that stand for missing cells', async () => {
    const grouped = 'city,people,share\na,"1,234,567",12.5\nb,"345,789",1.5\nc,"12,222",3\nd,−7,4';
    const [repair] = await repairsOf(new TextEncoder().encode(grouped), 'grouped.csv');
    expect(repair!.title).toBe("Read 'people' as numbers: 1,234,567 is 1234567");
    const { observations, columns } = await parseTable(repair!.bytes, 'grouped.csv');
    expect(columns).toEqual(['people', 'share']);
    expect(Array.from(observations.column(0))).toEqual([1234567, 345789, 12222, -7]);
    // By points, where a comma is the mark of decimals.
    const european = 'city;people;share\na;1.234.567;12,5\nb;345.789;1,5\nc;12.222,5;3';
    const [points] = await repairsOf(new TextEncoder().encode(european), 'european.csv');
    const table = await parseTable(points!.bytes, 'european.csv');
    expect(Array.from(table.observations.column(0))).toEqual([1234567, 345789, 12222.5]);

    // Commas are no delimiter here, and 12.5 is not 125.
    const commas = 'a;b;c\n1.234,5;2,5;1,5\n12,5;3,1;2,5\n7.100,25;5,5;3,5';
    const [decimal] = await repairsOf(new TextEncoder().encode(commas), 'commas.csv');
    const read = await parseTable(decimal!.bytes, 'commas.csv');
    expect(read.observations.toArrays()).toEqual([
      [1234.5, 2.5, 1.5],
      [12.5, 3.1, 2.5],
      [7100.25, 5.5, 3.5],
    ]);
    const mixed = 'n;a;b\nx;1.234,5;2\ny;12.5;3\nz;7.100,25;5';
    const offered = await repairsOf(new TextEncoder().encode(mixed), 'mixed.csv');
    expect(offered.map(({ bytes }) => new TextDecoder().decode(bytes)).join('\n')).not.toContain('125');

    const coded = ['a,b', ...Array.from({ length: 12 }, (_, i) => `${i % 5 === 0 ? -999 : 20 + i},${i * i}`)].join(
      '\n',
    );
    const [missing] = await repairsOf(new TextEncoder().encode(coded), 'coded.csv');
    expect(missing!.title).toBe('Treat −999 as missing');
    const without = await parseTable(missing!.bytes, 'coded.csv', { allowMissing: true });
    expect(Array.from(without.observations.column(0), (value) => (Number.isNaN(value) ? 0 : value))).toEqual(
      Array.from({ length: 12 }, (_, i) => (i % 5 === 0 ? 0 : 20 + i)),
    );
  });

  it('is read with units where words, codes or grouped digits are among its numbers', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => {
      const cells = [i === 3 ? '-999' : `${i + 0.5} °C`, i === 7 ? 'ERR' : `${60 + i} %`, `$${34 + i},618`, i * i];
      return cells.join('\t');
    });
    const log = ['temperature\thumidity\tincome\tpower', ...lines].join('\n');
    const [repair] = await repairsOf(new TextEncoder().encode(log), 'log.tsv');
    expect(repair!.title).toBe('Do all of these');
    const { observations, columns } = await parseTable(repair!.bytes, 'log.tsv', { allowMissing: true });
    expect(columns).toEqual(['temperature', 'humidity', 'income', 'power']);
    expect(observations.toArrays()).toEqual(
      lines.map((_, i) => [i === 3 ? Number.NaN : i + 0.5, i === 7 ? Number.NaN : 60 + i, 34618 + 1000 * i, i * i]),
    );
    expect((await repairs(log)).map(([title]) => title)).toEqual([
      'Do all of these',
      "Read 'income' as numbers: $34,618 is $34618",
      "Treat '-999', 'ERR' in 'temperature', 'humidity' as missing",
    ]);
    // Two units are no words among numbers of one.
    expect(await repairs(`a\tb\n${lines.map((_, i) => `${i} ${i % 2 === 0 ? 'kg' : 'g'}\t${i}`).join('\n')}`)).toEqual(
      [],
    );
  });

  it('is read with dates that have times, of 12 hours too', async () => {
    const text = ['at,value', '1/1/2023 0:05,1', '3/25/2023 13:02,2', '4/25/2023 9:30:15,4'].join('\n');
    expect((await repairs(text))[0]).toEqual([
      "Read 'at' as dates: 1/1/2023 0:05 is 2023-01-01 00:05",
      'at,value\n2023-01-01 00:05,1\n2023-03-25 13:02,2\n2023-04-25 09:30:15,4',
    ]);
    const halves = ['at,value', '1/1/2023 12:05 AM,1', '3/25/2023 1:02 pm,2', '4/25/2023 12:30 PM,4'].join('\n');
    expect((await repairs(halves))[0]![1]).toBe('at,value\n2023-01-01 00:05,1\n2023-03-25 13:02,2\n2023-04-25 12:30,4');
  });

  it('keeps the numbers that were read, and letters beyond ASCII, where others have grouped digits', async () => {
    const german = 'Gerät;Druck;Umsatz\nG0;1,200;1.509,55\nG1;1,199;1.535,95\nG2;0,875;950,10\n';
    const found = await repairsOf(Buffer.from(german, 'latin1'), 'german.csv');
    expect(found.map(({ title }) => title)).toEqual(["Read 'Umsatz' as numbers: 1.509,55 is 1509,55"]);
    const { observations, columns, leftOut } = await parseTable(found[0]!.bytes, 'german.csv');
    expect(columns).toEqual(['Druck', 'Umsatz']);
    expect(leftOut.map(({ column }) => column)).toEqual(['Gerät']);
    expect(observations.toArrays()).toEqual([
      [1.2, 1509.55],
      [1.199, 1535.95],
      [0.875, 950.1],
    ]);
  });

  it('is read in one step where it has faults of several kinds: lines above it, sums below it, grouped digits', async () => {
    const office = 'Sales;2024\nshop;sold;share\na;1.234,5;2,5\nb;12,5;3,1\nend\nc;7.100,25;5,5\nTotal;8.347,25;11,1\n';
    const found = await repairs(office);
    expect(found.map(([title]) => title)).toEqual([
      "Leave out the line above the table, and 1 line of another length; leave out the last row, 'Total'; read 'sold' as numbers: 1.234,5 is 1234,5",
      'Leave out the line above the table, and 1 line of another length',
    ]);
    expect(found[0]![1]).toBe('shop;sold;share\na;1234,5;2,5\nb;12,5;3,1\nc;7100,25;5,5');
  });
  it('is read with groups of digits in all columns that may have them, where the decimal mark of another column is the other one', async () => {
    const lines = Array.from(
      { length: 12 },
      (_, i) => `0${1 + (i % 9)}.02.1995;${i === 5 ? 'k.A.' : `1${i}.982,14`};${i % 2 ? '400' : `1.1${i + 10}`}`,
    );
    const [all] = await repairs(['opened;sold;visits', ...lines, 'Summe;9.999,00;'].join('\n'));
    const read = lines.map(
      (_, i) => `1995-02-0${1 + (i % 9)};${i === 5 ? '' : `1${i}982,14`};${i % 2 ? '400' : `11${i + 10}`}`,
    );
    expect(all).toEqual(['Do all of these', ['opened;sold;visits', ...read].join('\n')]);
    expect(await repairs('share;visits\n1,5;400\n2,5;1.162\n')).toEqual([
      ["Read 'visits' as numbers: 1.162 is 1162", 'share;visits\n1,5;400\n2,5;1162'],
    ]);
  });

  it('is read below titles that are filled with empty cells, as spreadsheets save them', async () => {
    const office = 'Sales;;\nshop;sold;share\na;1.234,5;2,5\nb;12,5;n.b.\nc;7.100,25;5,5\nTotal;8.347,25;1.100,5\n';
    const [[title, text]] = (await repairs(office)) as [string[]];
    expect(title).toBe(
      "Leave out the last row, 'Total'; treat 1 cell as missing; read 'sold' as numbers: 1.234,5 is 1234,5",
    );
    expect(text).toBe('shop;sold;share\na;1234,5;2,5\nb;12,5;\nc;7100,25;5,5');
  });
  it('is left alone where most of it is wrong', async () => {
    expect(await repairs('a,b\n1,2,3\n4,5,6\n')).toEqual([]);
    expect(await repairs('a,b\nx,y\nz,w\n')).toEqual([]);
  });
  it.each(['', '\ufeff', '\n\n', '# only a comment\n', 'a,b\n'])(
    'is left alone where it contains no rows: %j',
    async (text) => {
      expect(await repairs(text)).toEqual([]);
    },
  );
});

describe('names on a map', () => {
  const kinds = ['left', 'right'].map((name) => ({ name, color: '', path: '', count: 40 })) as never;
  const kindOf = Uint16Array.from({ length: 80 }, (_, i) => (i < 40 ? 0 : 1)) as never;
  // Columns of five groups each, 80 units apart.
  const x = Float64Array.from({ length: 80 }, (_, i) => (i < 40 ? 0 : 80) + (i % 8));
  const y = Float64Array.from({ length: 80 }, (_, i) => 20 * Math.floor((i % 40) / 8));

  it('are at points of their kind, in the middle of the points around', () => {
    const names = namesOf({ kinds, kindOf, numbers: undefined }, { x, y }, new Set());
    expect(names.map(({ text }) => text)).toEqual(['left', 'right']);
    for (const [k, name] of names.entries()) {
      expect([3, 4]).toContain(name.x - 80 * k);
      expect([20, 40, 60]).toContain(name.y);
    }
  });

  it('name the visible kinds', () => {
    const names = namesOf({ kinds, kindOf, numbers: undefined }, { x, y }, new Set([0]));
    expect(names.map(({ text }) => text)).toEqual(['right']);
  });

  it('name no kind where most points are of others, unless these are hidden', () => {
    const three = ['left', 'right', 'other'].map((name) => ({ name, color: '', path: '', count: 27 })) as never;
    const mixed = Uint16Array.from({ length: 80 }, (_, i) => i % 3) as never;
    const named = (hidden: number[]) =>
      namesOf({ kinds: three, kindOf: mixed, numbers: undefined }, { x, y }, new Set(hidden)).map(({ text }) => text);
    expect(named([])).toEqual([]);
    expect(named([1, 2])).toEqual(['left']);
  });
});

describe('looks of labels', () => {
  it.each(['light', 'dark'] as const)('differ by shape where their colors have little contrast, in the %s', (name) => {
    const theme = { name, ...PALETTES[name] } as unknown as Theme;
    const looks = (count: number) =>
      byLabels(
        Array.from({ length: count }, (_, i) => String(i)),
        '',
        theme,
      ).kinds;
    // Black and white, and the two grays of the example of WCAG 2.1.
    expect(contrastOf('#000000', '#ffffff')).toBe(21);
    expect(contrastOf('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    const ten = looks(10);
    for (const [i, a] of ten.entries())
      for (const b of ten.slice(0, i)) if (a.path === b.path) expect(contrastOf(a.color, b.color)).toBeGreaterThan(1.5);
    expect(new Set(looks(70).map(({ color, path }) => `${color} ${path}`)).size).toBe(70);
    // The next one begins again.
    expect(looks(71).at(-1)).toEqual({ ...looks(71)[0], name: '70' });
  });
});
