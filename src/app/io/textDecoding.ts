import { InvalidInputError } from '../../core/errors.ts';

/** Maximum number of characters of a string in V8. */
const LONGEST_TEXT = 2 ** 29 - 24;

/** Characters 0x80 to 0x9f of Windows-1252. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Text, with a note if it was not plain UTF-8. */
interface DecodedText {
  readonly text: string;
  readonly note?: string;
}

/**
 * Decodes bytes as UTF-16 if a byte order mark or zero bytes in every other position indicate it, otherwise as UTF-8. Bytes that are not valid UTF-8
 * are replaced if most characters beyond ASCII are valid; otherwise the text is decoded as Windows-1252, which includes Latin-1.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (bytes.length > LONGEST_TEXT) {
    throw new InvalidInputError(
      `A table as text may have ${LONGEST_TEXT} bytes, the longest text in JavaScript, but this one has ${bytes.length}. Split it, or save it as .npy or .parquet.`,
      { code: 'tooLarge' },
    );
  }
  const wide = utf16Order(bytes);
  if (wide !== undefined) {
    return { text: new TextDecoder(wide).decode(bytes), note: `The text is read as ${wide.toUpperCase()}.` };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const text = new TextDecoder('utf-8').decode(bytes);
    const broken = brokenBytes(bytes);
    const valid = countOf(text, /[\u0080-\ufffc\ufffe\uffff]/gu);
    if (valid >= broken.count) return { text, note: brokenNote(bytes, broken) };
    return {
      // Node before 23 leaves these 32 characters as they are in Latin-1.
      text: new TextDecoder('windows-1252')
        .decode(bytes)
        .replace(/[\u0080-\u009f]/g, (control) => WINDOWS[control.charCodeAt(0) - 0x80]!),
      note: 'The text is not valid UTF-8; it is read as Latin-1 (Windows-1252).',
    };
  }
}

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

interface Broken {
  readonly count: number;
  /** Index of the first invalid byte. */
  readonly first: number;
}

/** Bytes that belong to no UTF-8 character. */
function brokenBytes(bytes: Uint8Array): Broken {
  let [count, first] = [0, -1];
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      if (count === 0) first = at;
      count++;
    }
    at += Math.max(1, length);
  }
  return { count, first };
}

/** Length of the UTF-8 character at a position; 0 if there is none. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length =
    lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  for (let k = 1; k < length; k++) if ((bytes[at + k]! & 0xc0) !== 0x80) return 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  const isInvalid =
    (lead === 0xe0 && second < 0xa0) ||
    (lead === 0xed && second > 0x9f) ||
    (lead === 0xf0 && second < 0x90) ||
    (lead === 0xf4 && second > 0x8f);
  return isInvalid ? 0 : length;
}

function brokenNote(bytes: Uint8Array, { count, first }: Broken): string {
  const line = countOf(new TextDecoder('latin1').decode(bytes.subarray(0, first)), /\r\n|\r|\n/g) + 1;
  const place = `byte ${first + 1} (0x${bytes[first]!.toString(16)}, line ${line})`;
  const which = count === 1 ? `1 byte is not valid UTF-8` : `${count} bytes are not valid UTF-8, first`;
  return `${which}: ${place}; '\ufffd' stands for ${count === 1 ? 'it' : 'each'}.`;
}

function utf16Order(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Without a mark: tables of numbers are nearly all ASCII, whose upper bytes are zero.
  const pairs = Math.min(bytes.length >> 1, 100);
  let even = 0;
  let odd = 0;
  for (let k = 0; k < pairs; k++) {
    if (bytes[2 * k] === 0) even++;
    if (bytes[2 * k + 1] === 0) odd++;
  }
  if (pairs > 0 && odd > 0.8 * pairs && even === 0) return 'utf-16le';
  if (pairs > 0 && even > 0.8 * pairs && odd === 0) return 'utf-16be';
  return undefined;
}
