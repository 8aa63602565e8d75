import { InvalidInputError } from './errors.ts';
import { checkGiven } from './given.ts';
import { nodeModule } from './host.ts';
import { namedOptions } from './options.ts';
import { systemReason } from './systemReason.ts';

const node = <T>(name: string) => nodeModule<T>(`node:${name}`, 'Files are written in Node only.');
const fileSystem = () => node<typeof import('node:fs/promises')>('fs/promises');
const paths = () => node<typeof import('node:path')>('path');

/** How a file is written. */
export interface WriteOptions {
  /** Whether a file that is there is replaced (true, the default) or kept, with an error. */
  readonly replace?: boolean;
}

/**
 * Writes a file so that it is never seen half written, also after the power failed: under a temporary name beside it, to the disk, and then under
 * its name. A file that is replaced keeps its permissions. The temporary name ends at random, and no file or link that is there already is written to.
 *
 * @param file - path of the file, in a folder that exists
 * @param content - what it shall hold: text, as UTF-8, or bytes
 * @param options - see {@link WriteOptions}
 * @throws InvalidInputError with the code `cannotWrite`, or `alreadyThere` where it may not be replaced
 * @example
 * ```ts
 * await writeAtomically('fit.json', JSON.stringify(result.toJSON()));
 * ```
 */
export async function writeAtomically(
  file: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const { replace = true } = namedOptions(options, 'writeAtomically', ['replace']);
  const { open, rename, rm, stat } = await fileSystem();
  const { randomBytes } = await node<typeof import('node:crypto')>('crypto');
  const temporary = `${file}.${await hostName()}.${process.pid}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    const mode = await stat(file).then(
      (found) => found.mode & 0o777,
      () => undefined,
    );
    const handle = await open(temporary, 'wx', mode);
    try {
      // The mode that a file is opened with is cut by the umask.
      if (mode !== undefined && ((await handle.stat()).mode & 0o777) !== mode) await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (replace) await rename(temporary, file);
    else await claim(temporary, file);
    await syncFolder(file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritten(file, error, (await paths()).dirname(file));
  }
}

/** Gives a temporary file its name, unless that is taken. */
async function claim(temporary: string, file: string): Promise<void> {
  const { constants, copyFile, link, rm } = await fileSystem();
  try {
    await link(temporary, file);
  } catch (error) {
    // Not every file system knows second names.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await copyFile(temporary, file, constants.COPYFILE_EXCL);
  }
  await rm(temporary);
}

function unwritten(file: string, error: unknown, folder: string): InvalidInputError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') {
    return new InvalidInputError(`'${file}' is there already, and was not when this began.`, {
      cause: error,
      code: 'alreadyThere',
    });
  }
  // Of a file to be written, what is not there is its folder.
  const reason =
    code === 'ENOENT'
      ? `there is no folder '${folder}'. Make the folder first, or give another path`
      : systemReason(error);
  return new InvalidInputError(`'${file}' cannot be written: ${reason}.`, { cause: error, code: 'cannotWrite' });
}

/** The name of a file is on the disk once its folder is. */
async function syncFolder(file: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const handle = await (await fileSystem()).open((await paths()).dirname(file), 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems have nothing to do here, and say so.
    if (!['EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Removes what processes of this host that were killed while they wrote this file have left beside it, where it may. Whether those of
 * another host, which shares the folder, are alive cannot be known here.
 */
export async function removeStaleFiles(file: string): Promise<void> {
  const { readdir, rm } = await fileSystem();
  const { basename, dirname, join } = await paths();
  const folder = dirname(file);
  const names = await readdir(folder).catch(() => []);
  const own = `${basename(file)}.${await hostName()}.`;
  for (const name of names) {
    const [, writer] = name.startsWith(own) ? (/^(\d+)\.[0-9a-f]{16}\.tmp$/.exec(name.slice(own.length)) ?? []) : [];
    if (writer === undefined || isAlive(Number(writer))) continue;
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/**
 * Locks a file or folder for this process until it ends or the lock is released: beside it lies `PATH.lock`, which names the process. That of a
 * process of this host that is no longer alive is replaced.
 *
 * @returns what releases it
 * @throws InvalidInputError with the code `inUse` while another process has it
 */
export async function lockPath(path: string): Promise<() => void> {
  checkGiven(path, 'lockPath', 'the path of a file or folder', (given) => typeof given === 'string' && given !== '');
  const { link, readFile, rename, rm, writeFile } = await fileSystem();
  const { rmSync } = await node<typeof import('node:fs')>('fs');
  const { randomBytes } = await node<typeof import('node:crypto')>('crypto');
  const lock = `${path}.lock`;
  const host = await hostName();
  const own = `${host}.${process.pid}\n`;
  for (;;) {
    const temporary = `${lock}.${process.pid}.${randomBytes(8).toString('hex')}.tmp`;
    try {
      // Whole as soon as it is there: whoever finds it can tell whose it is.
      await writeFile(temporary, own, { flag: 'wx' });
      await claim(temporary, lock);
      break;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw unwritten(lock, error, (await paths()).dirname(lock));
    }
    const holder = await readFile(lock, 'utf8').catch(() => '');
    const [, where, pid] = /^(.+)\.(\d+)\n$/.exec(holder) ?? [];
    if (where === undefined || where !== host || isAlive(Number(pid))) {
      throw new InvalidInputError(
        `'${path}' is being written to by ${where === undefined ? 'another process' : `process ${pid}${where === host ? '' : ` on ${where}`}`}. Wait for its end, or give another path; if there is no such process, remove '${lock}'.`,
        { code: 'inUse' },
      );
    }
    // Renamed before it is removed: of two processes that find it, one gets it, and what is a lock of the other's by then is put back.
    const stale = `${lock}.${process.pid}.tmp`;
    await rename(lock, stale).catch(() => undefined);
    const renamed = await readFile(stale, 'utf8').catch(() => holder);
    if (renamed !== holder) await link(stale, lock).catch(() => undefined);
    await rm(stale, { force: true });
  }
  const release = () => {
    process.removeListener('exit', release);
    rmSync(lock, { force: true });
  };
  process.on('exit', release);
  return release;
}

/** As it may be part of a file's name. */
async function hostName(): Promise<string> {
  const { hostname } = await node<typeof import('node:os')>('os');
  return hostname().replace(/[^A-Za-z0-9-]/g, '_');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of somebody else's may not be asked, but is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
