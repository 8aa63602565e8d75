import { InvalidInputError } from './errors.ts';
import { nodeModule, systemReason } from './host.ts';
import { namedOptions } from './options.ts';
import { isAlive, ownIdentity, type ProcessIdentity } from './processes.ts';
import { checksum } from './saved.ts';

const node = <T>(name: string) => nodeModule<T>(`node:${name}`, 'Files are written in Node only.');
const fileSystem = () => node<typeof import('node:fs/promises')>('fs/promises');
const paths = () => node<typeof import('node:path')>('path');

/** Options for writing a file. */
export interface WriteOptions {
  /** Whether an existing file is replaced (default true) or kept, with an error. */
  readonly replace?: boolean;
}

/**
 * Writes a file atomically: it is never seen half written, even after a power failure. The content goes to a temporary file in the same folder, is
 * synced to disk and then renamed. A replaced file keeps its permissions. The temporary name ends at random and never refers to an existing file or
 * link.
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
  const staged = await stageFile(file, content);
  await staged.commit({ replace });
}

/** A file whose content is on the disk under a temporary name. */
export interface StagedFile {
  /** Renames the file to its final name; on failure the temporary file is removed. */
  commit(options: WriteOptions): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Writes the content of a file to disk under a temporary name, so that several files can be written before any of them is replaced.
 *
 * @throws InvalidInputError with the code `cannotWrite`; no file remains
 */
export async function stageFile(file: string, content: string | Uint8Array): Promise<StagedFile> {
  const { open, rename, rm, stat } = await fileSystem();
  const { dirname } = await paths();
  const temporary = await temporaryName(file, await ownIdentity());
  const discard = () => rm(temporary, { force: true }).catch(() => undefined);
  const failing = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      await discard();
      throw unwritten(file, error, dirname(file));
    }
  };
  await failing(async () => {
    const mode = await stat(file).then(
      (found) => found.mode & 0o777,
      () => undefined,
    );
    const handle = await open(temporary, 'wx', mode);
    try {
      // `open` masks the mode with the umask.
      if (mode !== undefined && ((await handle.stat()).mode & 0o777) !== mode) await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
  return {
    discard,
    commit: ({ replace = true }) =>
      failing(async () => {
        if (replace) await rename(temporary, file);
        else await claim(temporary, file);
        await syncFolder(file);
      }),
  };
}

/** Renames a temporary file unless the target exists. */
export async function claim(temporary: string, file: string): Promise<void> {
  const { constants, copyFile, link, rm } = await fileSystem();
  try {
    await link(temporary, file);
  } catch (error) {
    // Some file systems have no hard links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await copyFile(temporary, file, constants.COPYFILE_EXCL);
  }
  await rm(temporary, { force: true });
}

/** The error for a file that cannot be written. */
export function unwritten(file: string, error: unknown, folder: string): InvalidInputError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') {
    return new InvalidInputError(`'${file}' already exists, and did not when this began.`, {
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

/** Path of a new temporary file in the folder of a file. */
export async function temporaryName(file: string, own: ProcessIdentity): Promise<string> {
  const { randomBytes } = await node<typeof import('node:crypto')>('crypto');
  const { dirname, join } = await paths();
  const random = randomBytes(8).toString('hex');
  return join(dirname(file), `${await temporaryStart(file)}${writerOf(own)}.${random}.tmp`);
}

/** Prefix of the names of a file's temporary files, of the same length for every file. */
async function temporaryStart(file: string): Promise<string> {
  return `.${checksum((await paths()).basename(file)).slice(0, 8)}.`;
}

/** The part of a temporary name that identifies its writer. */
const writerOf = ({ host, boot, space, pid, started }: ProcessIdentity) =>
  `${checksum([host, boot, space]).slice(0, 8)}-${pid}-${started || 0}`;

/** Age after which a temporary file is stale if nothing is known about its writer. */
const STALE_MILLISECONDS = 3_600_000;

/** True for a file that was last written long ago; false where it is gone. */
async function isOld(path: string): Promise<boolean> {
  const found = await (await fileSystem()).stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MILLISECONDS;
}

/**
 * Removes the temporary files of this file that killed processes left.
 *
 * @param isLocked - true if this process alone may write the file, so that all of them are stale; otherwise files of living processes are kept, and
 *   files of other hosts and containers for an hour
 */
export async function removeStaleFiles(file: string, isLocked = false): Promise<void> {
  const { readdir, rm } = await fileSystem();
  const { dirname, join } = await paths();
  const own = await ownIdentity();
  const folder = dirname(file);
  const start = await temporaryStart(file);
  const [here] = writerOf(own).split('-');
  for (const name of await readdir(folder).catch(() => [])) {
    const [, where, pid, started] =
      (name.startsWith(start) && /^([0-9a-f]{8})-(\d+)-(\d+)\.[0-9a-f]{16}\.tmp$/.exec(name.slice(start.length))) || [];
    if (where === undefined) continue;
    const path = join(folder, name);
    const writer = { ...own, pid: Number(pid), started: started === '0' ? '' : started! };
    const isStale = isLocked || (where === here ? !(await isAlive(writer, own)) : await isOld(path));
    if (isStale) await rm(path, { force: true }).catch(() => undefined);
  }
}
