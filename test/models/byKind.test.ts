import {
  type AnyModel,
  bayesianGplvm,
  type Fit,
  fit,
  gplvm,
  InvalidInputError,
  loadFit,
  Matrix,
  ppca,
  seededRandom,
} from 'latentfield';
import { byKind } from 'latentfield/models';
import { checkModel } from 'latentfield/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { type KindOfColumn, kindsOfColumns } from '../../src/models/gp/columnKinds.ts';
import { expectClose } from '../tolerance.ts';

const random = seededRandom(3);
const columns = ['age', 'income', 'visits', 'active', 'plan=basic', 'plan=pro', 'plan=team'];
const rows = Array.from({ length: 24 }, () => {
  const z = random.normal();
  const level = z > 0.5 ? 2 : z > -0.5 ? 1 : 0;
  return [
    40 + 8 * z + random.normal(),
    Math.exp(9 + 1.3 * z + 0.2 * random.normal()),
    Math.round(Math.exp(0.5 + 0.8 * z)) * (random.uniform() < 0.9 ? 1 : 0),
    +(z + 0.4 * random.normal() > 0),
    ...[0, 1, 2].map((k) => +(k === level)),
  ];
});
/** Rows whose category, income or visits are missing. */
const HIDDEN: Readonly<Record<number, readonly number[]>> = { 5: [4, 5, 6], 11: [1], 17: [4, 5, 6], 20: [2] };
const holed = {
  columns,
  observations: Matrix.from(rows.map((row, i) => row.map((entry, j) => (HIDDEN[i]?.includes(j) ? Number.NaN : entry)))),
};
const whole = { columns, observations: Matrix.from(rows) };
const kindOf = (kinds: readonly KindOfColumn[]) => Object.fromEntries(kinds.map(({ name, kind }) => [name, kind]));

describe('kinds of columns', () => {
  it('are detected from their values, with reasons', () => {
    const kinds = kindsOfColumns(whole.observations, columns);
    expect(kindOf(kinds)).toEqual({
      age: 'number',
      income: 'amount',
      visits: 'count',
      active: 'binary',
      plan: 'category',
    });
    expect(kinds.map(({ positions }) => positions)).toEqual([[0], [1], [2], [3], [4, 5, 6]]);
    expect(kinds[2]!.reason).toMatch(/^whole numbers from 0, [\d.]+ on average$/);
    expect(kindOf(kindsOfColumns(holed.observations, columns))).toEqual(kindOf(kinds));
  });

  it.each([
    ['whole numbers far from 0', [18, 25, 31, 44, 60], 'number'],
    ['whole numbers from 0 that are large on average', [0, 1200, 3000, 80, 900], 'number'],
    ['positive numbers that are not skewed', [1.2, 1.9, 1.4, 1.6, 1.5], 'number'],
    ['numbers below 0 that are skewed', [-1, -1.1, -1.2, -0.9, 40], 'number'],
    ['fractions up to 1', [0.02, 0.4, 0.97, 0.7, 0.9], 'fraction'],
    ['numbers between 0 and 1 far from both', [0.42, 0.5, 0.47, 0.55, 0.51], 'number'],
    ['a few whole numbers in many rows', Array.from({ length: 25 }, (_, i) => 1 + (i % 4)), 'grade'],
    ['a few whole numbers in few rows', [1, 2, 3, 4, 2, 1], 'number'],
    ['0 and 1 with holes', [0, 1, Number.NaN, 1, 0], 'binary'],
  ] as const)('%s', (_, values, kind) => {
    expect(kindOf(kindsOfColumns(Matrix.from(values.map((value) => [value])), ['x']))).toEqual({ x: kind });
  });

  it('columns of one prefix that are not levels of a category stay apart', () => {
    const both = Matrix.from([
      [1, 1],
      [0, 1],
      [1, 0],
    ]);
    expect(kindOf(kindsOfColumns(both, ['a=x', 'a=y']))).toEqual({ 'a=x': 'binary', 'a=y': 'binary' });
  });

  it('can be set, or are refused with the reason', () => {
    const asked = (as: object) => kindsOfColumns(whole.observations, columns, as as never);
    expect(kindOf(asked({ visits: 'number', income: 'number', plan: 'binary' }))).toEqual({
      ...{ age: 'number', income: 'number', visits: 'number', active: 'binary' },
      ...{ 'plan=basic': 'binary', 'plan=pro': 'binary', 'plan=team': 'binary' },
    });
    expect(() => asked({ ages: 'count' })).toThrow(/no column 'ages'.*'age'|'ages'/);
    expect(() => asked({ age: 'counts' })).toThrow(
      /one of number, amount, fraction, count, grade, binary, category, but .*'counts'/,
    );
    expect(() => asked({ age: 'count' })).toThrow(
      /'age' is to be of kind 'count', whole numbers from 0, but it contains/,
    );
    expect(() => asked({ visits: 'amount' })).toThrow(/numbers above 0, but it contains 0/);
    expect(() => asked({ visits: 'category' })).toThrow(/Read the table with `oneHot: 'visits'`/);
  });
});

