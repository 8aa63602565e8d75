import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import { doubleOf, doublesOf } from './doubles.ts';
import { onFloat64, withFloat64 } from './float64/scope.ts';
import {
  isSameComputation,
  type Recording,
  type Replay,
  recorderAtWork,
  replayOf,
  startRecording,
} from './recording.ts';
import { endTape, type Gradient, gradientsOnTape, numericOperation, startTape } from './tape.ts';
import { engine, isProfiled, type Scalar, type Tensor } from './tensorflow.ts';

/** A number and its gradients, as plain doubles. */
interface ValueAndGradients {
  /** Sum of the differentiated scalars. */
  readonly value: number;
  /** The scalars that are summed. */
  readonly values: Float64Array;
  /** One array per x, in row-major order; undefined where no gradient arrives. */
  readonly gradients: (Float64Array | undefined)[];
}

/**
 * f() and its gradients with respect to xs, by reverse-mode differentiation on the active backend. All tensors made by f are disposed, even if it
 * throws.
 *
 * @param f - makes a scalar from xs with tensor operations, or several scalars that are summed
 * @param xs - at least one tensor to differentiate with respect to
 * @throws InvalidInputError if f does not return a single number
 * @example
 * ```ts
 * const x = op.tensor([1, 2, 3]);
 * valueAndGradients(() => op.sum(op.square(x)), [x]); // { value: 14, gradients: [Float64Array [2, 4, 6]] }
 * ```
 */
export function valueAndGradients(f: () => Scalar | readonly Scalar[], xs: readonly Tensor[]): ValueAndGradients {
  return differentiated(f, xs, () => {});
}

/** Value and gradients, with a recording of the computation if it can be repeated for other numbers. */
function recordedGradients(
  f: () => readonly Scalar[],
  xs: readonly Tensor[],
): ValueAndGradients & { readonly recording: Recording | undefined } {
  const recorder = startRecording(xs);
  let recording: Recording | undefined;
  let isOver = false;
  try {
    const found = differentiated(f, xs, (ys, gradients) => {
      isOver = true;
      recording = recorder.end(ys, gradients as (Tensor | undefined)[]);
    });
    return { ...found, recording };
  } finally {
    if (!isOver) recorder.end([], []);
  }
}

/** @param end - called after the computation, before its results are read */
function differentiated(
  f: () => Scalar | readonly Scalar[],
  xs: readonly Tensor[],
  end: (ys: readonly Scalar[], gradients: readonly (Gradient | undefined)[]) => void,
): ValueAndGradients {
  const active = tf.engine();
  active.startScope();
  try {
    const ys = forwards(f);
    const gradients = gradientsOnTape(ys, xs);
    end(ys, gradients);
    releaseTape();
    const values = Float64Array.from(ys, doubleOf);
    return {
      value: values.reduce((sum, y) => sum + y, 0),
      values,
      gradients: gradients.map((own) => (own instanceof tf.Tensor ? doublesOf(own) : own)),
    };
  } catch (error) {
    releaseTape();
    throw error;
  } finally {
    active.endScope();
  }
}

/** Runs f with its operations on the tape, and disposes tensors that no operation saved. */
function forwards(f: () => Scalar | readonly Scalar[]): readonly Scalar[] {
  let ys: readonly Scalar[] = [];
  startTape();
  tf.engine().startScope();
  try {
    const made = f();
    ys = 'length' in made ? made : [made];
    for (const { size, shape } of ys) {
      if (size === 1) continue;
      throw new InvalidInputError(
        `Only a single number can be differentiated, but the function returned a tensor of shape [${shape}]. Sum it first.`,
      );
    }
    return ys;
  } finally {
    tf.engine().endScope(ys as Scalar[]);
    endTape();
  }
}

/** Disposes tensors saved by operations on the tape. Only the outermost differentiation may: an outer tape still needs its tensors. */
function releaseTape(): void {
  const { state } = engine();
  if (state.gradientDepth > 0 || state.activeTape === null) return;
  for (const { saved } of state.activeTape) for (const tensor of saved) tensor.dispose();
  state.activeTape = null;
}

/**
 * A sum of scalars, each differentiated as soon as it is made: only one at a time needs its intermediate tensors, whereas the sum of all would need
 * them until the gradients are computed.
 *
 * @param given - the tensors that the sum is differentiated with respect to
 * @param parts - functions that each make one scalar with tensor operations
 */
