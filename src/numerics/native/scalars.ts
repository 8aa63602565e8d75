const SLOT_BYTES = 8;
const SLOTS = 16;
const LETTERS = 'NTLRUV';

/** Places for the scalars of one call, which Fortran takes by reference. Each method gives the address of what it stores. */
export interface Scalars {
  letter(value: string): number;
  integer(slot: number, value: number): number;
  real(slot: number, value: number): number;
  /** Where a routine leaves its status; all bits are set. */
  status(): number;
  /** The status left there. */
  readonly info: number;
  /** How wide the integer was that a routine wrote as its status: 32 bits, or 64 (ILP64 builds). */
  readonly integerBits: 32 | 64;
}

/**
 * Every slot has eight bytes, little-endian, and the upper half of an integer is zero: libraries with integers of 32 and of 64
 * bits read the same number.
 *
 * @param address - of an ArrayBuffer: those of views shorter than 64 bytes may move
 */
export function scalars(address: (buffer: ArrayBuffer) => number): Scalars {
  const buffer = new ArrayBuffer(SLOT_BYTES * (SLOTS + LETTERS.length + 1));
  const start = address(buffer);
  const integers = new Int32Array(buffer);
  const reals = new Float64Array(buffer);
  const bytes = new Uint8Array(buffer);
  const firstLetter = SLOTS + 1;
  for (let i = 0; i < LETTERS.length; i++) bytes[SLOT_BYTES * (firstLetter + i)] = LETTERS.charCodeAt(i);

  return {
    letter(value) {
      return start + SLOT_BYTES * (firstLetter + LETTERS.indexOf(value));
    },
    integer(slot, value) {
      integers[2 * slot] = value;
      integers[2 * slot + 1] = 0;
      return start + SLOT_BYTES * slot;
    },
    real(slot, value) {
      reals[slot] = value;
      return start + SLOT_BYTES * slot;
    },
    status() {
      integers.fill(-1, 2 * SLOTS, 2 * SLOTS + 2);
      return start + SLOT_BYTES * SLOTS;
    },
    get info() {
      return integers[2 * SLOTS]!;
    },
    get integerBits() {
      // A status of zero or more in 64 bits clears the upper half.
      return integers[2 * SLOTS + 1] === 0 ? 64 : 32;
    },
  };
}