type Make = (table: typeof holed, options: object) => AnyModel;
const MODELS = [
  ['bayesianGplvm', bayesianGplvm as unknown as Make],
  ['gplvm', gplvm as unknown as Make],
] as const;

describe.each(MODELS)('%s with columns by their kinds', (name, make) => {
  /** New rows of points take integrals over their places. */
  const tags = name === 'gplvm' ? ['long'] : [];
  let result: Fit;
  beforeAll(async () => {
    const model = make(holed, { latentDim: 1, inducing: 6, missing: 'ignore', columns: byKind() });
    result = (await fit(model, { maxIterations: 30 })) as Fit;
  }, 120_000);

  it('reports the kind of each column', () => {
    expect(result.model).toBe(name);
    expect(result.message).toMatch(
      /'age' as numbers; 'income' \(above 0 and skewed by [\d.]+\) as amounts, by their logarithms; 'visits' \(whole numbers from 0, [\d.]+ on average\) as counts; 'active' \(0 and 1\) as yes or no; 'plan' \(3 levels\) as categories\./,
    );
  });

  it("predicts and draws in the columns' own values", () => {
    const { mean, variance, columns: named } = result.predict!(result.latents, { noise: true });
    expect(named).toEqual(columns);
    const drawn = result.sample!(result.latents, { seed: 4 });
    const levels = (of: Matrix, i: number) =>
      of
        .row(i)
        .subarray(4)
        .reduce((sum, entry) => sum + entry, 0);
    for (let i = 0; i < rows.length; i++) {
      expect(Math.abs(levels(mean, i) - 1)).toBeLessThan(1e-12);
      expect(levels(drawn, i)).toBe(1);
      expect(mean.at(i, 1) > 0 && drawn.at(i, 1) > 0).toBe(true);
      expect(Number.isInteger(drawn.at(i, 2)) && [0, 1].includes(drawn.at(i, 3))).toBe(true);
      expectClose([variance.at(i, 4)], [mean.at(i, 4) * (1 - mean.at(i, 4))], 1e-12);
    }
    // Nearer to the observations than the columns' means are.
    for (const [j, share] of [
      [0, 0.3],
      [1, 0.7],
      [3, 0.8],
      [5, 0.8],
    ] as const) {
      const seen = rows.map((row) => row[j]!);
      const center = seen.reduce((sum, entry) => sum + entry, 0) / seen.length;
      const off = (to: (i: number) => number) => seen.reduce((sum, entry, i) => sum + (entry - to(i)) ** 2, 0);
      expect(off((i) => mean.at(i, j))).toBeLessThan(share * off(() => center));
    }
  });

  it('fills in probabilities of levels, amounts and counts, and keeps what is observed', {
    tags,
    timeout: 120_000,
  }, async () => {
    const hidden = Object.keys(HIDDEN).map(Number);
    const some = { columns, observations: Matrix.from(hidden.map((i) => holed.observations.row(i))) };
    const { mean, variance } = await (result.impute as NonNullable<typeof result.impute>)(some, {
      starts: 1,
      draws: 64,
    });
    hidden.forEach((i, r) => {
      rows[i]!.forEach((entry, j) => {
        if (HIDDEN[i]!.includes(j)) return;
        expect([mean.at(r, j), variance.at(r, j)]).toEqual([entry, 0]);
      });
    });
    for (const r of [0, 2]) {
      const levels = mean.row(r).subarray(4);
      expect(Math.abs(levels.reduce((sum, entry) => sum + entry, 0) - 1)).toBeLessThan(1e-10);
      expect(levels.every((entry) => entry > 0)).toBe(true);
    }
    expect(Math.abs(Math.log(mean.at(1, 1) / rows[11]![1]!))).toBeLessThan(1.5);
  });

  it('places rows of a table in any order of its columns, and refuses levels that were not fitted', {
    tags,
    timeout: 120_000,
  }, async () => {
    const order = [6, 5, 4, 3, 2, 1, 0];
    const swapped = {
      columns: order.map((j) => columns[j]!),
      observations: Matrix.from(rows.slice(0, 2).map((row) => order.map((j) => row[j]!))),
    };
    const straight = await result.project!(Matrix.from(rows.slice(0, 2)), { starts: 1, draws: 16 });
    expect(await result.project!(swapped, { starts: 1, draws: 16 })).toEqual(straight);
    const unknown = [rows[0]!, [...rows[1]!.slice(0, 4), 0, 0, 0]];
    await expect(result.project!(unknown)).rejects.toThrow(
      /Row index 1 has a level of 'plan' that was not fitted, which had 'basic', 'pro', 'team'\. Correct it, make it missing/,
    );
    await expect(result.project!(unknown)).rejects.toMatchObject({ code: 'unknownName', subject: 'plan' });
    await expect(result.project!([[40, -3, ...rows[0]!.slice(2)]])).rejects.toThrow(/'income' was fitted as an amount/);
  });

  it('is read again with the same bits', () => {
    const again = loadFit(JSON.parse(JSON.stringify(result))) as Fit;
    expect(again.message).toBe(result.message);
    expect(again.predict!(result.latents)).toEqual(result.predict!(result.latents));
    expect(again.sample!(result.latents, { seed: 2 })).toEqual(result.sample!(result.latents, { seed: 2 }));
  });
});

