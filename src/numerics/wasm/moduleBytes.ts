/** A WebAssembly module from its hexadecimal digits, in small letters. */
export function bytesOf(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = 16 * digitAt(digits, 2 * i) + digitAt(digits, 2 * i + 1);
  return bytes;
}

function digitAt(digits: string, place: number): number {
  const code = digits.charCodeAt(place);
  return code < 58 ? code - 48 : code - 87;
}

/** The instruction that does nothing, and f64x2.relaxed_madd, which has the length of f64x2.mul and of f64x2.add. */
const NOTHING = [0x01, 0x01, 0x01];
const MULTIPLY_ADD = [0xfd, 0x87, 0x02];

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
    bytes.set(i % 2 === 0 ? NOTHING : MULTIPLY_ADD, place);
  });
  return bytes;
}
