import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';

/**
 * Refuses an option that does not exist, naming the closest one that does.
 *
 * @throws InvalidInputError
 */
export function checkOptionNames(options: unknown, known: readonly string[], owner: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidInputError(`The options of ${owner} must be an object, but ${describe(options)} was given.`);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const closest = [...known].sort((a, b) => editDistance(name, a) - editDistance(name, b))[0];
    const near = closest !== undefined && editDistance(name, closest) <= Math.max(2, name.length / 3);
    throw new InvalidInputError(
      `${owner} has no option '${name}'.${near ? ` Did you mean '${closest}'?` : ''} Its options are ${known.join(', ')}.`,
    );
  }
}

/** An integer of at least `least`, or an error that names it. */
export function checkCount(value: unknown, least: number, name: string): number {
  if (Number.isInteger(value) && (value as number) >= least) return value as number;
  throw new InvalidInputError(`The ${name} must be an integer of at least ${least}, but ${describe(value)} was given.`);
}

/** A number with low ≤ value < high (both may be infinite), or an error that names it. */
export function checkNumber(value: unknown, low: number, high: number, name: string): number {
  if (typeof value === 'number' && value >= low && value < high) return value;
  const range = high === Number.POSITIVE_INFINITY ? `a finite number of at least ${low}` : `in [${low}, ${high})`;
  throw new InvalidInputError(`The ${name} must be ${range}, but ${describe(value)} was given.`);
}

/** Levenshtein's distance, ignoring case. */
function editDistance(a: string, b: string): number {
  const from = a.toLowerCase();
  const to = b.toLowerCase();
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