describe('fractions and grades', () => {
  it('are predicted, drawn, saved and refused as what they are, each column of grades with its own cut points', {
    tags: 'long',
    timeout: 120_000,
  }, async () => {
    const drawn = Array.from({ length: 30 }, () => {
      const z = random.normal();
      const grade = (cuts: number[]) => 1 + cuts.filter((cut) => cut < z + 0.3 * random.normal()).length;
      return [1 / (1 + Math.exp(-1.5 * z - 0.3 * random.normal())), grade([-1, 0, 1]), 2 + grade([0, 0.8])];
    });
    const names = ['share', 'taste', 'size'];
    const table = { columns: names, observations: Matrix.from(drawn) };
    const model = bayesianGplvm(table, { latentDim: 1, inducing: 5, columns: byKind({ as: { size: 'grade' } }) });
    const result = (await fit(model, { maxIterations: 40 })) as Fit;
    expect(result.message).toMatch(
      /'share' \(between 0 and 1\) as fractions; 'taste' \(whole numbers from 1 to 4\), 'size' \(as asked for\) as grades\./,
    );
    const { mean } = result.predict!(result.latents, { noise: true });
    const [shares, tastes, sizes] = names.map((_, j) => Array.from(mean.column(j))) as [number[], number[], number[]];
    const within = (values: number[], low: number, high: number) => values.every((y) => y > low && y < high);
    expect(within(shares, 0, 1) && within(tastes, 1, 4) && within(sizes, 3, 5)).toBe(true);
    [shares, tastes, sizes].forEach((predicted, j) => {
      const seen = drawn.map((row) => row[j]!);
      const center = seen.reduce((sum, y) => sum + y, 0) / seen.length;
      const off = (to: (i: number) => number) => seen.reduce((sum, y, i) => sum + (y - to(i)) ** 2, 0);
      expect(off((i) => predicted[i]!)).toBeLessThan(0.6 * off(() => center));
    });
    const sample = result.sample!(result.latents, { seed: 4 });
    expect(within(Array.from(sample.column(0)), 0, 1)).toBe(true);
    expect(Array.from(sample.column(1)).every((y) => [1, 2, 3, 4].includes(y))).toBe(true);
    expect(Array.from(sample.column(2)).every((y) => [3, 4, 5].includes(y))).toBe(true);
    const again = loadFit(JSON.parse(JSON.stringify(result))) as Fit;
    expect(again.predict!(result.latents)).toEqual(result.predict!(result.latents));
    await expect(result.project!([[1.2, 2, 3]])).rejects.toThrow(/1\.2/);
    await expect(result.project!([[0.2, 5, 3]])).rejects.toThrow(/a grade, a whole number from 1 to 4/);
    expect(() => kindsOfColumns(table.observations, names, { share: 'grade' })).toThrow(/at most 30 whole numbers/);
  });
});

