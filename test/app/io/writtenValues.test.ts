import { describe, expect, it } from 'vitest';
import { parseTable, readMatchingTable, readTable } from '../../../src/app/io/index.ts';
import { bayesianGplvm, fit, gplvm, loadFit, ordinal } from '../../../src/index.ts';
import { checkLikelihood } from '../../../src/testing/index.ts';
import { temporaryFolder } from './folder.ts';

const csv = (...rows: string[]) => `${rows.join('\n')}\n`;
const parsed = (content: string, options = {}) => parseTable(new TextEncoder().encode(content), 't.csv', options);

describe('true and false', () => {
  const table = csv('a,lit,b', '1,true,2', '3,FALSE,5', '4,True,1', '7,,2');

  it('are 1 and 0, with a note, and NaN where missing', async () => {
    const { observations, columns, notes } = await parsed(table, { allowMissing: true });
    expect(columns).toEqual(['a', 'lit', 'b']);
    expect(observations.toArrays().map(([, lit]) => lit)).toEqual([1, 0, 1, Number.NaN]);
    expect(notes).toContain("1 column of true and false is read as 1 and 0: 'lit'.");
  });

  it('are text as labels, and together with other text', async () => {
    const options = { labels: 'lit' };
    expect((await parsed(table, options)).labels).toEqual(['true', 'FALSE', 'True', '']);
    expect((await parsed(csv('a,lit', '1,true', '2,perhaps', '4,false'))).columns).toEqual(['a']);
  });
});

describe('categories', () => {
  const table = csv('sample,a,kind', 's1,1,oil', 's2,3,gas', 's3,4,oil', 's4,7,?');

  it('are columns of 0 and 1 on request', async () => {
    const { observations, columns, leftOut } = await parsed(table, { oneHot: 'kind', allowMissing: true });
    expect(columns).toEqual(['a', 'kind=gas', 'kind=oil']);
    expect(observations.toArrays()).toEqual([
      [1, 0, 1],
      [3, 1, 0],
      [4, 0, 1],
      [7, Number.NaN, Number.NaN],
    ]);
    expect(leftOut).toContainEqual({ column: 'kind', reason: 'is replaced by a column for each of its categories' });
    await expect(parsed(table, { oneHot: 'kind', columns: 'kind,a', allowMissing: true })).resolves.toMatchObject({
      columns: ['kind=gas', 'kind=oil', 'a'],
    });
    await expect(parsed(table, { oneHot: 'a' })).resolves.toMatchObject({ columns: ['a=1', 'a=3', 'a=4', 'a=7'] });
  });

  it('of new rows match the fit, and an unknown category counts as none of them, with a note of its position', async () => {
    const { write } = temporaryFolder();
    const read = await readTable(write('t.csv', table.replace('?', 'gas')), { oneHot: 'kind', id: 'sample' });
    const known = { ...read, others: ['sample', 'kind'] };
    const placed = await readMatchingTable(write('new.csv', csv('kind,a,sample', 'oil,5,n1', 'oil,2,n2')), known);
    expect(placed.observations.toArrays()).toEqual([
      [5, 0, 1],
      [2, 0, 1],
    ]);
    const other = write('other.csv', csv('kind,a,sample', 'oil,5,n1', 'air,2,n2'));
    const unknown = await readMatchingTable(other, known);
    expect(unknown.observations.toArrays()).toEqual([
      [5, 0, 1],
      [2, 0, 0],
    ]);
    expect(unknown.notes).toContainEqual(
      expect.stringMatching(/'kind' contains a category without a column, such as 'air' \(line 3\)/),
    );
  });
});

