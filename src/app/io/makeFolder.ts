import { existsSync, statSync } from 'node:fs';
import { access, constants, mkdir, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { systemReason } from '../../core/systemReason.ts';

/**
 * Makes a folder for results, with those above it, where it is not there.
 *
 * @returns the topmost folder that it made, undefined where all were there
 * @throws InvalidInputError when a file is in its place or above it, or when nothing can be written to it
 * @internal
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  checkPath(folder, 'makeFolder');
  const present = firstPresent(resolve(folder));
  if (!statSync(present).isDirectory()) {
    const which = present === resolve(folder) ? `'${folder}'` : `'${present}', above '${folder}',`;
    throw new InvalidInputError(`${which} is a file, but results take a folder. Give the path of a folder.`);
  }
  try {
    const made = await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return made === undefined ? undefined : resolve(made);
  } catch (error) {
    throw new InvalidInputError(
      `Nothing can be written to the folder '${folder}': ${systemReason(error)}. Give a folder that you may write to.`,
      { cause: error },
    );
  }
}

/**
 * Removes a folder and those above it, up to the topmost that `makeFolder` made, as long as they are empty.
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
      return; // It holds something.
    }
    if (path === topmost) return;
  }
}

/**
 * Checks where one table of results is to go, before it is computed.
 *
 * @throws InvalidInputError when a folder is there, or there is no folder for the file
 * @internal
 */
export function checkFilePath(file: string): void {
  checkPath(file, 'checkFilePath');
  if (existsSync(file)) {
    if (!statSync(file).isDirectory()) return;
    throw new InvalidInputError(
      `'${file}' is a folder. Give the path of a file, such as '${file.replace(/\/+$/, '')}/table.csv'.`,
    );
  }
  const folder = dirname(resolve(file));
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  const why = existsSync(folder) ? `'${folder}' is a file, not a folder` : `there is no folder '${folder}'`;
  throw new InvalidInputError(`'${file}' cannot be written: ${why}. Make the folder first, or give another path.`);
}

function checkPath(path: unknown, caller: string): void {
  if (typeof path === 'string') return;
  throw new InvalidInputError(`${caller} takes the path of a file or folder, but ${describe(path)} was given.`);
}

/** The path itself, or the nearest one above it that is there. */
function firstPresent(path: string): string {
  let present = path;
  while (!existsSync(present) && dirname(present) !== present) present = dirname(present);
  return present;
}
