import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import { doubleOf, doublesOf, exactScalar, tensorOfDoubles } from './doubles.ts';
import { allWanted, type NumericFunction, type Recorder, recorderAtWork, type Slopes } from './recording.ts';
import { engine, type Scalar, type TapeNode, type Tensor } from './tensorflow.ts';

/** An operation whose gradients are plain numbers, so that no tensors are needed for them. */
interface NumericNode extends TapeNode {
  readonly slopes: Slopes;
  /** Its index in the current recording; −1 without one. */
  readonly place: number;
}

/** A gradient during the backward pass. */
export type Gradient = Tensor | Float64Array;

/**
 * Puts an operation with a scalar result on the tape if a differentiation is under way: `tf.customGrad` at a fraction of its cost, for results that
 * are computed outside of the tape.
 *
 * @param inputs - tensors that it is differentiated in
 * @param f - reads the inputs and the constants, in this order, from its argument; it may be called again for other numbers
 * @param constants - further tensors that it reads
 */
export function numericOperation(
  inputs: readonly Tensor[],
  f: NumericFunction,
  constants: readonly Tensor[] = [],
): Scalar {
  const { state } = engine();
  const isOnTape = state.gradientDepth > 0 && state.kernelDepth === 0;
  const recorder = recorderAtWork();
  const all = constants.length === 0 ? inputs : [...inputs, ...constants];
  state.kernelDepth++;
  try {
    const { value, slopes } = recorder === undefined ? f(all, allWanted) : recorder.quietly(() => f(all, allWanted));
    const made = exactScalar(value);
    const place = recorder === undefined ? -1 : recorder.ranNumeric(all, made, f);
    if (isOnTape) state.activeTape!.push(numericNode(inputs, made, slopes, place, state.nextTapeNodeId++));
    return made;
  } finally {
    state.kernelDepth--;
  }
}

/**
 * A scalar function of tensors that is computed in plain numbers.
 *
 * @param evaluate - receives the entries of each tensor, which it must not keep, and returns the value with its slopes in them
 */
export function scalarWithSlopes(
  tensors: readonly Tensor[],
  evaluate: (...entries: Float64Array[]) => { readonly value: number; readonly slopes: readonly Float64Array[] },
): Scalar {
  return numericOperation(tensors, (given) => {
    const { value, slopes } = evaluate(...given.map(doublesOf));
    return { value, slopes: (slope) => slopes.map((entries) => entries.map((entry) => slope * entry)) };
  });
}

function numericNode(
  inputs: readonly Tensor[],
  output: Scalar,
  slopes: Slopes,
  place: number,
  id: number,
): NumericNode {
  const byNumber: Record<string, Tensor> = {};
  for (let i = 0; i < inputs.length; i++) byNumber[i] = inputs[i]!;
  return {
    id,
    kernelName: '',
    inputs: byNumber,
    outputs: [output],
    saved: [],
    slopes,
    place,
    // For recordings, and for differentiations by TensorFlow.js itself.
    gradient: ([dy]) => {
      const recorder = recorderAtWork();
      const numbers = () => slopes(doubleOf(dy!));
      const all = recorder === undefined ? numbers() : recorder.quietly(numbers);
      const made = all.map((entries, i) => tensorOfDoubles(entries, inputs[i]!.shape));
      if (place >= 0) recorder?.ranSlopes(place, dy!, made);
      return Object.fromEntries(made.map((tensor, i) => [i, () => tensor]));
    },
  };
}

/** Puts operations on a tape from now on, until `endTape`. */
export function startTape(): void {
  const { state } = engine();
  if (state.gradientDepth === 0) state.activeTape = [];
  state.gradientDepth++;
}

export function endTape(): void {
  engine().state.gradientDepth--;
}