describe('dates', () => {
  it('as colors are days since 1970-01-01, in any time zone of the machine', async () => {
    const dates = [
      '1970-01-02',
      '2024-02-29',
      '2024-02-29T12:00',
      '2024-02-29 06:00:00Z',
      '2024-03-01T01:00+01:00',
      'NA',
    ];
    const table = csv('a,b,day', ...dates.map((date, i) => `${i % 3}.5,${i % 2},${date}`));
    const { color, columns } = await parsed(table, { color: 'day', drop: 'day' });
    expect([...(color as Float64Array)]).toEqual([1, 19782, 19782.5, 19782.25, 19783, Number.NaN]);
    expect(columns).toEqual(['a', 'b']);
  });

  it('that no calendar has are text', async () => {
    const table = csv('a,b,day', '1,2,2024-02-30', '2,5,2024-02-28', '7,1,2024-01-01');
    expect((await parsed(table, { color: 'day' })).color).toEqual(['2024-02-30', '2024-02-28', '2024-01-01']);
  });
});

describe('ids', () => {
  it('of new rows come from the column that named the points of the fit, in any order of columns', async () => {
    const { write } = temporaryFolder();
    const rows = ['1,u,s1,2', '3,v,s2,5', '4,w,s3,1', '6,x,s4,2', '9,y,s5,4'];
    const read = await readTable(write('t.csv', csv('a,note,sample,b', ...rows)), { id: 'sample' });
    const fitted = await fit(gplvm(read.observations, { latentDim: 1 }), { table: read, maxIterations: 1 });
    const file = write('new.csv', csv('note,b,sample,a', 'p,2,n1,1', 'q,5,n2,3', 'r,1,n3,4', 's,2,n4,6', 't,4,n5,9'));
    const placed = await readMatchingTable(file, fitted.table!);
    expect(placed.ids).toEqual(['n1', 'n2', 'n3', 'n4', 'n5']);
    expect(placed.observations.toArrays()[1]).toEqual([3, 5]);
    // Without what the fit remembers, the first column of text that names each row would be taken.
    const { idColumn: _, ...forgotten } = fitted.table!;
    expect((await readMatchingTable(file, forgotten)).ids).toEqual(['p', 'q', 'r', 's', 't']);
  });
});

describe('grades', () => {
  const grades = [1, 2, 3, 4, 5, 3, 2, 1].map((grade) => [grade, 6 - grade]);
  const model = (given: number[][], options: object = {}) =>
    bayesianGplvm(given, { latentDim: 1, inducing: 3, likelihood: ordinal({ levels: 5, ...options }) });

  it('from 1 are read as such: everything is as with grades from 0, and predictions are one more', async () => {
    const options = { maxIterations: 5, seed: 1 };
    const less = await fit(model(grades.map((row) => row.map((grade) => grade - 1))), options);
    const own = await fit(model(grades, { from: 1 }), options);
    expect(own.objective).toBe(less.objective);
    expect(own.latents).toEqual(less.latents);
    const [mean, expected] = [own, less].map((result) => result.predict([[0.3]], { noise: true }));
    expect(mean!.mean.at(0, 0) - expected!.mean.at(0, 0)).toBeCloseTo(1, 12);
    expect(mean!.variance).toEqual(expected!.variance);
    expect(own.sample([[0.3], [1]], { seed: 2 }).data.every((grade) => grade >= 1 && grade <= 5)).toBe(true);
    expect(loadFit(JSON.parse(JSON.stringify(own))).objective).toBe(own.objective);
    expect(checkLikelihood(ordinal({ levels: 4, from: 1 })).passed).toBe(true);
    expect(checkLikelihood(ordinal({ levels: 4, from: 2 })).passed).toBe(true);
    expect(() => ordinal({ levels: 4, from: 0.5 })).toThrow(/lowest grade, must be a whole number/);
  });

  it('from 1 are refused with the remedy where grades from 0 are expected', async () => {
    await expect((async () => fit(model(grades), { maxIterations: 1 }))()).rejects.toThrow(
      /whole number from 0 to 4; grades from 1 to 5 take from: 1/,
    );
    const less = grades.map((row) => row.map((grade) => grade - 1));
    expect((await fit(model(less), { maxIterations: 1 })).latents.rows).toBe(8);
  });
});
