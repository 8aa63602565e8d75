import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notesOf } from '../../../src/app/cli/tableReport.ts';
import { checkFilePath, makeFolder } from '../../../src/app/io/makeFolder.ts';
import { latentfield, prepared } from './latentfield.ts';

test('results for a folder where a file is, or below one, are refused in words', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-'));
  const file = join(folder, 'taken');
  writeFileSync(file, 'kept');
  await expect(makeFolder(file)).rejects.toThrow(/taken' is a file, but results take a folder/);
  await expect(makeFolder(join(file, 'below'))).rejects.toThrow(/taken', above '.*below', is a file/);
  await expect(makeFolder(join(folder, 'new', 'one'))).resolves.toBe(join(folder, 'new'));
  await expect(makeFolder(join(folder, 'new', 'one'))).resolves.toBeUndefined();
  expect(() => checkFilePath(folder)).toThrow(/is a folder. Give the path of a file/);
  expect(() => checkFilePath(join(folder, 'missing', 'a.csv'))).toThrow(/there is no folder/);
  expect(() => checkFilePath(join(file, 'a.csv'))).toThrow(/is a file, not a folder/);
  expect(() => checkFilePath(join(folder, 'a.csv'))).not.toThrow();
  if (process.platform !== 'win32') expect(() => checkFilePath('/dev/null')).toThrow(/is a device or a pipe/);
  await expect(makeFolder(undefined as never)).rejects.toThrow(
    /takes the path of a file or folder, but undefined was given/,
  );
  expect(() => checkFilePath([1, 2] as never)).toThrow(/but an array of 2 was given/);
});

test('advice about columns of numbers with units appears once, for all of them', () => {
  const of = (column: string, cell: string) => ({
    column,
    reason: `is read as text, although it contains numbers such as '${cell}': write them without their unit`,
  });
  expect(notesOf({ leftOut: [of('net', '$1,200.50'), of('gross', '$1,400.00')], notes: [] })).toEqual([
    "left out: 'net', 'gross': each is read as text, although it contains numbers such as '$1,200.50': write them without their unit",
  ]);
});

test('only numbers that are left out by default may be chosen with --columns, and the report lists them', () => {
  const counter = { column: 'n', reason: 'counts the rows', byDefault: true } as const;
  const others = ['row', 'id'].map((column) => ({
    column,
    reason: 'is named like an identifier',
    byDefault: true as const,
  }));
  expect(notesOf({ leftOut: [counter, { column: 'a', reason: 'is dropped' }, ...others], notes: [] })).toEqual([
    "left out: 'n' counts the rows (--columns takes it)",
    "left out: 'a' is dropped",
    "left out: 'row', 'id': each is named like an identifier (--columns takes them)",
  ]);
});

test('a fit that fails leaves no folder behind, except one that existed or is not empty', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-'));
  const data = join(folder, 'holes.csv');
  writeFileSync(data, 'a,b\n1,2\n,4\n5,7\n2,2\n');
  const failed = (out: string, ...more: string[]) =>
    latentfield(['fit', data, '--model', 'pca', '--out', join(folder, out), ...more]);
  expect((await failed('deep/er')).exitCode).toBe(2);
  expect(existsSync(join(folder, 'deep'))).toBe(false);
  mkdirSync(join(folder, 'mine'));
  expect((await failed('mine/new')).exitCode).toBe(2);
  expect((await failed('mine')).exitCode).toBe(2);
  expect(readdirSync(folder).sort()).toEqual(['holes.csv', 'mine']);
  writeFileSync(data, 'a,b\n1,2\n3,4\n5,7\n2,2\n');
  const unsaved = ['--model', 'gplvm', '--dim', '1', '--checkpoint', join(folder, 'no', 'state.json')];
  const { exitCode, stderr } = await failed('other', ...unsaved);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`there is no folder '${join(folder, 'no')}'. Make the folder first, or give another path.`);
  expect(stderr).not.toContain('ENOENT');
  expect(existsSync(join(folder, 'other'))).toBe(false);
});

