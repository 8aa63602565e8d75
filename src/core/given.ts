import { InvalidInputError, LatentFieldError } from './errors.ts';
import { describe, reasonOf } from './matrix.ts';

/**
 * Returns the value if it passes a test.
 *
 * @param isRight - the test; an error it throws (an unreadable object) counts as false
 * @throws InvalidInputError that says what was expected
 */
export function checkGiven<T>(value: T, caller: string, expected: string, isRight: (value: T) => boolean): T {
  if (answers(() => isRight(value))) return value;
  throw new InvalidInputError(`${caller} takes ${expected}, but ${describe(value)} was given.`);
}

/**
 * Reads from an object of the caller; an error that the object itself throws (from a getter or a Proxy) becomes an InvalidInputError.
 *
 * @throws InvalidInputError with the object's own error as its cause
 */
export function readGiven<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof LatentFieldError) throw error;
    throw new InvalidInputError(`${what} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** A copy of the caller's options; an empty object if there are none. */
export function givenOptions<T extends object>(options: T | undefined, caller: string): T {
  if (options === undefined) return {} as T;
  checkGiven(options, caller, 'an object of options', isReadable);
  return readGiven(`The options of ${caller}`, () => ({ ...options }));
}

/** A copy of the caller's list. */
export function givenList<T>(list: ArrayLike<T>, caller: string, expected: string): readonly T[] {
  let copy: readonly T[] = [];
  checkGiven(list, caller, expected, (given) => {
    if (!isList(given)) return false;
    copy = copyOf(given);
    return true;
  });
  return copy;
}

/** Copies a typed array in a loop: Array.from uses its iterator, which takes several times as long. */
function copyOf<T>(given: ArrayLike<T>): readonly T[] {
  if (!(given instanceof Float64Array)) return Array.isArray(given) ? [...(given as readonly T[])] : Array.from(given);
  const copy = new Array<T>(given.length);
  for (let i = 0; i < copy.length; i++) copy[i] = given[i]! as T;
  return copy;
}

/** Throws unless the value is a function. */
export const checkFunction = <T>(value: T, caller: string, expected: string): T =>
  checkGiven(value, caller, expected, (given) => typeof given === 'function');

/** True if the value is a part of this kind and has the methods of such parts. */
export const isPart = (value: unknown, kind: string, functions: readonly string[]): boolean =>
  answers(() => {
    const read = (name: string): unknown => Reflect.get(value as object, name);
    return read('kind') === kind && functions.every((name) => typeof read(name) === 'function');
  });

/** Throws unless the definition of a part is a readable object. */
export const checkDefinition = <T extends object>(
  definition: T,
  caller: string,
  expected = 'a definition with a name and functions',
): T => checkGiven(definition, caller, expected, isReadable);

/** True for arrays, typed arrays, and array-like objects that have their last entry. */
export const isList = (value: unknown): value is ArrayLike<unknown> => {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { length } = value as { length?: unknown };
  return Number.isInteger(length) && (length === 0 || Reflect.has(value, (length as number) - 1));
};

/** True for a matrix or rows of numbers. */
export const isMatrixLike = (value: unknown): boolean =>
  isList(value) || (typeof value === 'object' && value !== null && 'rows' in value && 'data' in value);

const isReadable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Reflect.get(value, 'name') !== isReadable;

function answers(test: () => boolean): boolean {
  try {
    return test();
  } catch {
    return false;
  }
}

/**
 * Checks the name of a custom part, which becomes a segment of its parameters' paths.
 *
 * @param of - the kind of part: 'A kernel'
 * @throws InvalidInputError unless it is one word of letters and digits that starts with a letter
 */
export function checkName(name: unknown, of: string): void {
  if (typeof name === 'string' && /^[A-Za-z][A-Za-z0-9]*$/.test(name)) return;
  throw new InvalidInputError(`${of}'s name is one word of letters and digits, but ${describe(name)} was given.`);
}
