import { InvalidInputError } from './errors.ts';
import { readGiven } from './given.ts';
import { describe } from './matrix.ts';
import { unknownName } from './options.ts';

/** Requirement on a member of a definition. */
export type Member = 'function' | 'function, if any' | 'anything';

/**
 * Checks the members of a part's definition.
 *
 * @param definition - an object
 * @param members - the requirement on each known member
 * @throws InvalidInputError for an unknown member, which may be a typing error, and for one that must be a function and is not
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

/** Throws for an unknown member. */
export function checkKnown(definition: object, caller: string, known: readonly string[]): void {
  const unknown = Object.keys(definition).find((key) => !known.includes(key));
  if (unknown !== undefined) throw unknownName('member', unknown, known, `A definition for ${caller}`);
}
