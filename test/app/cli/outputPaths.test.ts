import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notesOf } from '../../../src/app/cli/tableReport.ts';
import { checkFilePath, makeFolder } from '../../../src/app/io/makeFolder.ts';
import { latentfield } from './latentfield.ts';

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
