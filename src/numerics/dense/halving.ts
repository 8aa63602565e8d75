/**
 * The triangular algorithms here are recursive: split in two halves, treat the diagonal blocks, couple them by matrix
 * products. Up to this size a block is treated row by row.
 */
export const BASE = 32;

/** The size of the first half: a multiple of the micro-kernel's four rows. */
export function firstHalf(n: number): number {
  return Math.ceil(n / 8) * 4;
}
