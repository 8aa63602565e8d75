import { InvalidInputError, LatentFieldError, OptimizationError } from '../core/errors.ts';
import { reasonOf } from '../core/matrix.ts';

/** What TensorFlow.js says of a tensor that is no longer there: when it is read, and when an operation is given it. */
const DISPOSED = /disposed|reading 'backend'/;

/**
 * Does some work of a caller's.
 *
 * @throws InvalidInputError when TensorFlow.js met a tensor that is no longer there, OptimizationError with the cause when it failed otherwise
 */
export function withLocation<T>(where: string | (() => string), work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LatentFieldError) throw error;
    const place = typeof where === 'string' ? where : where();
    if (error instanceof Error && DISPOSED.test(error.message)) throw disposed(place);
    throw new OptimizationError(`${place} failed: ${reasonOf(error)}`, { cause: error });
  }
}

export function disposed(where: string): InvalidInputError {
  return new InvalidInputError(
    `${where} uses a tensor that was disposed of: tensors live as long as the evaluation in which they are made. Make it where it is used, or in the definition's constants, which are kept.`,
  );
}