/** Gradients in xs of the sum of some scalars on the tape; undefined if none arrives. During a recording, all of them are tensors. */
export function gradientsOnTape(ys: readonly Scalar[], xs: readonly Tensor[]): (Gradient | undefined)[] {
  const tape = engine().state.activeTape!;
  const recorder = recorderAtWork();
  const reached = reachedFrom(xs, tape);
  const gradients = new Map<number, Gradient>();
  for (const { id } of ys) {
    const times = gradients.get(id);
    const sum = times === undefined ? 1 : numberOf(times) + 1;
    gradients.set(id, recorder === undefined ? Float64Array.of(sum) : exactScalar(sum));
  }
  for (let i = tape.length - 1; i >= 0; i--) {
    const node = tape[i]!;
    if (node.outputs.some(({ id }) => gradients.has(id))) passBack(node, reached, gradients, recorder);
  }
  return xs.map(({ id }) => gradients.get(id));
}

/** Ids of the tensors that depend on xs. */
function reachedFrom(xs: readonly Tensor[], tape: readonly TapeNode[]): Set<number> {
  const reached = new Set<number>();
  for (const { id } of xs) reached.add(id);
  for (const { inputs, outputs } of tape) {
    for (const { id } of Object.values(inputs)) {
      if (!reached.has(id)) continue;
      for (const output of outputs) reached.add(output.id);
      break;
    }
  }
  return reached;
}

/** Passes the gradients of an operation's results back to its inputs. */
function passBack(
  node: TapeNode,
  reached: ReadonlySet<number>,
  gradients: Map<number, Gradient>,
  recorder: Recorder | undefined,
): void {
  const names = Object.keys(node.inputs).filter((name) => reached.has(node.inputs[name]!.id));
  if (names.length === 0) return;
  const parts =
    recorder === undefined && isNumeric(node)
      ? node.slopes(numberOf(gradients.get(node.outputs[0]!.id)!))
      : stockParts(node, gradients, names);
  for (const name of names) {
    const { id, shape } = node.inputs[name]!;
    const part = parts[name as keyof typeof parts] as Gradient;
    const before = gradients.get(id);
    gradients.set(id, before === undefined ? part : sum(before, part, shape));
  }
}

const isNumeric = (node: TapeNode): node is NumericNode => 'slopes' in node;

/** Gradients of an operation of TensorFlow.js, or of a custom one. */
function stockParts(
  { kernelName, inputs, outputs, gradient }: TapeNode,
  gradients: ReadonlyMap<number, Gradient>,
  names: readonly string[],
): Readonly<Record<string, Tensor>> {
  if (gradient === undefined) {
    throw new InvalidInputError(
      `The operation ${kernelName} has no gradient. Use the operations of 'latentfield/ops', or give it one with customGrad.`,
    );
  }
  const dys = outputs.map(({ id, shape }) => {
    const dy = gradients.get(id);
    return dy === undefined ? null : tensorOf(dy, shape);
  });
  const makers = gradient(dys);
  const parts: Record<string, Tensor> = {};
  for (const name of names) {
    const make = makers[name];
    if (make === undefined)
      throw new Error(`The operation ${kernelName} defines no gradient with respect to its input '${name}'.`);
    const part = tf.tidy(make);
    const { shape } = inputs[name]!;
    if (part.dtype !== 'float32' || !tf.util.arraysEqual(part.shape, shape)) {
      throw new Error(
        `The gradient of ${kernelName} in its input '${name}' of shape [${shape}] is of type ${part.dtype} and shape [${part.shape}].`,
      );
    }
    parts[name] = part;
  }
  return parts;
}

const tensorOf = (gradient: Gradient, shape: readonly number[]): Tensor =>
  gradient instanceof tf.Tensor ? gradient : tensorOfDoubles(gradient, shape);

const numberOf = (gradient: Gradient): number => (gradient instanceof tf.Tensor ? doubleOf(gradient) : gradient[0]!);

/** The sum of two gradients of one input, which are disposed. */
function sum(a: Gradient, b: Gradient, shape: readonly number[]): Gradient {
  if (!(a instanceof tf.Tensor) && !(b instanceof tf.Tensor)) {
    for (let i = 0; i < a.length; i++) a[i]! += b[i]!;
    return a;
  }
  const [x, y] = [tensorOf(a, shape), tensorOf(b, shape)];
  const both = tf.add(x, y);
  x.dispose();
  return both;
}
