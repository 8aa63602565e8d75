import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';

/** Options of likelihoods of counts. */
export interface CountOptions {
  /**
   * 'rowSums' adds the logarithm of each row's mean count to its functions: rows with more counts (cells with larger libraries) have higher rates,
   * which the latents then need not explain. Predicted rates are those of a row with mean count 1.
   * Rows are taken whole, and densities are those of counts whose row sums are known: compare them with those of models with the same offset.
   */
  readonly offset?: 'rowSums';
}

export const countOptions = {
  offset: (given: unknown): 'rowSums' => {
    if (given === 'rowSums') return given;
    throw new InvalidInputError(`The offset of counts is 'rowSums', or left out, but ${describe(given)} was given.`);
  },
};

/** f, n×D, with the offset of each row added. */
export function withOffset(f: Tensor2D, y: Tensor2D, { offset }: CountOptions): Tensor2D {
  return offset === undefined ? f : op.add<Tensor2D>(f, op.log(op.mean(y, 1, true)));
}

/** The requirement that y violates as a count; undefined if it violates none. */
export function refusesAsCount(y: number, { offset }: CountOptions, rowMean: number): string | undefined {
  if (!(Number.isInteger(y) && y >= 0)) return 'a count, a whole number from 0';
  if (offset === undefined || rowMean > 0) return undefined;
  return "in a row without missing entries whose sum is above 0, as offset: 'rowSums' divides by it";
}

/** The logarithm of a count plus ½, since counts may be 0. */
export function logCount(y: number, { offset }: CountOptions, rowMean: number): number {
  return log((offset === undefined ? y : y / rowMean) + 0.5);
}
