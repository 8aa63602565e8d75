/** Most characters of a message. */
const LONGEST = 480;
/** Most characters kept of its end, which says what to do. */
const OF_END = 160;

/** Every error that latentfield throws on purpose is one of these, so that a caller can distinguish them from a bug. */
export class LatentFieldError extends Error {
  override name = 'LatentFieldError';

  /** @param message - of which the middle is left out where what was given makes it long */
  constructor(message?: string, options?: ErrorOptions) {
    super(message === undefined ? message : shortened(message), options);
  }
}

function shortened(message: string): string {
  if (message.length <= LONGEST) return message;
  return `${message.slice(0, LONGEST - OF_END - 3)} … ${message.slice(-OF_END)}`;
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
