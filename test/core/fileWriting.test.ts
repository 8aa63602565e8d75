import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockPath, writeAtomically } from '../../src/core/fileWriting.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latentfield-files-'));
  file = join(folder, 'fit.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('writeAtomically', () => {
  it.each([0o600, 0o640, 0o666])('keeps the permissions of a file that it replaces: %o', async (mode) => {
    writeFileSync(file, 'old');
    chmodSync(file, mode);
    await writeAtomically(file, 'new');
    expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['new', mode]);
  });

  it('takes those of the file that a link leads to, and replaces the link', async () => {
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'old');
    chmodSync(secret, 0o600);
    symlinkSync(secret, file);
    await writeAtomically(file, 'new');
    expect([readFileSync(secret, 'utf8'), readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['old', 'new', 0o600]);
  });

  it('has the file on the disk before it has its name, and then the folder', async () => {
    const handle = await open(folder, 'r');
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    const names: string[][] = [];
    const sync = vi.spyOn(prototype, 'sync').mockImplementation(async () => {
      names.push(readdirSync(folder).map((name) => (name.endsWith('.tmp') ? 'temporary' : name)));
    });
    await writeAtomically(file, 'text');
    sync.mockRestore();
    expect(names).toEqual([['temporary'], ['fit.json']]);
  });

  it('keeps a file that has appeared, where it may not replace it', async () => {
    await writeAtomically(file, 'one', { replace: false });
    await expect(writeAtomically(file, 'two', { replace: false })).rejects.toMatchObject({ code: 'alreadyThere' });
    expect(readFileSync(file, 'utf8')).toBe('one');
    expect(readdirSync(folder)).toEqual(['fit.json']);
  });

  it('says by its code that a file cannot be written', async () => {
    await expect(writeAtomically(join(folder, 'no', 'where'), '')).rejects.toMatchObject({ code: 'cannotWrite' });
  });
});

describe('lockPath', () => {
  it('gives a path to one at a time', async () => {
    const release = await lockPath(file);
    await expect(lockPath(file)).rejects.toMatchObject({ code: 'inUse' });
    release();
    (await lockPath(file))();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over from a process of this host that is no longer there, and from nobody else', async () => {
    (await lockPath(file))();
    const release = await lockPath(file);
    const own = readFileSync(`${file}.lock`, 'utf8');
    release();
    // No process has a number as large.
    writeFileSync(`${file}.lock`, own.replace(/\d+\n$/, '99999999\n'));
    (await lockPath(file))();
    for (const other of ['another-host.99999999\n', '']) {
      writeFileSync(`${file}.lock`, other);
      await expect(lockPath(file), other).rejects.toThrow(`remove '${file}.lock'`);
    }
  });

  it('lets one of many have what a killed process left behind', async () => {
    const release = await lockPath(file);
    const stale = readFileSync(`${file}.lock`, 'utf8').replace(/\d+\n$/, '99999999\n');
    release();
    for (let round = 0; round < 20; round++) {
      writeFileSync(`${file}.lock`, stale);
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockPath(file)));
      const held = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(held.length).toBe(1);
      for (const releaseAgain of held) releaseAgain();
    }
  });
});
