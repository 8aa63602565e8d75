import { InvalidInputError } from './errors.ts';
import { nodeModule, systemReason } from './host.ts';
import { checkGiven, namedOptions } from './options.ts';

const node = <T>(name: string) => nodeModule<T>(`node:${name}`, 'Files are written in Node only.');
const fileSystem = () => node<typeof import('node:fs/promises')>('fs/promises');
const paths = () => node<typeof import('node:path')>('path');

/** Options for writing a file. */
export interface WriteOptions {
  /** Whether an existing file is replaced (default true) or kept, with an error. */
  readonly replace?: boolean;
}

/**
 * Writes a file atomically: it is never seen half written, even after a power failure. The content goes to a temporary file beside it, is synced to
 * disk and then renamed. A replaced file keeps its permissions. The temporary name ends at random and never refers to an existing file or link.
 *
 * @param file - path of the file, in an existing folder
 * @param content - text, written as UTF-8, or bytes
 * @param options - see {@link WriteOptions}
 * @throws InvalidInputError with the code `cannotWrite`, or `alreadyThere` if the file exists and `replace` is false
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
      // `logDensityOf` masks the mode with the umask.
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

/** Renames a temporary file unless the target exists. */
async function claim(temporary: string, file: string): Promise<void> {
  const { constants, copyFile, link, rm } = await fileSystem();
  try {
    await link(temporary, file);
  } catch (error) {
    // Some file systems have no hard links.
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
  // If a file to be written does not exist, it is its folder that is missing.
  const reason =
    code === 'ENOENT'
      ? `there is no folder '${folder}'. Make the folder first, or give another path`
      : systemReason(error);
  return new InvalidInputError(`'${file}' cannot be written: ${reason}.`, { cause: error, code: 'cannotWrite' });
}

/** A rename is durable only after its folder is synced. */
async function syncFolder(file: string): Promise<void> {
  // Folders cannot be opened on Windows.
  if (process.platform === 'win32') return;
  const handle = await (await fileSystem()).open((await paths()).dirname(file), 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems cannot sync folders.
    if (!['EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Removes temporary files that killed processes of this host left beside this file. Those of other hosts sharing the folder are kept: whether their
 * writers are alive cannot be known.
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
 * Locks a file or folder for this process until it exits or releases the lock. The lock file `PATH.lock` names the process. A lock of a dead process
 * of this host is replaced.
 *
 * @returns a function that releases the lock
 * @throws InvalidInputError with the code `inUse` while another process holds the lock
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
      // Created in one step with its content, so that any reader can tell who holds it.
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
    // Rename before removal: of two processes that find the stale lock only one gets it, and a lock that was taken in the meantime is restored.
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

/** The host's name with characters that file names allow. */
async function hostName(): Promise<string> {
  const { hostname } = await node<typeof import('node:os')>('os');
  return hostname().replace(/[^A-Za-z0-9-]/g, '_');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
