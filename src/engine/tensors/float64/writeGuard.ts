import { NumericalError } from '../../../core/errors.ts';

/** True for a short dyadic number (an integer over at most 2^16), which is exact in float32 and was most likely meant. */
function isShortDyadic(value: number): boolean {
  return !Number.isFinite(value) || Number.isInteger(value * 65536);
}

/**
 * `tf.scalar`, `tf.tensor` and number literals (`tf.mul(x, 0.1)`) round to float32 before any backend sees them. If `strict` is set, such a value is
 * an error when it enters the float64 backend; all tests set it.
 */
class WriteGuard {
  strict = false;
  /** Called with the shapes of both operands of an elementwise operation, to refuse accidental broadcasting. */
  checkShapes: ((a: readonly number[], b: readonly number[]) => void) | undefined;

  check(values: Float32Array): void {
    if (!this.strict) return;
    for (let i = 0; i < values.length; i++) {
      if (!isShortDyadic(values[i]!)) {
        throw new NumericalError(
          `The number ${values[i]} was rounded to float32 before it reached the float64 backend. Number literals in ` +
            'TensorFlow.js operations lose nine digits: use the operations and tensors of latentfield/ops instead.',
        );
      }
    }
  }
}

export const writeGuard = new WriteGuard();
