import { accessSync, existsSync, statSync } from 'node:fs';
import { access, constants, mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { InvalidInputError } from '../../core/errors.ts';
import { systemReason } from '../../core/host.ts';
import { checkGiven } from '../../core/options.ts';

/**
 * Creates a folder for results with its parents, unless it exists.
 *
 * @returns the topmost folder that it created; undefined if all existed
 * @throws InvalidInputError if the path or one of its parents is a file, or if it is not writable
 * @internal
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  const present = await checkFolderPath(folder);
  const path = resolve(folder);
  const missing: string[] = [];
  for (let above = path; above !== present; above = dirname(above)) missing.unshift(above);
  try {
    // One by one: the recursive form never ends in file systems such as /proc, which refuse a folder whose parent exists.
    for (const next of missing) await mkdir(next).catch(unlessPresent);
    await access(folder, constants.W_OK);
    return missing[0];
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/**
 * Checks that a folder for results exists or could be made, before anything is computed.
 *
 * @returns the folder itself or its nearest existing parent
 * @throws InvalidInputError if the path or one of its parents is a file, or if it is not writable
 * @internal
 */
export async function checkFolderPath(folder: string): Promise<string> {
  checkPath(folder, 'makeFolder');
  const present = firstPresent(resolve(folder));
  if (!statSync(present).isDirectory()) {
    const which = present === resolve(folder) ? `'${folder}'` : `'${present}', above '${folder}',`;
    throw new InvalidInputError(`${which} is a file, but results take a folder. Give the path of a folder.`);
  }
  await access(present, constants.W_OK).catch((error) => {
    throw unwritable(folder, error);
  });
  return present;
}

/**
 * Creates a folder for files that are removed before this process ends.
 *
 * @throws InvalidInputError if the system's folder for temporary files is missing or not writable
 * @internal
 */
export async function makeTemporaryFolder(): Promise<string> {
  const parent = tmpdir();
  try {
    return await mkdtemp(join(parent, 'latentfield-'));
  } catch (error) {
    throw new InvalidInputError(
      `No temporary folder can be made in '${parent}': ${systemReason(error)}. Set TMPDIR to a folder that you may write to.`,
      { cause: error, code: 'cannotWrite' },
    );
  }
}

/** Ignores that another process has created the same folder. */
function unlessPresent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

const unwritable = (folder: string, cause: unknown) =>
  new InvalidInputError(
    `Nothing can be written to the folder '${folder}': ${systemReason(cause)}. Give a folder that you may write to.`,
    { cause, code: 'cannotWrite' },
  );

/**
 * Removes empty folders, from a folder up to the topmost one that `makeFolder` created.
 *
 * @internal
 */
export async function removeEmptyFolders(folder: string, topmost: string | undefined): Promise<void> {
  checkPath(folder, 'removeEmptyFolders');
  if (topmost === undefined) return;
  for (let path = resolve(folder); ; path = dirname(path)) {
    try {
      await rmdir(path);
    } catch {
      return; // It is not empty.
    }
    if (path === topmost) return;
  }
}

/**
 * Checks the path of a table of results before it is computed.
 *
 * @throws InvalidInputError if the path is a folder, or its parent folder does not exist or is not writable
 * @internal
 */
export function checkFilePath(file: string): void {
  checkPath(file, 'checkFilePath');
  const folder = dirname(resolve(file));
  const found = existsSync(file) ? statSync(file) : undefined;
  if (found?.isDirectory()) {
    throw new InvalidInputError(
      `'${file}' is a folder. Give the path of a file, such as '${file.replace(/\/+$/, '')}/table.csv'.`,
    );
  }
  if (found !== undefined && !found.isFile()) {
    throw new InvalidInputError(
      `'${file}' is a device or a pipe, which writing a table would replace. Give the path of a file, or no path for standard output.`,
    );
  }
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    const why = existsSync(folder) ? `'${folder}' is a file, not a folder` : `there is no folder '${folder}'`;
    throw new InvalidInputError(`'${file}' cannot be written: ${why}. Make the folder first, or give another path.`);
  }
  checkWritable(file, folder);
}

function checkWritable(file: string, folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new InvalidInputError(
      `'${file}' cannot be written: ${systemReason(error)}. Give a path in a folder that you may write to.`,
      { cause: error, code: 'cannotWrite' },
    );
  }
}

function checkPath(path: unknown, caller: string): void {
  checkGiven(path, caller, 'the path of a file or folder', (given) => typeof given === 'string');
}

/** Path itself or its nearest existing parent. */
function firstPresent(path: string): string {
  let present = path;
  while (!existsSync(present) && dirname(present) !== present) present = dirname(present);
  return present;
}
