import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { type Lock, lockPath } from '../../core/fileLock.ts';
import { removeStaleFiles, type StagedFile, stageFile } from '../../core/fileWriting.ts';
import { checkFunction, checkGiven, checkOptions } from '../../core/options.ts';
import { makeFolder, removeEmptyFolders } from './makeFolder.ts';

/**
 * SHA-256 of each file of a result except the main one, by name.
 *
 * @internal
 */
export type FileSums = Readonly<Record<string, string>>;

/**
 * Folder of results that only this process writes to.
 *
 * All files are first written to disk under temporary names. They are then renamed, the main one last: it contains the checksums of the others, so
 * that any interruption leaves the earlier result, the new one, or files that a reader rejects because they belong to different results.
 *
 * @internal
 */
export interface ResultFolder {
  /** Writes a file under a temporary name. */
  add(name: string, content: string | Uint8Array): Promise<void>;
  /**
   * Renames all files to their final names, and removes files of an earlier result without a successor.
   *
   * @param main - content of the main file, computed from the checksums of the others
   * @returns paths of the files in the order of `names`
   */
  commit(main: (files: FileSums) => string): Promise<string[]>;
  /** Removes files that were not committed, the locks, and the folder if it is new and empty. */
  close(): Promise<void>;
  /** Sentences about killed processes that wrote to the folder. */
  readonly notes: readonly string[];
}

/**
 * Creates a folder for results, and locks it and further files for this process.
 *
 * @param main - name of the main file
 * @param names - names of all files that a result may have
 * @throws InvalidInputError if the folder cannot be made, or another process is writing there
 * @internal
 */
export async function openResultFolder(
  folder: string,
  main: string,
  names: readonly string[],
  options: { readonly force?: boolean | undefined; readonly alsoLocked?: readonly string[] } = {},
): Promise<ResultFolder> {
  const { force, alsoLocked } = checkOptions(folderSchema, options, 'openResultFolder');
  for (const path of [folder, main])
    checkGiven(path, 'openResultFolder', 'the path of a folder and the name of a file', isText);
  checkGiven(names, 'openResultFolder', 'a list of file names', Array.isArray);
  const topmost = await makeFolder(folder);
  const staged = new Map<string, StagedFile>();
  const sums: Record<string, string> = {};
  const locks: Lock[] = [];
  const pathOf = (name: string) => join(folder, name);
  const close = async () => {
    for (const file of staged.values()) await file.discard();
    for (const lock of locks) lock.release();
    await removeEmptyFolders(folder, topmost);
  };
  try {
    for (const path of [pathOf(main), ...alsoLocked]) locks.push(await lockPath(path));
    for (const path of [...names.map(pathOf), ...alsoLocked]) await removeStaleFiles(path, true);
  } catch (error) {
    await close();
    throw error;
  }
  const add = async (name: string, content: string | Uint8Array) => {
    staged.set(name, await stageFile(pathOf(name), content));
    sums[name] = sumOf(content);
  };
  return {
    notes: locks.flatMap(({ note }) => (note === undefined ? [] : [note])),
    add,
    close,
    async commit(contentOf) {
      await add(main, contentOf({ ...sums }));
      const earlier = force ? await filesOf(pathOf(main)) : {};
      for (const name of names) {
        if (Object.hasOwn(earlier, name) && !staged.has(name)) await rm(pathOf(name), { force: true });
      }
      const order = [...staged.keys()];
      for (const name of order) {
        await staged.get(name)!.commit({ replace: force });
        staged.delete(name);
      }
      return names.filter((name) => order.includes(name)).map(pathOf);
    },
  };
}

const folderSchema = v.strictObject({
  force: v.optional(v.boolean('true or false'), false),
  alsoLocked: v.optional(v.array(v.string('a path'), 'a list of paths'), []),
});

const isText = (value: unknown) => typeof value === 'string';

const sumOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** Checksums in a main file that may be damaged or absent. */
async function filesOf(main: string): Promise<FileSums> {
  try {
    return sumsIn(JSON.parse(await readFile(main, 'utf8')));
  } catch {
    return {};
  }
}

function sumsIn(json: unknown): FileSums {
  const { files } = (json ?? {}) as { files?: unknown };
  if (typeof files !== 'object' || files === null) return {};
  return Object.fromEntries(
    Object.entries(files).filter(([name, sum]) => typeof sum === 'string' && name === basename(name)),
  );
}

/** Milliseconds between attempts while another process replaces results, and number of attempts. */
const PAUSE = 50;
const PAUSES = 40;

/**
 * Reads the main file of a folder of results.
 *
 * @param read - reads and parses the main file
 * @throws InvalidInputError with the code `damaged` if a file of the folder belongs to another result; any error of `read`
 * @internal
 */
export async function readResult<T>(folder: string, main: string, read: (path: string) => Promise<T>): Promise<T> {
  for (const path of [folder, main])
    checkGiven(path, 'readResult', 'the path of a folder and the name of a file', isText);
  checkFunction(read, 'readResult', 'a function that reads the main file');
  for (let pause = 0; ; pause++) {
    const json = await read(join(folder, main));
    const foreign = await foreignFile(folder, sumsIn(json));
    if (foreign === undefined) return json;
    if (pause < PAUSES && existsSync(`${join(folder, main)}.lock`)) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      continue;
    }
    throw new InvalidInputError(
      `'${join(folder, foreign)}' does not belong to ${main}: it was edited, or a process was killed while it replaced the results. Fit again with \`force: true\`, or move that file elsewhere.`,
      { code: 'damaged' },
    );
  }
}

/** Name of a file with another checksum; missing files are ignored, since they were moved elsewhere. */
async function foreignFile(folder: string, sums: FileSums): Promise<string | undefined> {
  for (const [name, sum] of Object.entries(sums)) {
    const content = await readFile(join(folder, name)).catch(() => undefined);
    if (content !== undefined && sumOf(content) !== sum) return name;
  }
  return undefined;
}
