import { log } from '../../core/elementary/index.ts';

/** What counts must be, for one that is not. */
export function refusesAsCount(y: number): string | undefined {
  return Number.isInteger(y) && y >= 0 ? undefined : 'a count, a whole number from 0';
}

/** The logarithm of a count, of ½ more, as 0 has none. */
export function logCount(y: number): number {
  return log(y + 0.5);
}
