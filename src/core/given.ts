import { InvalidInputError, LatentFieldError } from './errors.ts';
import { describe, reasonOf } from './matrix.ts';

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

/**
 * Reads something of the caller's; what the object itself throws (a getter, a Proxy) says that it cannot be read.
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

/** Options, read once; none where none are given. */
export function givenOptions<T extends object>(options: T | undefined, caller: string): T {
  if (options === undefined) return {} as T;
  checkGiven(options, caller, 'an object of options', isReadable);
  return readGiven(`The options of ${caller}`, () => ({ ...options }));
}

/** A list, read once. */
export function givenList<T>(list: ArrayLike<T>, caller: string, expected: string): readonly T[] {
  let copy: readonly T[] = [];
  checkGiven(list, caller, expected, (given) => {
    if (!isList(given)) return false;
    copy = copyOf(given);
    return true;
  });
  return copy;
}

/** A loop for what cannot be anything but a list of so many: Array.from goes through the iterator, which takes several times as long. */
function copyOf<T>(given: ArrayLike<T>): readonly T[] {
  if (!(given instanceof Float64Array)) return Array.isArray(given) ? [...(given as readonly T[])] : Array.from(given);
  const copy = new Array<T>(given.length);
  for (let i = 0; i < copy.length; i++) copy[i] = given[i]! as T;
  return copy;
}

/** A function of the caller's. */
export const checkFunction = <T>(value: T, caller: string, expected: string): T =>
  checkGiven(value, caller, expected, (given) => typeof given === 'function');

/** Whether something is a part of this kind with the functions that such parts have: an object that only says to be one has none. */
export const isPart = (value: unknown, kind: string, functions: readonly string[]): boolean =>
  answers(() => {
    const read = (name: string): unknown => Reflect.get(value as object, name);
    return read('kind') === kind && functions.every((name) => typeof read(name) === 'function');
  });

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

/** Whether something is a matrix, or rows of numbers. */
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
 * The name of a part of one's own, which is a segment of the paths of its parameters.
 *
 * @param of - what is called so: 'A kernel'
 * @throws InvalidInputError when it is not one word of letters and digits, a letter first
 */
export function checkName(name: unknown, of: string): void {
  if (typeof name === 'string' && /^[A-Za-z][A-Za-z0-9]*$/.test(name)) return;
  throw new InvalidInputError(`${of}'s name is one word of letters and digits, but ${describe(name)} was given.`);
}
