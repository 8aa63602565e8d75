import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseTable, readTable } from '../../../src/app/io/index.ts';
import {
  defineModel,
  fit,
  fixed,
  gaussianProcess,
  gplvm,
  known,
  latent,
  loadFit,
  type MatrixLike,
  observed,
  rbf,
} from '../../../src/index.ts';
import { segmentsOf } from '../../../src/priors/index.ts';
import { latentfield } from '../cli/latentfield.ts';
import { temporaryFolder } from './folder.ts';

/** Two weeks of days in February of a leap year, without the 7th to the 11th and with the 29th. */
const days = [1, 2, 3, 4, 5, 6, 12, 13, 14, 15, 27, 28, 29];
const dates = [...days.map((day) => `2024-02-${String(day).padStart(2, '0')}`), '2024-03-01', '2024-03-02'];
const row = (i: number) => [Math.sin(i / 3), Math.cos(i / 3), i / 10].map((entry) => entry.toFixed(4));
const table = (when: readonly string[] = dates) =>
  `a,day,b,c\n${when.map((date, i) => [row(i)[0], date, row(i)[1], row(i)[2]].join(',')).join('\n')}\n`;
const parsed = (content: string, options: object) => parseTable(new TextEncoder().encode(content), 't.csv', options);

describe('a column of time', () => {
  it('is not an observation, and contains days of dates and numbers as they are', async () => {
    const read = await parsed(table(), { time: 'day' });
    expect(read.columns).toEqual(['a', 'b', 'c']);
    expect([...read.time!.data].map((day) => day - read.time!.data[0]!)).toEqual([
      0, 1, 2, 3, 4, 5, 11, 12, 13, 14, 26, 27, 28, 29, 30,
    ]);
    expect(read.leftOut).toEqual([{ column: 'day', reason: 'is the time: it names the points' }]);
    const numbers = await parsed('a,t,b\n1,0.5,2\n3,0.75,5\n2,2,1\n', { time: 't' });
    expect([...numbers.time!.data]).toEqual([0.5, 0.75, 2]);
    expect(numbers.columns).toEqual(['a', 'b']);
  });

  it('without a time in a row, or of other text, is refused with its line', async () => {
    const without = (bad: string) => parsed(table(dates.map((date, i) => (i === 4 ? bad : date))), { time: 'day' });
    await expect(without('')).rejects.toThrow(/line 6, column 'day' is empty, but times are expected/);
    await expect(without('soon')).rejects.toThrow(/line 6, column 'day' is 'soon'.* dates such as 2024-02-29/);
    await expect(parsed(table(), { time: 'date' })).rejects.toThrow(/no column 'date'/);
  });
});

describe('sequences', () => {
  it('begin after steps that are longer than 1.5 times the median step, or than an explicit limit', () => {
    expect(segmentsOf([1, 2, 3, 10, 11])).toEqual([0, 3]);
    expect(segmentsOf([0, 1, 2, 4, 5, 9], { maxStep: 2 })).toEqual([0, 5]);
    expect(segmentsOf([0, 31, 59, 90, 120])).toEqual([0]);
    expect(segmentsOf([7])).toEqual([0]);
  });

  it('of times that do not ascend or are missing are refused with the row', () => {
    expect(() => segmentsOf([1, 2, 2])).toThrow(/row index 2 has 2 after 2.*Sort the rows/);
    expect(() => segmentsOf([1, 3, 2])).toThrow(/row index 2 has 2 after 3/);
    expect(() => segmentsOf([1, Number.NaN])).toThrow(/row index 1 is NaN/);
    expect(() => segmentsOf([])).toThrow(/takes the times of N rows/);
    expect(() => segmentsOf('soon' as unknown as number[])).toThrow(/takes the times of N rows/);
    expect(() => segmentsOf([1, 2], { maxStep: 0 })).toThrow(/maxStep/);
    expect(() => segmentsOf([1, 2], { gap: 3 } as object)).toThrow(/no option 'gap'/);
  });
});

