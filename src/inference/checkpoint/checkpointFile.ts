import { InvalidInputError } from '../../core/errors.ts';
import { nodeModule } from '../../core/nodeModule.ts';
import { systemReason } from '../../core/systemReason.ts';

type FileSystem = typeof import('node:fs/promises');

/** @throws InvalidInputError elsewhere than in Node */
export const fileSystem = () =>
  nodeModule<FileSystem>(
    'node:fs/promises',
    'A checkpoint is named by the path of a file in Node only. Elsewhere give checkpoint a function that stores it, and resume what was stored.',
  );

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