describe('models of columns by their kinds', () => {
  it('have the densities of amounts, not of their logarithms', { tags: 'long' }, async () => {
    const logs = { columns, observations: whole.observations };
    const changed = {
      columns,
      observations: Matrix.from(rows.map((row) => row.map((entry, j) => (j === 1 ? Math.log(entry) : entry)))),
    };
    const options = { latentDim: 1, inducing: 5 };
    const of = async (table: typeof whole, as: object) =>
      (await fit(bayesianGplvm(table, { ...options, columns: byKind({ as: as as never }) }), {
        maxIterations: 0,
      })) as Fit;
    const [amounts, numbers] = [await of(logs, {}), await of(changed, { income: 'number' })];
    // The first iterates of a search depend on the constant of the log density; where it ends does not.
    const settings = { starts: 1, draws: 16 };
    const first = await amounts.project!(logs.observations.toArrays().slice(0, 2), settings);
    const second = await numbers.project!(changed.observations.toArrays().slice(0, 2), settings);
    expectClose(first.latents, second.latents, 1e-9);
    expectClose(
      first.logDensityAtPlace!,
      second.logDensityAtPlace!.map((entry, i) => entry - Math.log(rows[i]![1]!)),
      1e-9,
    );
  });

  it('pass the conformance kit', { timeout: 300_000, tags: 'long' }, async () => {
    const table = {
      columns: columns.toSpliced(1, 1),
      observations: Matrix.from(rows.slice(0, 12).map((row) => row.toSpliced(1, 1))),
    };
    for (const [, make] of MODELS) {
      const report = checkModel(make(table, { latentDim: 1, inducing: 4, columns: byKind() }) as never, {
        entries: 3,
        throws: false,
      });
      // A column of a category is observed with the others only.
      const failed = report.checks.filter(({ passed, name }) => !passed && !name.startsWith('predictions of'));
      expect(failed).toEqual([]);
    }
  });

  it('refuse other options, tables without their missing entries allowed, and models without kinds', () => {
    const make = (options: object, table = whole) =>
      bayesianGplvm(table, { latentDim: 1, columns: byKind(), ...options } as never);
    expect(() => make({ noise: 0.1 })).toThrow(InvalidInputError);
    expect(() => make({ noise: 0.1 })).toThrow(
      /takes latentDim, inducing, missing, rowWeights, offset, given, but 'noise' was given/,
    );
    expect(() => make({}, holed)).toThrow(/missing/);
    expect(() => ppca(rows, { latentDim: 1, columns: byKind() } as never)).toThrow(/no option 'columns'|'columns'/);
    expect(() => byKind({ kinds: {} } as never)).toThrow(/'kinds'/);
  });
});
