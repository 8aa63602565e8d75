/**
 * A WebAssembly module from the text that `scripts/buildWasm.mjs` makes of it. The text begins with the bytes that have a character of
 * their own, in hexadecimal digits, as many as there are characters less two; each of these two leads one of the other bytes, in ascending
 * order, by the character after it. Compressed it is a tenth shorter than hexadecimal digits.
 */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const single = CHARACTERS.length - 2;
  const place = new Map([...CHARACTERS].map((character, i) => [character, i]));
  const usual = Array.from({ length: single }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
  const all = [...usual, ...Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !usual.includes(byte))];
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let i = 2 * single; i < text.length; i++) {
    const first = place.get(text[i]!)!;
    bytes[length++] = all[first < single ? first : single * (first - single + 1) + place.get(text[++i]!)!]!;
  }
  return bytes.slice(0, length);
}

/** Printable, and none that a minifier or a page would have to escape. */
const CHARACTERS = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i)).replace(/["$'<\\`]/g, '');
