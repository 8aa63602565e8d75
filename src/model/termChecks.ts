import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError, LatentFieldError, OptimizationError } from '../core/errors.ts';
import { describe, reasonOf } from '../core/matrix.ts';
import type { Scalar } from '../tensors/tensorflow.ts';

/**
 * The terms of a model, each a scalar that is still there.
 *
 * @throws InvalidInputError for one that is not, naming it
 */
export function checkedTerms(owner: string, terms: unknown): Readonly<Record<string, Scalar>> {
  if (typeof terms !== 'object' || terms === null || terms instanceof tf.Tensor || Object.keys(terms).length === 0) {
    throw new InvalidInputError(`The terms of ${owner} must be scalars by name, but ${describe(terms)} was returned.`);
  }
  for (const [name, term] of Object.entries(terms as Readonly<Record<string, unknown>>)) {
    if (!(term instanceof tf.Tensor)) {
      throw new InvalidInputError(
        `Term '${name}' of ${owner} must be a scalar tensor, but ${describe(term)} was returned.`,
      );
    }
    if (term.isDisposed) throw disposed(`Term '${name}' of ${owner}`);
    if (term.rank !== 0) {
      throw new InvalidInputError(
        `Term '${name}' of ${owner} must be a scalar tensor, but its shape is [${term.shape}]. Sum it.`,
      );
    }
  }
  return terms as Readonly<Record<string, Scalar>>;
}

/** What TensorFlow.js says of a tensor that is no longer there: when it is read, and when an operation is given it. */
const DISPOSED = /disposed|reading 'backend'/;

/**
 * Does some work of a caller's.
 *
 * @throws InvalidInputError when TensorFlow.js met a tensor that is no longer there, OptimizationError with the cause when it failed otherwise
 */
export function withLocation<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LatentFieldError) throw error;
    if (error instanceof Error && DISPOSED.test(error.message)) throw disposed(where);
    throw new OptimizationError(`${where} failed: ${reasonOf(error)}`, { cause: error });
  }
}

function disposed(where: string): InvalidInputError {
  return new InvalidInputError(
    `${where} uses a tensor that was disposed of: tensors live as long as the evaluation in which they are made. Make it where it is used, or in the definition's constants, which are kept.`,
  );
}
