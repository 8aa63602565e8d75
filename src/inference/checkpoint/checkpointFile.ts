import { InvalidInputError } from '../../core/errors.ts';
import { removeStaleFiles, writeAtomically } from '../../core/fileWriting.ts';
import { nodeModule, systemReason } from '../../core/host.ts';
import { callersFunction, UNFINISHED } from '../fit/callersFunction.ts';
import type { Checkpoint } from './checkpoint.ts';

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

/** Where a fit saves its checkpoints. */
export interface Saving {
  save(checkpoint: Checkpoint): Promise<void>;
  /** A sentence about the last save, to be put behind others; empty where it went well. */
  warning(): string;
}

/**
 * Saves to a file, or through the caller's function. A file that cannot be written at first is an error, as long as little is lost by it;
 * later the fit goes on, tries again at the next save, and says at its end if the last one failed.
 *
 * @param signal - that of whatever stops the fit: a function that hangs does not hold it up
 */
export function saving(
  checkpoint: string | ((checkpoint: Checkpoint) => unknown) | undefined,
  signal: AbortSignal,
): Saving | undefined {
  if (checkpoint === undefined) return undefined;
  let warning = '';
  if (typeof checkpoint !== 'string') {
    const save = callersFunction('checkpoint', checkpoint, signal);
    return {
      async save(state) {
        if ((await save(state)) !== UNFINISHED) return;
        warning = ' The last checkpoint was not saved: the function given as checkpoint did not come to an end.';
      },
      warning: () => warning,
    };
  }
  let isFirst = true;
  return {
    async save(state) {
      if (isFirst) {
        await fileSystem();
        await removeStaleFiles(checkpoint);
      }
      try {
        await writeAtomically(checkpoint, `${JSON.stringify(state)}\n`);
        warning = '';
      } catch (error) {
        if (isFirst || !(error instanceof InvalidInputError)) throw error;
        warning = ` The last checkpoint was not saved, an earlier one may be there: ${error.message}`;
      }
      isFirst = false;
    },
    warning: () => warning,
  };
}
