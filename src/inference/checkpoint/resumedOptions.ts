import { InvalidInputError } from '../../core/errors.ts';
import { type Origin, originsOf } from '../fit/restartOrigins.ts';
import type { Checkpoint } from './checkpoint.ts';

/** How each start of a checkpoint was found. */
export function originsIn({ origins, starts }: Checkpoint): readonly Origin[] {
  return origins?.length === starts.length ? origins : originsOf(starts.length - 1);
}

/** Refuses options that contradict what is resumed. */
export function checkResumed(
  checkpoint: Checkpoint,
  { seed, origins }: { readonly seed?: number | undefined; readonly origins?: readonly Origin[] | undefined },
): void {
  for (const [name, saved, value] of [
    ['seed', checkpoint.seed, seed],
    ['restarts', checkpoint.starts.length - 1, origins && origins.length - 1],
  ] as const) {
    if (value !== undefined && value !== saved) {
      throw new InvalidInputError(
        `The checkpoint was saved by a fit with ${name} ${saved}, but ${name} is ${value}. Leave ${name} out, or fit without resume.`,
      );
    }
  }
  if (origins === undefined || JSON.stringify(origins) === JSON.stringify(originsIn(checkpoint))) return;
  throw new InvalidInputError(
    'The checkpoint was saved by a fit whose restarts had other inits or another width. Leave restarts out, or fit without resume.',
  );
}
