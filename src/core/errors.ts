/** Most characters of a message. */
const LONGEST = 480;
/** Most characters kept of its end, which says what to do. */
const OF_END = 160;

/**
 * What went wrong, for programs: messages may be reworded, codes stay. The first four are those of the classes where no other says more; `unknownName`
 * is an option, a model, a column or a part that is not there, `missingEntry` a cell without a value where one is needed, `tooLarge` what exceeds a limit
 * on its size, `damaged` a file that is not what was written, `alreadyThere` a file that may not be replaced, `inUse` a folder or file that another
 * process is writing to, `queueLost` a queue without workers, or whose server went away, so that none of its jobs will end.
 */
export type ErrorCode =
  | 'failed'
  | 'invalidInput'
  | 'numerical'
  | 'optimization'
  | 'unknownName'
  | 'missingEntry'
  | 'tooLarge'
  | 'damaged'
  | 'cannotRead'
  | 'cannotWrite'
  | 'alreadyThere'
  | 'inUse'
  | 'queueLost';

/** Options of an error: its cause, and a code that says more than its class. */
export interface LatentFieldErrorOptions extends ErrorOptions {
  readonly code?: ErrorCode;
  /** The name that is not known, of `unknownName`. */
  readonly subject?: string;
}

/** Every error that latentfield throws on purpose is one of these, so that a caller can distinguish them from a bug. */
export class LatentFieldError extends Error {
  override name = 'LatentFieldError';
  readonly code: ErrorCode;
  declare readonly subject?: string;

  /** @param message - of which the middle is left out where what was given makes it long */
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

/** The caller's input cannot be used: the message says what was given, what was expected and what to do. */
export class InvalidInputError extends LatentFieldError {
  override name = 'InvalidInputError';

  constructor(message?: string, options: LatentFieldErrorOptions = {}) {
    super(message, { code: 'invalidInput', ...options });
  }
}

/** A computation left the numbers it can work with: a matrix that is not positive definite, memory that ran out. */
export class NumericalError extends LatentFieldError {
  override name = 'NumericalError';

  constructor(message?: string, options: LatentFieldErrorOptions = {}) {
    super(message, { code: 'numerical', ...options });
  }
}

/** A fit could not start or go on: the objective is not finite at the start, a parameter receives no gradient. */
export class OptimizationError extends LatentFieldError {
  override name = 'OptimizationError';

  constructor(message?: string, options: LatentFieldErrorOptions = {}) {
    super(message, { code: 'optimization', ...options });
  }
}
