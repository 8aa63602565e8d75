import { InvalidInputError } from '../../core/errors.ts';
import type { FitProblem } from '../fit/fitProblem.ts';
import { type Origin, originsOf } from '../fit/restartOrigins.ts';
import type { SolverState } from '../minimize/solverState.ts';
import { type Checkpoint, readCheckpoint, resumedState } from './checkpoint.ts';

/** What a fit goes on from. */
export interface Resumed {
  readonly checkpoint: Checkpoint;
  /** How each start was found. */
  readonly origins: readonly Origin[];
  /** Where the run of one start stood; undefined where it had not begun. */
  stateOf(number: number, problem: FitProblem): SolverState | undefined;
}

interface Given {
  readonly resume?: string | object | undefined;
  readonly seed?: number | undefined;
  readonly origins?: readonly Origin[] | undefined;
}

/**
 * What the option `resume` of a fit holds; undefined without it.
 *
 * @throws InvalidInputError when it is no checkpoint, or other options contradict it
 */
export async function resumedFrom(options: Given): Promise<Resumed | undefined> {
  if (options.resume === undefined) return undefined;
  const checkpoint = await readCheckpoint(options.resume);
  checkResumed(checkpoint, options);
  return {
    checkpoint,
    origins: originsIn(checkpoint),
    stateOf: (number, problem) => resumedState(checkpoint, number, problem),
  };
}

function originsIn({ origins, starts }: Checkpoint): readonly Origin[] {
  return origins?.length === starts.length ? origins : originsOf(starts.length - 1);
}

/** Refuses options that contradict what is resumed. */
function checkResumed(checkpoint: Checkpoint, { seed, origins }: Given): void {
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
