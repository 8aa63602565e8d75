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

/** The instruction that does nothing, and the last two bytes of relaxed_madd, which has the length of mul and of add: of f32x4, otherwise of f64x2. */
const NOTHING = [0x01, 0x01, 0x01];
const SINGLE_MULTIPLY_ADD = [0x85, 0x02];
const MULTIPLY_ADD = [0x87, 0x02];
const SINGLE_ADD = 0xe4;

/**
 * The same module with multiplications and additions done at once: x·y + z is rounded once where the processor can, and twice where it
 * cannot.
 *
 * @param fusions - bytes of multiplications and of the additions that take them, by turns, each counted from the one before
 */
export function fused(module: Uint8Array<ArrayBuffer>, fusions: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = module.slice();
  let place = 0;
  fusions.forEach((step, i) => {
    place += step;
    if (i % 2 === 0) bytes.set(NOTHING, place);
    else bytes.set(bytes[place + 1] === SINGLE_ADD ? SINGLE_MULTIPLY_ADD : MULTIPLY_ADD, place + 1);
  });
  return bytes;
}
