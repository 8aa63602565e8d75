import { InvalidInputError } from './errors.ts';
import { describe } from './matrix.ts';

/**
 * What a caller gave, once it has been seen to be of the right kind.
 *
 * @param isRight - a test, of which an error (an object that cannot be read) counts as no
 * @throws InvalidInputError that says what was expected
 */
export function checkGiven<T>(value: T, caller: string, expected: string, isRight: (value: T) => boolean): T {
  if (answers(() => isRight(value))) return value;
  throw new InvalidInputError(`${caller} takes ${expected}, but ${describe(value)} was given.`);
}

/** Options, an empty object where none are given. */
export function givenOptions<T extends object>(options: T | undefined, caller: string): T {
  return options === undefined ? ({} as T) : checkGiven(options, caller, 'an object of options', isReadable);
}

/** A definition that somebody makes a part of. */
export const checkDefinition = <T extends object>(
  definition: T,
  caller: string,
  expected = 'a definition with a name and functions',
): T => checkGiven(definition, caller, expected, isReadable);

/** Whether something is a list: an array, a typed array, or an object like one that has its last entry too. */
export const isList = (value: unknown): value is ArrayLike<unknown> => {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { length } = value as { length?: unknown };
  return Number.isInteger(length) && (length === 0 || Reflect.has(value, (length as number) - 1));
};

const isReadable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Reflect.get(value, 'name') !== isReadable;

function answers(test: () => boolean): boolean {
  try {
    return test();
  } catch {
    return false;
  }
}