test('no command replaces a file that it reads, even with --force', async () => {
  const { data, out, path } = await prepared();
  const short = ['--model', 'ppca', '--drop', 'flow'];
  expect((await latentfield(['fit', data, ...short, '--out', out])).exitCode).toBe(0);
  const [alias, inner, spec] = [join(path, 'alias.csv'), join(out, 'latents.csv'), join(path, 'spec.json')];
  symlinkSync(data, alias);
  const swept = join(path, 'table.csv');
  copyFileSync(data, swept);
  writeFileSync(
    spec,
    JSON.stringify({ data: 'table.csv', models: [{ model: 'ppca' }], seeds: [0], scores: ['density'] }),
  );
  const cases: [args: string[], file: string, flag: string][] = [
    [['project', out, data, '--drop', 'flow', '--out', data], data, '--out'],
    [['project', out, alias, '--drop', 'flow', '--out', data], data, '--out'],
    [['project', out, data, '--drop', 'flow', '--out', alias], alias, '--out'],
    [['project', out, data, '--drop', 'flow', '--out', inner], inner, '--out'],
    [['impute', out, data, '--drop', 'flow', '--out', data], data, '--out'],
    [['predict', out, data, '--out', data], data, '--out'],
    [['fit', inner, '--model', 'ppca', '--out', out], inner, '--out'],
    [['fit', data, ...short, '--start', out, '--out', out], join(out, 'fit.json'), '--out'],
    [['fit', data, ...short, '--checkpoint', data, '--out', join(path, 'new')], data, '--checkpoint'],
    [['assess', out, '--page', join(out, 'fit.json')], join(out, 'fit.json'), '--page'],
    [['explore', data, '--page', data], data, '--page'],
  ];
  const before = [data, inner, join(out, 'fit.json')].map((file) => readFileSync(file, 'utf8'));
  for (const [args, file, flag] of cases) {
    const ran = await latentfield([...args, '--force'], { force: false });
    expect(ran, args.join(' ')).toMatchObject({
      exitCode: 2,
      stderr: `error: '${file}' is an input of this command and is not replaced, even with --force. Give another ${flag}.\n`,
    });
  }
  const ran = await latentfield(['sweep', spec, '--out', path]);
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(`'${swept}' is an input of this command`);
  expect([data, inner, join(out, 'fit.json')].map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  expect(readFileSync(swept, 'utf8')).toBe(before[0]);
});

test('--start continues an earlier fit from its result', async () => {
  const { data, out, path } = await prepared();
  const fitted = (to: string, ...more: string[]) =>
    latentfield(['fit', data, '--model', 'gplvm', '--drop', 'flow', ...more, '--json', '--out', to]);
  const [first, second] = [JSON.parse((await fitted(out, '--max-iterations', '2')).stdout), join(path, 'second')];
  expect(first.message).toContain('Raise the limit, or continue with');
  const ran = await fitted(second, '--start', out, '--max-iterations', '3');
  expect(ran.exitCode).toBe(0);
  const [traced] = readFileSync(join(second, 'trace.csv'), 'utf8').split('\n').slice(1);
  expect(Number(traced!.split(',')[2])).toBe(first.objective);
  expect(JSON.parse(ran.stdout).objective).toBeGreaterThan(first.objective);
  const both = await fitted(join(path, 'third'), '--start', out, '--resume', 'state.json');
  expect(both).toMatchObject({ exitCode: 2 });
  expect(both.stderr).toContain('--start and --resume both set where the search begins. Give one of them.');
  const plain = await latentfield([
    'fit',
    data,
    '--drop',
    'flow',
    '--max-iterations',
    '2',
    '--out',
    join(path, 'fourth'),
  ]);
  expect(plain.stdout).toContain('Raise the limit, or continue with --start');
});

test.each([
  ['project', ['--labels', 'kind'], 'leave their column out with --drop COLUMN'],
  ['select', ['--max-seconds', '3'], 'The limit of each fit is --max-seconds-per-fit S'],
  ['worker', ['--max-bytes', '3'], 'The limit on the bytes that one fit fetches is --max-job-bytes N'],
])('%s names its flag for the purpose of %j', async (command, flags, advice) => {
  const ran = await latentfield([command, ...flags]);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain('unknown option');
  expect(ran.stderr).toContain(advice);
});
