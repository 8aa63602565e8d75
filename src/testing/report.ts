import * as tf from '@tensorflow/tfjs-core';
import * as v from 'valibot';
import { LatentFieldError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { type OptionsIn, typed } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import { float64Backend } from '../engine/tensors/float64/scope.ts';
import { writeGuard } from '../engine/tensors/float64/writeGuard.ts';

/** Result of one check. */
export interface Check {
  /** Name of the requirement. */
  readonly name: string;
  /** False if the requirement is violated. */
  readonly passed: boolean;
  /** True if it was not checked. */
  readonly skipped: boolean;
  /** Accuracy, reason for a failure, or reason for skipping. */
  readonly message: string;
}

/** Result of a conformance check. */
export interface ConformanceReport {
  /** Name of the part that was checked. */
  readonly subject: string;
  readonly passed: boolean;
  readonly checks: readonly Check[];
  /** All checks as text, one per line. */
  toString(): string;
}

/** Error for a part that violates a requirement on parts of its kind; the message lists the violations. */
export class ConformanceError extends LatentFieldError {
  override name = 'ConformanceError';

  constructor(readonly report: ConformanceReport) {
    super(sentence(report));
  }
}

export const checkEntries = {
  /** Whether a failed check throws a ConformanceError (default true) or is only reported. */
  throws: v.optional(typed<boolean>()),
  /** Seed of the random points and weights (1). */
  seed: v.optional(typed<number>()),
};

/** Options of every check. */
export interface CheckOptions extends OptionsIn<typeof checkEntries> {}

/** Thrown by a requirement that cannot be checked. */
export class Skip extends LatentFieldError {
  override name = 'Skip';
}

/** Skips a check. */
export function skip(reason: string): never {
  throw new Skip(reason);
}

/** Requirement: its name, and a function that returns a description of the accuracy, throws if it is violated, or skips. */
export type Requirement = readonly [name: string, work: () => string];

/**
 * Checks all requirements, with guards against numbers rounded to float32 and columns broadcast against lists, and counts leaked tensors.
 *
 * @throws ConformanceError if one is violated, unless `throws` is false
 */
export function conformance(
  subject: string,
  { throws = true }: CheckOptions,
  requirements: readonly Requirement[],
): ConformanceReport {
  const { strict, checkShapes } = writeGuard;
  const { memory64 } = float64Backend();
  writeGuard.strict = true;
  writeGuard.checkShapes = refuseOuter;
  try {
    const [tensors, blocks] = [tf.memory().numTensors, memory64.liveBlocks];
    const checks = requirements.map(outcome);
    const leak: Requirement = [
      'leaves no tensors behind',
      () => {
        const left = tf.memory().numTensors - tensors;
        const held = memory64.liveBlocks - blocks;
        if (left === 0 && held === 0) return 'none';
        throw new LatentFieldError(
          `${left} tensors and ${held} blocks of memory are still there: what is made outside withFloat64, or kept with tf.keep, is never disposed`,
        );
      },
    ];
    const all = [...checks, outcome(leak)];
    const report: ConformanceReport = Object.freeze({
      subject,
      passed: all.every(({ passed }) => passed),
      checks: Object.freeze(all),
      toString: () => `${subject}\n${all.map(line).join('\n')}`,
    });
    if (throws && !report.passed) throw new ConformanceError(report);
    return report;
  } finally {
    writeGuard.strict = strict;
    writeGuard.checkShapes = checkShapes;
  }
}

/** Rejects n×1 with a list of m numbers, which broadcast to n×m, although a list of n numbers was intended. */
function refuseOuter(a: readonly number[], b: readonly number[]): void {
  const [column, list] = a.length === 2 ? [a, b] : [b, a];
  if (column.length !== 2 || list.length !== 1 || column[1] !== 1 || column[0]! === 1 || list[0]! === 1) return;
  throw new LatentFieldError(
    `an operation entry by entry of [${a}] and [${b}] gives [${column[0]}, ${list[0]}]: write op.reshape(…, [1, ${list[0]}]) if that is meant, or bring both to one shape`,
  );
}

function outcome([name, work]: Requirement): Check {
  try {
    return { name, passed: true, skipped: false, message: work() };
  } catch (error) {
    if (error instanceof Skip) return { name, passed: true, skipped: true, message: error.message };
    return { name, passed: false, skipped: false, message: error instanceof Error ? error.message : String(error) };
  }
}

const line = ({ name, passed, skipped, message }: Check): string =>
  skipped ? `skipped ${name} (${message})` : `${passed ? 'ok    ' : 'FAILED'} ${name}: ${message}`;

function sentence({ subject, checks }: ConformanceReport): string {
  const failed = checks.filter(({ passed }) => !passed);
  const list = failed.map(({ name, message }) => `  ${name}: ${message}`).join('\n');
  return `${subject} fails ${failed.length} of ${checks.length} checks.\n${list}`;
}

/**
 * Compares numbers with expected ones and reports the difference.
 *
 * @param scale - the number that `tolerance` is relative to; default the largest expected number
 * @throws LatentFieldError if one of them differs by more than the tolerance, naming the worst
 */
export function agreement(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  scale = largest(expected),
): string {
  if (actual.length !== expected.length) {
    throw new LatentFieldError(`${expected.length} numbers were expected, but there are ${actual.length}`);
  }
  let worst = 0;
  let at = 0;
  for (let i = 0; i < expected.length; i++) {
    const error = Math.abs(actual[i]! - expected[i]!);
    if (error <= worst) continue;
    at = i;
    worst = error;
    // NaN is the worst of all.
    if (!(error < Infinity)) break;
  }
  const relative = worst / (scale || 1);
  if (relative <= tolerance) return `largest error ${relative.toExponential(1)}, tolerance ${tolerance}`;
  throw new LatentFieldError(
    `entry ${at} is ${actual[at]} and should be ${expected[at]}: the error is ${relative.toExponential(1)} of the largest, the tolerance ${tolerance}`,
  );
}

/** Largest modulus. */
export function largest(numbers: ArrayLike<number>): number {
  let result = 0;
  for (let i = 0; i < numbers.length; i++) result = Math.max(result, Math.abs(numbers[i]!));
  return result;
}

/** Throws unless all numbers are finite. */
export function finite(numbers: ArrayLike<number>, what: string): void {
  for (let i = 0; i < numbers.length; i++) {
    if (!Number.isFinite(numbers[i]!)) throw new LatentFieldError(`entry ${i} of ${what} is ${numbers[i]}`);
  }
}

/** Standard normal points (rows×columns). */
export function randomPoints(rows: number, columns: number, seed: number): Matrix {
  const { normal } = seededRandom(seed);
  return new Matrix(Float64Array.from({ length: rows * columns }, normal), rows, columns);
}

/** Points with the second and the last one replaced by the first. */
export function withCoincident(X: Matrix): Matrix {
  const rows = X.toArrays();
  return Matrix.from(rows.map((row, i) => (i === 1 || i === rows.length - 1 ? rows[0]! : row)));
}
