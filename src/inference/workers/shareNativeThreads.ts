import { processors } from '../../core/processors.ts';
import { findNative } from '../../numerics/native/index.ts';
import type { FitProblem } from '../fit/fitProblem.ts';

/**
 * Lets the native library use the part of the processors in each of `workers` calls at a time that is theirs: its number of threads holds for the
 * whole process, and it takes all processors for every call unless it is told.
 *
 * @returns sets the number back; does nothing on other engines, and where the library does not say how many threads it uses
 */
export async function shareNativeThreads(
  { chosenEngine }: Pick<FitProblem, 'chosenEngine'>,
  workers: number,
): Promise<() => void> {
  const found = chosenEngine.engine === 'native' ? findNative() : undefined;
  if (found === undefined || 'reason' in found || found.threads === undefined) return () => undefined;
  const before = found.threads;
  const share = Math.max(1, Math.floor((await processors()) / workers));
  if (share >= before) return () => undefined;
  findNative({ threads: share });
  return () => void findNative({ threads: before });
}
