import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../core/errors.ts';
import { doublesOf } from './doubles.ts';
import { engine, type Scalar, type Tensor } from './tensorflow.ts';

/** A number and its gradients, as plain doubles. */
export interface ValueAndGradients {
  readonly value: number;
  /** One list of numbers per x, in row-major order; undefined where no gradient arrives. */
  readonly gradients: (Float64Array | undefined)[];
}

/**
 * f() and its gradients with respect to xs, by reverse-mode differentiation on the active backend. Nothing that f made is
 * left behind, even when it throws.
 *
 * @param f - makes a scalar from xs with tensor operations
 * @param xs - what to differentiate by; at least one tensor
 * @throws InvalidInputError when f does not return a single number
 * @example
 * ```ts
 * const x = op.tensor([1, 2, 3]);
 * valueAndGradients(() => op.sum(op.square(x)), [x]); // { value: 14, gradients: [Float64Array [2, 4, 6]] }
 * ```
 */
export function valueAndGradients(f: () => Scalar, xs: readonly Tensor[]): ValueAndGradients {
  const active = tf.engine();
  active.startScope();
  try {
    const { value, grads } = active.gradients(f, xs as Tensor[], undefined as unknown as Tensor, true);
    if (value.size !== 1) {
      throw new InvalidInputError(
        `Only a single number can be differentiated, but the function returned a tensor of shape [${value.shape}]. Sum it first.`,
      );
    }
    // Where nothing connects x with the value, the list has a hole.
    const gradients = grads.map((gradient: Tensor | undefined) => gradient && doublesOf(gradient));
    return { value: doublesOf(value)[0]!, gradients };
  } catch (error) {
    abandonTape();
    throw error;
  } finally {
    active.endScope();
  }
}

/**
 * TensorFlow.js keeps what the tape saved until the backward pass; when an exception ends a differentiation before that,
 * nobody disposes it. Only the outermost differentiation may: an outer tape still needs its tensors.
 */
function abandonTape(): void {
  const { state } = engine();
  if (state.gradientDepth > 0 || state.activeTape === null) return;
  for (const { saved } of state.activeTape) for (const tensor of saved) tensor.dispose();
  state.activeTape = null;
}
