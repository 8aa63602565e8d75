import { InvalidInputError } from '../../core/errors.ts';
import type { Tensor2D } from '../tensorflow.ts';

/** B, when its points have as many columns as those of A. */
export function samePoints(A: Tensor2D, B: Tensor2D, operation: string): Tensor2D {
  if (A.shape[1] === B.shape[1]) return B;
  throw new InvalidInputError(
    `${operation} needs points of the same dimension, but A is ${A.shape.join('×')} and B is ${B.shape.join('×')}.`,
  );
}
