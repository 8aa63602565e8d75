import { InvalidInputError } from '../../core/errors.ts';
import { nodeModule } from '../../core/nodeModule.ts';
import { systemReason } from '../../core/systemReason.ts';

type FileSystem = typeof import('node:fs/promises');

const fileSystem = () =>
  nodeModule<FileSystem>(
    'node:fs/promises',
    'A checkpoint is named by the path of a file in Node only. Elsewhere give checkpoint a function that stores it, and resume what was stored.',
  );

/**
 * Writes a checkpoint so that the file is whole whenever the process ends: under a temporary name beside it, which then
 * replaces it. The temporary name ends at random, and no file or link that is there already is written to.
 *
 * @throws InvalidInputError when it cannot be written there
 */
export async function writeCheckpointFile(file: string, checkpoint: object): Promise<void> {
  const { open, rename, rm } = await fileSystem();
  const { randomBytes } = await nodeModule<typeof import('node:crypto')>('node:crypto', 'Not in Node.');
  const temporary = `${file}.${await hostName()}.${process.pid}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(`${JSON.stringify(checkpoint)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new InvalidInputError(`The checkpoint '${file}' cannot be written: ${await unwritable(file, error)}.`, {
      cause: error,
    });
  }
}

/** Of a file to be written, what is not there is its folder. */
async function unwritable(file: string, error: unknown): Promise<string> {
  if ((error as { readonly code?: unknown }).code !== 'ENOENT') return systemReason(error);
  const { dirname } = await nodeModule<typeof import('node:path')>('node:path', 'Not in Node.');
  return `there is no folder '${dirname(file)}'. Make the folder first, or give another path`;
}

/**
 * Removes what processes of this host that were killed while they wrote this file have left beside it, where it may. Whether those of
 * another host, which shares the folder, are alive cannot be known here.
 */
export async function removeStaleFiles(file: string): Promise<void> {
  const { readdir, rm } = await fileSystem();
  const { basename, dirname, join } = await nodeModule<typeof import('node:path')>('node:path', 'Not in Node.');
  const folder = dirname(file);
  const names = await readdir(folder).catch(() => []);
  const own = `${basename(file)}.${await hostName()}.`;
  for (const name of names) {
    const [, writer] = name.startsWith(own) ? (/^(\d+)\.[0-9a-f]{16}\.tmp$/.exec(name.slice(own.length)) ?? []) : [];
    if (writer === undefined || isAlive(Number(writer))) continue;
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** As it may be part of a file's name. */
async function hostName(): Promise<string> {
  const { hostname } = await nodeModule<typeof import('node:os')>('node:os', 'Not in Node.');
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

/**
 * The JSON in a checkpoint's file.
 *
 * @throws InvalidInputError when it cannot be read or was cut short
 */
export async function readCheckpointFile(file: string): Promise<unknown> {
  const { readFile } = await fileSystem();
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new InvalidInputError(`The checkpoint '${file}' cannot be read: ${systemReason(error)}.`, {
      cause: error,
    });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(
      `The checkpoint '${file}' is no whole JSON (${text.length} characters): it was cut short, or is something else.`,
      { cause: error },
    );
  }
}
