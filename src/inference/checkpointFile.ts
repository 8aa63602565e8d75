import { InvalidInputError } from '../core/errors.ts';
import { nodeModule } from '../core/nodeModule.ts';

type FileSystem = typeof import('node:fs/promises');

const fileSystem = () =>
  nodeModule<FileSystem>(
    'node:fs/promises',
    'A checkpoint is named by the path of a file in Node only. Elsewhere give checkpoint a function that stores it, and resume what was stored.',
  );

/**
 * Writes a checkpoint so that the file is whole whenever the process ends: under a temporary name beside it, which then
 * replaces it.
 *
 * @throws InvalidInputError when it cannot be written there
 */
export async function writeCheckpointFile(file: string, checkpoint: object): Promise<void> {
  const { open, rename, rm } = await fileSystem();
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const handle = await open(temporary, 'w');
    try {
      await handle.writeFile(`${JSON.stringify(checkpoint)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new InvalidInputError(`The checkpoint '${file}' cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
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
    throw new InvalidInputError(`The checkpoint '${file}' cannot be read: ${(error as Error).message}.`, {
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
