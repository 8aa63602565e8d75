import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
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
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockPath } from '../../src/core/fileLock.ts';
import { removeStaleFiles, stageFile, temporaryName, writeAtomically } from '../../src/core/fileWriting.ts';
import { ownIdentity } from '../../src/core/processes.ts';

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

  it('uses the permissions of the target of a link, and replaces the link', async () => {
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

  it('reports by its code that a file cannot be written', async () => {
    await expect(writeAtomically(join(folder, 'no', 'where'), '')).rejects.toMatchObject({ code: 'cannotWrite' });
  });
});

describe('lockPath', () => {
  it('gives a path to one at a time', async () => {
    const lock = await lockPath(file);
    await expect(lockPath(file)).rejects.toMatchObject({ code: 'inUse' });
    lock.release();
    (await lockPath(file)).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  /** The lock file of a process that holds the path, changed. */
  async function lockOf(changes: object): Promise<string> {
    const lock = await lockPath(file);
    const text = readFileSync(`${file}.lock`, 'utf8');
    lock.release();
    return JSON.stringify({ ...JSON.parse(text), listens: false, ...changes });
  }

  it.each([
    ['of another number', { pid: 99_999_999 }],
    ['of the same number that began at another time, as in a container that was started again', { started: '1' }],
    ['of the same host before it was started again', { boot: 'another' }],
    ['whose socket nobody listens on', { space: 'pid:[1]', pid: 1, listens: true }],
  ])('replaces an ended process %s, and reports it', async (_, changes) => {
    const stale = await lockOf(changes);
    writeFileSync(`${file}.lock`, stale);
    if ('listens' in changes) await endedListener(JSON.parse(stale).token);
    const lock = await lockPath(file);
    expect(lock.note).toContain(`process ${JSON.parse(stale).pid}, which has ended`);
    await expect(lockPath(file)).rejects.toMatchObject({ code: 'inUse' });
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  /** A socket of a process that was killed. */
  async function endedListener(token: string): Promise<void> {
    const path = join(folder, `.${token}.socket`);
    const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', program]), 'close');
  }

  it.each([
    ['another host', { host: 'another', boot: 'another' }],
    ['a container whose file system has no sockets', { space: 'pid:[1]', pid: 1 }],
  ])('takes over from no process of %s', async (_, changes) => {
    writeFileSync(`${file}.lock`, await lockOf(changes));
    await expect(lockPath(file)).rejects.toThrow(`remove '${file}.lock'`);
  });

  it('takes over from nobody it cannot read about', async () => {
    writeFileSync(`${file}.lock`, '');
    await expect(lockPath(file)).rejects.toThrow(`remove '${file}.lock'`);
  });

  it('removes what processes of other hosts left while they tried to lock, and nothing of a process that tries now is lost', async () => {
    const name = basename(await temporaryName(`${file}.lock`, await ownIdentity()));
    const left = join(folder, name.replace(/\.[0-9a-f]{8}-/, '.00000000-'));
    for (let round = 0; round < 20; round++) {
      writeFileSync(left, '');
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockPath(file)));
      const reasons = all.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
      expect(reasons).toEqual(Array.from({ length: 7 }, () => 'inUse'));
      expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
      for (const one of all) if (one.status === 'fulfilled') one.value.release();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('locks files with names as long as names may be, in folders as deep', async () => {
    const deep = join(folder, 'd'.repeat(120));
    mkdirSync(deep);
    const long = join(deep, 'n'.repeat(255));
    const lock = await lockPath(long);
    await writeAtomically(long, 'text');
    await expect(lockPath(long)).rejects.toMatchObject({ code: 'inUse' });
    lock.release();
    expect(readdirSync(deep)).toEqual(['n'.repeat(255)]);
  });

  it('lets one of many have what a killed process left behind', async () => {
    const stale = await lockOf({ pid: 99_999_999 });
    for (let round = 0; round < 20; round++) {
      writeFileSync(`${file}.lock`, stale);
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockPath(file)));
      const held = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(held.length).toBe(1);
      for (const { release } of held) release();
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});

describe('removeStaleFiles', () => {
  it('removes temporary files of ended processes, and of running ones only where no other may write', async () => {
    const staged = await stageFile(file, 'text');
    await removeStaleFiles(file);
    const [name] = readdirSync(folder);
    writeFileSync(join(folder, name!.replace(/-\d+-\d+/, '-99999999-1')), 'text');
    await removeStaleFiles(file);
    expect(readdirSync(folder)).toEqual([name]);
    await removeStaleFiles(join(folder, 'another.json'), true);
    expect(readdirSync(folder)).toEqual([name]);
    await removeStaleFiles(file, true);
    expect(readdirSync(folder)).toEqual([]);
    await staged.discard();
  });
});