describe('a table with gaps in time', () => {
  const short = ['--model', 'gplvm', '--dim', '1', '--max-iterations', '5'];
  const folder = () => {
    const { write, path } = temporaryFolder();
    return { data: write('days.csv', table()), write, out: join(path, 'out') };
  };

  it('is fitted with no step across a gap: as the library fits sequences that begin there', async () => {
    const { data, out } = folder();
    const ran = await latentfield(['fit', data, ...short, '--time', 'day', '--out', out]);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain("time: 'day', 3 sequences, from row indices 0, 6, 10, steps of 1; gaps of 6, 12\n");
    const read = await readTable(data, { time: 'day' });
    const segments = segmentsOf(read.time!);
    expect(segments).toEqual([0, 6, 10]);
    const options = { latentDim: 1 };
    const own = await fit(gplvm(read.observations, { ...options, dynamics: { segments } }), { maxIterations: 5 });
    const whole = await fit(gplvm(read.observations, { ...options, dynamics: true }), { maxIterations: 5 });
    const saved = JSON.parse(await (await import('node:fs/promises')).readFile(join(out, 'fit.json'), 'utf8'));
    const result = loadFit(saved);
    expect(result.latents).toEqual(own.latents);
    expect(result.objective).toBe(own.objective);
    expect(result.objective).not.toBe(whole.objective);
    expect(saved.table.others).toEqual(['day']);
    expect((await latentfield(['forecast', out, '--steps', '2'])).exitCode).toBe(0);
    const placed = await latentfield(['project', out, data]);
    expect(placed.exitCode).toBe(0);
    expect(placed.stderr).toMatch(/^gplvm: 15 points placed .*\n$/);
  });

  it('accepts a longest step, and reports where steps differ', async () => {
    const { data, out } = folder();
    const joined = await latentfield(['fit', data, ...short, '--time', 'day', '--max-step', '6', '--out', out]);
    expect(joined.stderr).toContain("time: 'day', 2 sequences, from row indices 0, 10, steps of 1 to 6; gaps of 12\n");
    expect(joined.stderr).toContain(
      'note: dynamics treat all steps as equal, but the times of these rows are unevenly spaced.',
    );
  });

  it.each([
    ['--max-step without --time', ['--max-step', '2'], /Give --time too/],
    ['a model without dynamics', ['--time', 'day', '--model', 'pca'], /pca has no dynamics.* gplvm/],
    ['"dynamics": false', ['--time', 'day', '--options', '{"dynamics": false}'], /"dynamics": false\. Give one/],
    ['segments', ['--time', 'day', '--options', '{"dynamics": {"segments": [3]}}'], /"segments" in --options/],
    ['a step that is none', ['--time', 'day', '--max-step', '0'], /must be a number above 0/],
    ['a column that is not there', ['--time', 'when'], /no column 'when'/],
  ])('refuses %s', async (_, args, message) => {
    const { data, out } = folder();
    const ran = await latentfield(['fit', data, ...short, ...args, '--out', out]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(message);
  });

  it('is refused where its time goes back, with the advice to sort it', async () => {
    const { write, out } = folder();
    const data = write('mixed.csv', table([dates[1]!, dates[0]!, ...dates.slice(2)]));
    const ran = await latentfield(['fit', data, ...short, '--time', 'day', '--out', out]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(/must ascend, but row index 1 .*Sort the rows/);
  });
});

describe('time that is known', () => {
  it('gives a latent process its inputs: a gap of days is as long as it is', async () => {
    const { observations, time } = await parsed(table(), { time: 'day' });
    const inTime = defineModel({
      name: 'inTime',
      variables: ({ Y, time }: { Y: MatrixLike; time: MatrixLike }) => {
        const t = known(time);
        const density = gaussianProcess({
          kernel: rbf({ variance: fixed(1), lengthscale: fixed(4) }),
          noise: fixed(0.01),
        });
        const x = latent({ dim: 1, density, given: t });
        return {
          t,
          x,
          y: observed(Y, { density: gaussianProcess({ kernel: rbf({ lengthscale: fixed(1) }) }), given: x }),
        };
      },
    });
    const at = (when: MatrixLike) => fit(inTime({ Y: observations, time: when }), { maxIterations: 20, seed: 1 });
    const result = await at(time!);
    const evenly = await at(Array.from({ length: 15 }, (_, i) => [i]));
    expect(result.status).not.toBe('failed');
    expect(result.objective).not.toBeCloseTo(evenly.objective, 3);
    const far = result.predict({ t: [[time!.data[8]!], [time!.data[14]! + 100]] }) as unknown as {
      y: { variance: { at(i: number, j: number): number } };
    };
    expect(far.y.variance.at(1, 0)).toBeGreaterThan(10 * far.y.variance.at(0, 0));
  });
});
