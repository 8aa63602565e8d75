import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';

/** Options of likelihoods of counts. */
export interface CountOptions {
  /**
   * 'rowSums' adds the logarithm of the mean count of its row to every function: rows of more counts have higher rates, which then say nothing of the latents (library
   * sizes of cells). Rates that are predicted are those of a row whose mean count is 1.
   */
  readonly offset?: 'rowSums';
}

export const countOptions = {
  offset: (given: unknown): 'rowSums' => {
    if (given === 'rowSums') return given;
    throw new InvalidInputError(`The offset of counts is 'rowSums', or left out, but ${describe(given)} was given.`);
  },
};

/** f, n×D, with the offset of each row of counts. */
export function withOffset(f: Tensor2D, y: Tensor2D, { offset }: CountOptions): Tensor2D {
  return offset === undefined ? f : op.add<Tensor2D>(f, op.log(op.mean(y, 1, true)));
}

/** What counts must be, for one that is not. */
export function refusesAsCount(y: number, { offset }: CountOptions, rowMean: number): string | undefined {
  if (!(Number.isInteger(y) && y >= 0)) return 'a count, a whole number from 0';
  if (offset === undefined || rowMean > 0) return undefined;
  return "in a row without missing entries whose sum is above 0, as offset: 'rowSums' divides by it";
}

/** The logarithm of a count, of ½ more, as 0 has none. */
export function logCount(y: number, { offset }: CountOptions, rowMean: number): number {
  return log((offset === undefined ? y : y / rowMean) + 0.5);
}
