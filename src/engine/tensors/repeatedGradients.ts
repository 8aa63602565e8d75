import { onFloat64, withFloat64 } from './float64/scope.ts';
import { recordedGradients, type ValueAndGradients, valueAndGradients } from './gradients.ts';
import { isSameComputation, type Recording, type Replay, replayOf } from './recording.ts';
import { isProfiled, type Scalar, type Tensor } from './tensorflow.ts';

/** Makes tensors of the inputs, and the function that computes scalars from them. */
export interface Differentiable {
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
  /** Frees what it keeps. */
  dispose(): void;
}

/**
 * Values and gradients of a computation that is repeated for other inputs. Small computations spend most of their time on what TensorFlow.js keeps
 * about each tensor. So the first two evaluations are recorded, and from the fourth on the recorded operations are replayed in the same memory with
 * the same bits. Tensor operations are used each time if the computation cannot be replayed, because it reads numbers on which later operations may
 * depend, or because the two recordings differ; and if it has no value, for the error that names the position.
 * Replays are compared with tensor operations at the third, fourth, eighth, sixteenth, … evaluation.
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

type Found = Omit<ValueAndGradients, 'value'>;

function isSameResult(a: Found, b: Found): boolean {
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
