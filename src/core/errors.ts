/** Longest message, in characters. */
const LONGEST = 480;
/** Characters kept from the end of a long message, which contains the remedy. */
const OF_END = 160;

/**
 * Error codes for programs: messages may be reworded, codes stay. The first four belong to the classes and apply where no other code is more
 * specific. `unknownName`: an option, model, column or part that does not exist; `missingEntry`: a cell without a value where one is needed;
 * `missingVariable`: a variable that predictions need and that has no rows; `tensorShape`: tensors of incompatible shapes; `tooLarge`: a size above a
 * limit; `damaged`: a file that was changed after it was written; `alreadyThere`: a file that must not be replaced; `inUse`: a folder or file that
 * another process is writing to; `queueLost`: a queue without workers or without a server, so that none of its jobs will end.
 */
export type ErrorCode =
  | 'failed'
  | 'invalidInput'
  | 'numerical'
  | 'optimization'
  | 'unknownName'
  | 'missingEntry'
  | 'missingVariable'
  | 'followsNoise'
  | 'tensorShape'
  | 'tooLarge'
  | 'damaged'
  | 'cannotRead'
  | 'cannotWrite'
  | 'alreadyThere'
  | 'inUse'
  | 'queueLost';

/** Options of an error: its cause, and a code more specific than its class. */
export interface LatentFieldErrorOptions extends ErrorOptions {
  readonly code?: ErrorCode;
  /** The unknown name, for the code `unknownName`. */
  readonly subject?: string;
}

/** Base class of all errors that latentfield throws on purpose, which distinguishes them from bugs. */
export class LatentFieldError extends Error {
  override name = 'LatentFieldError';
  readonly code: ErrorCode;
  declare readonly subject?: string;

  /** @param message - shortened in the middle if it is too long */
  constructor(message?: string, { code = 'failed', subject, ...options }: LatentFieldErrorOptions = {}) {
    super(message === undefined ? message : shortened(message), options);
    this.code = code;
    if (subject !== undefined) this.subject = subject;
  }
}

function shortened(message: string): string {
  if (message.length <= LONGEST) return message;
  return `${message.slice(0, LONGEST - OF_END - 3)} … ${message.slice(-OF_END)}`;
}

/** The input cannot be used: the message names the argument, the expectation and the remedy. */
export class InvalidInputError extends LatentFieldError {
  override name = 'InvalidInputError';

  constructor(message?: string, options: LatentFieldErrorOptions = {}) {
    super(message, { code: 'invalidInput', ...options });
  }
}

/** A computation failed numerically: a matrix is not positive definite, or memory ran out. */
export class NumericalError extends LatentFieldError {
  override name = 'NumericalError';

  constructor(message?: string, options: LatentFieldErrorOptions = {}) {
    super(message, { code: 'numerical', ...options });
  }
}

/** A fit could not start or continue: the objective is not finite at the start, or a parameter receives no gradient. */
export class OptimizationError extends LatentFieldError {
  override name = 'OptimizationError';

  constructor(message?: string, options: LatentFieldErrorOptions = {}) {
    super(message, { code: 'optimization', ...options });
  }
}

/** An error as plain data, for a message to another thread. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
}

export const plainError = (error: unknown): PlainError =>
  error instanceof Error ? { name: error.name, message: error.message } : { name: 'Error', message: String(error) };

/** The error that another thread sent. Errors that latentfield does not throw on purpose are failures of this thread. */
export function errorFrom({ name, message }: PlainError, thread: string): LatentFieldError {
  const classes = { InvalidInputError, NumericalError, OptimizationError, LatentFieldError };
  const Class = Object.hasOwn(classes, name) ? classes[name as keyof typeof classes] : undefined;
  return Class === undefined ? new LatentFieldError(`${thread} failed: ${message}`) : new Class(message);
}
