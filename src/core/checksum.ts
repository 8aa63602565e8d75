import { readGiven } from './given.ts';

/**
 * Checksum of a value as JSON, 16 hexadecimal digits. It detects accidental changes and is independent of the order of members, which databases may
 * change. It is no protection against forgery.
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

/** Checksums of a saved object by path: one for each member, and one for each member of those named in `divided`, so that damage can be located. */
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
