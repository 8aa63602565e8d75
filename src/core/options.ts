import * as v from 'valibot';
import { InvalidInputError, LatentFieldError } from './errors.ts';
import { describe, reasonOf } from './matrix.ts';
import { safeParseOwn } from './ownKeys.ts';

/**
 * Returns the value if it passes a test.
 *
 * @param isRight - the test; an error it throws (an unreadable object) counts as false
 * @throws InvalidInputError that names the expectation
 */
export function checkGiven<T>(value: T, caller: string, expected: string, isRight: (value: T) => boolean): T {
  if (answers(() => isRight(value))) return value;
  throw new InvalidInputError(`${caller} takes ${expected}, but ${describe(value)} was given.`);
}

/** Test for a whole number between two limits. */
export const isWhole =
  (least: number, most = Number.POSITIVE_INFINITY) =>
  (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

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

/**
 * Copies a list of numbers of known length.
 *
 * @throws InvalidInputError for anything else
 */
export function givenNumbers(given: unknown, count: number, caller: string, expected: string): Float64Array {
  let numbers: Float64Array | undefined;
  let was = `${describe(given)} was`;
  answers(() => {
    if (!isList(given)) return false;
    if (given.length !== count) was = `${given.length} were`;
    else numbers = Float64Array.from(given as ArrayLike<number>);
    return true;
  });
  if (numbers !== undefined) return numbers;
  throw new InvalidInputError(`${caller} takes ${expected}, but ${was} given.`);
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
 * Checks the name of a custom component, which becomes a segment of its parameters' paths.
 *
 * @param of - the kind of part: 'A kernel'
 * @throws InvalidInputError unless it is one word of letters and digits that starts with a letter
 */
export function checkName(name: unknown, of: string): void {
  if (typeof name === 'string' && /^[A-Za-z][A-Za-z0-9]*$/.test(name)) return;
  throw new InvalidInputError(`${of}'s name is one word of letters and digits, but ${describe(name)} was given.`);
}

/**
 * Checks an options object against a strict schema and returns it; an entry that is undefined is left out.
 *
 * @throws InvalidInputError for an unknown name, suggesting the nearest known one, or a value of the wrong type
 * @internal
 */
export function checkOptions<
  T extends v.StrictObjectSchema<v.ObjectEntries, v.ErrorMessage<v.StrictObjectIssue> | undefined>,
>(schema: T, options: unknown, caller: string): v.InferOutput<T> {
  const known = Object.keys(schema.entries);
  const result = readGiven(`The options of ${caller}`, () => {
    const other = Object.entries(options ?? {}).find(([name, own]) => own !== undefined && !known.includes(name));
    if (other) throw unknownName('option', other[0], known, caller);
    return safeParseOwn(schema, options);
  });
  if (result.success) return result.output;
  const issue = result.issues[0];
  const key = issue.path?.map((item) => String(item.key)).join('.') ?? '';
  if (issue.type === 'strict_object' && key !== '') {
    throw new InvalidInputError(`${caller} needs the option '${key}', which was not given.`);
  }
  const where = key === '' ? `The options of ${caller}` : `Option '${key}' of ${caller}`;
  throw new InvalidInputError(
    `${where} must be ${expectation(issue.message)}, but ${describe(issue.input)} was given.${uncalled(issue)}`,
  );
}

/** A hint for a function passed instead of its result. */
const uncalled = ({ input, message }: v.BaseIssue<unknown>): string =>
  typeof input === 'function' && message.includes('(') ? ' Call it, and give what it returns.' : '';

/**
 * A copy of the options after checking their names.
 *
 * @throws InvalidInputError for an unknown name, suggesting the nearest known one
 * @internal
 */
export function namedOptions<T extends object>(
  options: T | undefined,
  caller: string,
  known: readonly (keyof T & string)[] | { readonly [Name in keyof T]-?: unknown },
): T {
  const given = givenOptions(options, caller);
  const names: readonly string[] = Array.isArray(known) ? known : Object.keys(known);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownName('option', unknown, names, caller);
  return given;
}

/** An error for an unknown name that suggests the nearest known one. */
export function unknownName(kind: string, name: string, known: readonly string[], caller: string): InvalidInputError {
  const choices = known.length === 0 ? 'It takes none.' : `Known are ${known.join(', ')}.`;
  return new InvalidInputError(`${caller} has no ${kind} '${name}'.${suggestion(name, known)} ${choices}`, {
    code: 'unknownName',
    subject: name,
  });
}

/**
 * The factory of a part by its name: one of the caller's own, or a built-in one.
 *
 * @param kind - 'kernel', 'prior', …
 * @throws InvalidInputError for a name that is not known, with the nearest one that is
 */
export function namedFactory<F>(
  kind: string,
  name: string,
  builtIn: Readonly<Record<string, F>>,
  own: Readonly<Record<string, F>> = {},
): F {
  const known = { ...builtIn, ...own };
  if (Object.hasOwn(known, name)) return known[name]!;
  const caller = `The list of known ${kind}s (your own: { ${kind}s }, or --parts FILE)`;
  throw unknownName(kind, name, Object.keys(known), caller);
}

/** The sentence "Did you mean …?" with the nearest known name; empty if none is near. */
export function suggestion(name: string, known: readonly string[]): string {
  let nearest: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (nearest === undefined || distance < nearest.distance) nearest = { candidate, distance };
  }
  const isNear = nearest !== undefined && nearest.distance <= Math.max(2, name.length / 3);
  const begun = known.filter((candidate) => name.length >= 3 && candidate.toLowerCase().startsWith(name.toLowerCase()));
  if (!isNear && begun.length === 1) return ` Did you mean '${begun[0]}'?`;
  return isNear ? ` Did you mean '${nearest!.candidate}'?` : '';
}

/** The end of "must be …": the schema's message, or the expectation within valibot's default message. */
function expectation(message: string): string {
  const expected = /Expected (.*) but received/.exec(message)?.[1];
  return expected ?? message;
}

/** Levenshtein distance between two words. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}

/** A schema of values of this type; without a schema, values are checked where they are used. */
export const typed = <T>(schema: v.GenericSchema = v.any()): v.GenericSchema<T> => schema as v.GenericSchema<T>;

/** Lists of such entries. */
export const listOf = <S extends v.GenericSchema>(entry: S, expected?: string) =>
  v.array(entry, expected) as v.GenericSchema<readonly v.InferInput<S>[], v.InferOutput<S>[]>;

type Entries<S> = S extends { readonly kind: 'schema'; readonly entries: infer E } ? E : S;

/** The options that a schema, or its entries, describes: an interface extends this, and its members are documented at the entries. */
export type OptionsIn<S> = {
  readonly [K in keyof Entries<S> as Entries<S>[K] extends { readonly type: 'optional' } ? K : never]?: v.InferInput<
    Extract<Entries<S>[K], v.GenericSchema>
  >;
} & {
  readonly [K in keyof Entries<S> as Entries<S>[K] extends { readonly type: 'optional' } ? never : K]: v.InferInput<
    Extract<Entries<S>[K], v.GenericSchema>
  >;
};

/** Whole numbers. */
export const integer = v.pipe(v.number('a whole number'), v.integer('a whole number'));

/** Whole numbers from the least on. */
export function integerFrom(least: number) {
  const expected = `a whole number from ${least}`;
  return v.pipe(v.number(expected), v.integer(expected), v.minValue(least, expected));
}

/** Whole numbers from the least to the largest. */
export function integerBetween(least: number, most: number) {
  const expected = `a whole number from ${least} to ${most}`;
  return v.pipe(v.number(expected), v.integer(expected), v.minValue(least, expected), v.maxValue(most, expected));
}

export const integerFromOne = integerFrom(1);

/** Finite numbers from 0. */
export const numberFromZero = v.pipe(
  v.number('a number from 0'),
  v.finite('a number from 0'),
  v.minValue(0, 'a number from 0'),
);

/** Numbers from 0, Infinity among them. */
export const limitFromZero = v.pipe(v.number('a number from 0'), v.minValue(0, 'a number from 0'));

/** Finite numbers above 0. */
export const numberAboveZero = v.pipe(
  v.number('a number above 0'),
  v.finite('a number above 0'),
  v.gtValue(0, 'a number above 0'),
);

/** Functions, such as one that is called with progress. */
export const functionOf = <F>(expected = 'a function'): v.GenericSchema<F> =>
  v.custom<F>((value) => typeof value === 'function', expected);

/** Seed of random numbers; default 0. */
export const seedOption = v.optional(integer, 0);

/** Signal that aborts. */
export const signalOption = v.optional(
  v.custom<AbortSignal>((value) => value instanceof AbortSignal, 'an AbortSignal'),
);

/** Treatment of missing entries: refused unless this is 'ignore'. */
export const missingOption = v.optional(v.picklist(['ignore'], "'ignore', or left out"));

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