export function summedInParts(given: readonly Tensor[], parts: readonly (() => Scalar)[]): Scalar {
  const { state } = engine();
  const inputs = [...new Map(given.map((input) => [input.id, input])).values()];
  // The parts are made from these very tensors.
  recorderAtWork()?.refuse();
  return numericOperation(inputs, () => {
    // One level deeper than the caller, so that what numericOperation computes is not on the tape.
    const isOnTape = state.gradientDepth > 0 && state.kernelDepth === 1;
    if (!isOnTape) {
      const total = parts.reduce((sum, part) => sum + tf.tidy(() => doubleOf(part())), 0);
      return { value: total, slopes: () => [] };
    }
    const outer = { ...state };
    const sums = inputs.map(({ size }) => new Float64Array(size));
    let total = 0;
    Object.assign(state, { gradientDepth: 0, activeTape: null, kernelDepth: 0 });
    try {
      for (const part of parts) {
        const { value, gradients } = valueAndGradients(part, inputs);
        total += value;
        gradients.forEach((gradient, i) => {
          gradient?.forEach((entry, k) => {
            sums[i]![k]! += entry;
          });
        });
      }
    } finally {
      const { gradientDepth, activeTape, kernelDepth } = outer;
      Object.assign(state, { gradientDepth, activeTape, kernelDepth });
    }
    return {
      value: total,
      slopes: (slope) => sums.map((sum) => sum.map((entry) => slope * entry)),
    };
  });
}

/** Makes tensors from the inputs, and the function that computes scalars from them. */
interface Differentiable {
  readonly xs: readonly Tensor[];
  readonly f: () => readonly Scalar[];
}

/** A computation that is repeated at a sequence of points. */
export interface RepeatedGradients {
  /**
   * @param entries - the inputs to differentiate with respect to
   * @param make - the computation as tensor operations
   */
  at(entries: readonly Float64Array[], make: () => Differentiable): Omit<ValueAndGradients, 'value'>;
  /** Frees its memory. */
  dispose(): void;
}

/**
 * Values and gradients of a computation that is repeated for other inputs. Small computations spend most of their time on TensorFlow.js's bookkeeping
 * of tensors. Therefore the first two evaluations are recorded, and from the fourth on the recorded operations are replayed in the same memory with
 * the same bits. Tensor operations are used each time if the computation cannot be replayed, because it reads numbers on which later operations may
 * depend, or because the two recordings differ. They are also used if there is no value, for an error that names the position. Replays are compared
 * with tensor operations at the third, fourth, eighth, sixteenth, … evaluation.
 */
export function repeatedGradients(): RepeatedGradients {
  let count = 0;
  let first: Recording | undefined;
  let replay: Replay | undefined;
  let isOver = false;
  const giveUp = () => {
    replay?.dispose();
    replay = undefined;
    first = undefined;
    isOver = true;
  };
  const ordinary = (make: () => Differentiable) =>
    withFloat64(() => {
      const { f, xs } = make();
      return valueAndGradients(f, xs);
    });
  const recorded = (make: () => Differentiable) =>
    withFloat64(() => {
      const { f, xs } = make();
      return recordedGradients(f, xs);
    });
  const record = (make: () => Differentiable) => {
    const { recording, ...found } = recorded(make);
    if (recording === undefined || (first !== undefined && !isSameComputation(first, recording))) giveUp();
    else if (first === undefined) first = recording;
    else {
      replay = replayOf(recording);
      if (replay === undefined) giveUp();
    }
    return found;
  };
  const repeated = (entries: readonly Float64Array[]) => {
    try {
      return onFloat64(() => replay!.run(entries));
    } catch {
      // Tensor operations throw the same error with its position.
      return undefined;
    }
  };
  return {
    at(entries, make) {
      if (isOver || isProfiled()) return ordinary(make);
      count++;
      if (replay === undefined) return record(make);
      const found = repeated(entries);
      if (found === undefined) return ordinary(make);
      // A power of two, or the first replay.
      if (count !== 3 && (count & (count - 1)) !== 0) return found;
      const expected = ordinary(make);
      if (!isSameResult(found, expected)) giveUp();
      return expected;
    },
    dispose: giveUp,
  };
}

type GradientResult = Omit<ValueAndGradients, 'value'>;

function isSameResult(a: GradientResult, b: GradientResult): boolean {
  return (
    isSame(a.values, b.values) &&
    a.gradients.length === b.gradients.length &&
    a.gradients.every((own, i) => isSame(own, b.gradients[i]))
  );
}

function isSame(a: Float64Array | undefined, b: Float64Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((entry, i) => Object.is(entry, b[i]));
}
