/** Every error that latentfield throws on purpose is one of these, so that a caller can tell them from a bug. */
export class LatentFieldError extends Error {
  override name = 'LatentFieldError';
}

/** The caller's input cannot be used: the message says what was given, what was expected and what to do. */
export class InvalidInputError extends LatentFieldError {
  override name = 'InvalidInputError';
}

/** A computation left the numbers it can work with: a matrix that is not positive definite, memory that ran out. */
export class NumericalError extends LatentFieldError {
  override name = 'NumericalError';
}

/** A fit could not start or go on: the objective is not finite at the start, a parameter receives no gradient. */
export class OptimizationError extends LatentFieldError {
  override name = 'OptimizationError';
}
