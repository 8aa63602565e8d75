import { InvalidInputError } from './errors.ts';
import { readGiven } from './given.ts';
import { describe } from './matrix.ts';
import { unknownName } from './options.ts';

/** What a member of a definition must be. */
export type Member = 'function' | 'function, if any' | 'anything';

/**
 * Checks the members of a definition that somebody makes a part of.
 *
 * @param definition - an object
 * @param members - all that it may have
 * @throws InvalidInputError for a member that is not known, which may be another one mistyped, and for one that is no function and should be
 */
export function checkMembers<T extends object>(
  definition: T,
  caller: string,
  members: Readonly<Record<keyof T & string, Member>>,
): T {
  return readGiven(`The definition given to ${caller}`, () => {
    checkKnown(definition, caller, Object.keys(members));
    for (const [key, member] of Object.entries<Member>(members)) {
      const value: unknown = Reflect.get(definition, key);
      if (member === 'anything' || typeof value === 'function') continue;
      if (member === 'function, if any' && value === undefined) continue;
      throw new InvalidInputError(`${caller} needs ${key} to be a function, but ${describe(value)} was given.`);
    }
    return definition;
  });
}

/** The first half of `checkMembers`. */
export function checkKnown(definition: object, caller: string, known: readonly string[]): void {
  const unknown = Object.keys(definition).find((key) => !known.includes(key));
  if (unknown !== undefined) throw unknownName('member', unknown, known, `A definition for ${caller}`);
}
