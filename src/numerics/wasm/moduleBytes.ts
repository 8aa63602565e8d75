/** A WebAssembly module from base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** The instruction that does nothing, and f64x2.relaxed_madd, which takes the room of f64x2.mul and of f64x2.add. */
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
