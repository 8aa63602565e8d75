import type * as v from 'valibot';
import { InvalidInputError, LatentFieldError } from './errors.ts';
import { describe, reasonOf } from './matrix.ts';
import { readGiven } from './options.ts';
import { safeParseOwn } from './ownKeys.ts';

/** The path and message of errors that already name a path. */
const placed = new WeakMap<object, { readonly place: string; readonly what: string }>();

/** Error about a damaged part of a saved object. A path that starts with a dot is relative to the part that the caller is reading. */
export function damagedAt(place: string, what: string, cause?: unknown): InvalidInputError {
  const shown = place.replace(/^\./, '') || 'its top';
  const error = new InvalidInputError(`What was saved cannot be read at ${shown}: ${what}`, { cause });
  placed.set(error, { place, what });
  return error;
}

/**
 * Reads a part of a saved object and adds its path to any error.
 *
 * @param place - its path, such as `model.kernel`
 * @throws InvalidInputError that names the innermost path
 */
export function readingAt<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const known = placed.get(error as object);
    if (known?.place.startsWith('.')) throw damagedAt(place + known.place.replace(/\.$/, ''), known.what, error);
    if (known !== undefined) throw error;
    const reason =
      error instanceof LatentFieldError ? error.message : `it is damaged, or not of this version (${reasonOf(error)}).`;
    throw damagedAt(place, reason, error);
  }
}

/**
 * Checks a saved object against a schema.
 *
 * @throws InvalidInputError that names the path of the first mismatch
 */
export function checkSaved<T extends v.GenericSchema>(schema: T, saved: unknown, place: string): v.InferOutput<T> {
  const result = readingAt(place, () => safeParseOwn(schema, saved));
  if (result.success) return result.output;
  const issue = deepest(result.issues[0]);
  const keys = issue.path?.map(({ key }) => String(key)) ?? [];
  const path = place === '.' ? `.${keys.join('.')}` : [place, ...keys].filter((key) => key !== '').join('.');
  const expected = issue.expected === 'never' || issue.expected === null ? 'something else' : issue.expected;
  const found = issue.input === undefined ? 'nothing stands there' : `${describe(issue.input)} stands there`;
  throw damagedAt(path, `${expected} was expected, but ${found}.`);
}

/** Within a union, the issue of the alternative that matched furthest. */
function deepest(issue: v.BaseIssue<unknown>): v.BaseIssue<unknown> {
  const inner = (issue.issues ?? [])
    .map(deepest)
    .filter(({ path }) => (path?.length ?? 0) > (issue.path?.length ?? 0))
    .sort((a, b) => (b.path?.length ?? 0) - (a.path?.length ?? 0));
  return inner[0] ?? issue;
}

/** Deepest nesting of lists and objects: more than any model has, and too few to exhaust the stack. */
export const MOST_LEVELS = 400;

/**
 * @throws InvalidInputError for JSON nested more than {@link MOST_LEVELS} levels deep, naming the path
 * @internal
 */
export function checkDepth(saved: unknown, what: string): void {
  const open: { value: unknown; level: number; path: string }[] = [{ value: saved, level: 0, path: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level, path } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (level > MOST_LEVELS) {
      throw new InvalidInputError(
        `${what} is nested more than ${MOST_LEVELS} levels deep, below '${path.slice(1, 80)}…'. It is damaged, or was not written by this library.`,
      );
    }
    for (const [key, entry] of Object.entries(value)) {
      if (typeof entry === 'object' && entry !== null) {
        open.push({ value: entry, level: level + 1, path: path.length < 80 ? `${path}.${key}` : path });
      }
    }
  }
}

/**
 * @param expected - the saved checksums, by path
 * @throws InvalidInputError that names the first path whose content changed, is missing or was added
 */
export function checkSums(saved: object, divided: readonly string[], expected: Readonly<Record<string, string>>): void {
  const found = checksums(saved, divided);
  for (const place of new Set([...Object.keys(found), ...Object.keys(expected)])) {
    const own = Object.hasOwn(expected, place) ? expected[place] : undefined;
    if (found[place] === own) continue;
    const what =
      found[place] === undefined
        ? 'it is missing.'
        : own === undefined
          ? 'it was not saved with the rest.'
          : 'it is not what was saved, by its checksum.';
    throw damagedAt(place, `${what} Take an undamaged copy, or fit again.`);
  }
}

/**
 * Checksum of a value as JSON, 16 hexadecimal digits. It detects accidental changes and is independent of the order of members, which databases may
 * change. It does not protect against forgery.
 *
 * @param value - any value that `JSON.stringify` accepts, nested at most a few hundred levels deep
 * @throws InvalidInputError if the value cannot be written as JSON
 * @example
 * ```ts
 * checksum({ a: 1, b: [2, 3] }) === checksum({ b: [2, 3], a: 1 }); // true
 * ```
 */
export function checksum(value: unknown): string {
  const state = { low: 0x811c9dc5, high: 0x9e3779b9 };
  readGiven('What checksum was given', () => feed(state, value));
  return [state.high, state.low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

interface State {
  low: number;
  high: number;
}

/** Feeds the text of `JSON.stringify`, with members in alphabetical order. */
function feed(state: State, given: unknown): void {
  const value = hasOwnJson(given) ? given.toJSON() : given;
  if (Array.isArray(value)) {
    feedText(state, '[');
    for (const entry of value) {
      feed(state, entry);
      feedText(state, ',');
    }
  } else if (typeof value === 'object' && value !== null) {
    feedText(state, '{');
    for (const key of Object.keys(value).sort()) {
      const entry = (value as Record<string, unknown>)[key];
      if (entry === undefined) continue;
      feedText(state, JSON.stringify(key));
      feed(state, entry);
    }
  } else feedText(state, JSON.stringify(value) ?? 'null');
}

/**
 * Fowler, Noll and Vo's hash (FNV-1a), computed with two multipliers. Any change of a single character changes the hash.
 *
 * @see RFC 9923
 */
function feedText(state: State, text: string): void {
  let { low, high } = state;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x9e3779b1);
  }
  state.low = low;
  state.high = high;
}

const hasOwnJson = (value: unknown): value is { toJSON(): unknown } =>
  typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function';

/** Checksums of a saved object by path, to locate damage: one for each member, and for members named in `divided` one for each of their members. */
export function checksums(saved: object, divided: readonly string[]): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(saved)) {
    if (value === undefined) continue;
    if (!divided.includes(key)) found[key] = checksum(value);
    else {
      for (const [part, entry] of Object.entries(value as object)) {
        if (entry !== undefined) found[`${key}.${part}`] = checksum(entry);
      }
    }
  }
  return found;
}
