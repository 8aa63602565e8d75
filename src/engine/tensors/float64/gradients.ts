import * as tf from '@tensorflow/tfjs-core';
import { exactScalar } from '../doubles.ts';
import { engine, type Tensor } from '../tensorflow.ts';
import { FLOAT64 } from './backend.ts';

/** Gradients of the inputs by name, computed from the gradient of the output, the saved tensors and the operation's attributes. */
type Gradient<A> = (dy: Tensor, saved: Tensor[], attributes: A) => Record<string, () => Tensor>;
/** Tensors saved by an operation for its gradient, as in TensorFlow.js. */
type Saved = Pick<tf.GradConfig, 'inputsToSave' | 'outputsToSave' | 'saveAllInputs'>;

const A_AND_B: Saved = { inputsToSave: ['a', 'b'] };
const X: Saved = { inputsToSave: ['x'] };
const INPUTS: Saved = { saveAllInputs: true };

/** Runs an operation by its registered name. */
export const run = (name: string, inputs: Record<string, Tensor>, attributes: object = {}): Tensor =>
  tf.engine().runKernel(name, inputs, attributes as tf.NamedAttrMap) as Tensor;

/** Registrations of gradients, by operation. */
const registered = new Map<string, () => void>();

/** Gradients of the copies of the library, by backend; a property of the gradient that they share. */
const COPIES: unique symbol = Symbol.for('latentfield');
type Shared = tf.GradFunc & { [COPIES]?: Record<string, Gradient<object>> };

const sharedOf = (kernelName: string) => (tf.getGradient(kernelName)?.gradFunc as Shared | undefined)?.[COPIES];

/**
 * Registers the gradient of an operation. TensorFlow.js has one gradient per operation for all backends: a gradient that is registered already still
 * applies on other backends, so that the caller's own models are not affected.
 */
export function registerGradient<A extends object>(kernelName: string, saved: Saved, gradient: Gradient<A>): void {
  const register = () => {
    const shared = sharedOf(kernelName);
    const copies = shared ?? {};
    copies[FLOAT64] = gradient as Gradient<object>;
    if (shared !== undefined) return;
    const before: tf.GradConfig | undefined = tf.getGradient(kernelName);
    const gradFunc: Shared = (dy, kept, attributes) =>
      (copies[engine().backendName!] ?? before?.gradFunc ?? gradient)(
        dy as Tensor,
        kept,
        attributes as A & tf.NamedAttrMap,
      );
    gradFunc[COPIES] = copies;
    tf.registerGradient({ ...saved, ...before, kernelName, gradFunc });
  };
  registered.set(kernelName, register);
  register();
}

/** Derivatives of functions of one number, times the gradient of the result. */
export function registerDerivatives(derivatives: Readonly<Record<string, (dy: Tensor, x: Tensor) => Tensor>>): void {
  for (const [name, derivative] of Object.entries(derivatives)) {
    registerGradient(name, X, (dy, [x]) => ({ x: () => derivative(dy, x!) }));
  }
}

const holds = (condition: Tensor): Tensor => tf.cast(condition, 'float32');

function registerElementwiseGradients(): void {
  registerDerivatives({
    // 0 at 0: a zero distance exerts no force.
    Abs: (dy, x) => tf.mul(dy, run('Sign', { x })),
    Expm1: (dy, x) => tf.mul(dy, tf.exp(x)),
    Log: (dy, x) => tf.div(dy, x),
    Log1p: (dy, x) => tf.div(dy, tf.add(x, 1)),
    Reciprocal: (dy, x) => tf.neg(tf.div(tf.div(dy, x), x)),
    Relu: (dy, x) => tf.mul(dy, holds(tf.greater(x, 0))),
    Rsqrt: (dy, x) => tf.neg(tf.div(dy, tf.mul(tf.mul(x, tf.sqrt(x)), 2))),
    Softplus: (dy, x) => tf.mul(dy, run('Sigmoid', { x })),
    Sqrt: (dy, x) => tf.div(dy, tf.mul(tf.sqrt(x), 2)),
    Square: (dy, x) => tf.mul(dy, tf.mul(x, 2)),
  });
  const ofResult: Record<string, (dy: Tensor, y: Tensor) => Tensor> = {
    Exp: (dy, y) => tf.mul(dy, y),
    Sigmoid: (dy, y) => tf.mul(dy, tf.mul(y, tf.sub(1, y))),
    Tanh: (dy, y) => tf.mul(tf.sub(1, tf.square(y)), dy),
  };
  for (const [name, derivative] of Object.entries(ofResult)) {
    registerGradient(name, { outputsToSave: [true] }, (dy, [y]) => ({ x: () => derivative(dy, y!) }));
  }
  registerGradient('Neg', {}, (dy) => ({ x: () => tf.neg(dy) }));
  registerGradient<{ clipValueMin: number; clipValueMax: number }>('ClipByValue', X, (dy, [x], limits) => ({
    x: () => select(tf.equal(x!, run('ClipByValue', { x: x! }, limits)), dy, tf.zerosLike(dy)),
  }));
}

export const select = (condition: Tensor, t: Tensor, e: Tensor): Tensor => run('Select', { condition, t, e });

/** Gradients in both operands of arithmetic, before they are summed over the axes along which an operand was repeated. */
type OfBoth = (dy: Tensor, a: Tensor, b: Tensor, y: Tensor) => [() => Tensor, () => Tensor];

export function registerOfBoth(ofBoth: Readonly<Record<string, OfBoth>>): void {
  for (const [name, gradients] of Object.entries(ofBoth)) {
    const saved = name === 'Pow' ? { ...A_AND_B, outputsToSave: [true] } : A_AND_B;
    registerGradient(name, saved, (dy, [a, b, y]) => {
      const [ofA, ofB] = gradients(dy, a!, b!, y!);
      return { a: () => unbroadcast(ofA(), a!.shape), b: () => unbroadcast(ofB(), b!.shape) };
    });
  }
}

function registerBinaryGradients(): void {
  registerOfBoth({
    Add: (dy) => [() => dy, () => dy],
    Sub: (dy) => [() => dy, () => tf.neg(dy)],
    Multiply: (dy, a, b) => [() => tf.mul(dy, b), () => tf.mul(dy, a)],
    // b² would over- or underflow long before a/b² does.
    RealDiv: (dy, a, b) => [() => tf.div(dy, b), () => tf.neg(tf.div(tf.div(tf.mul(dy, a), b), b))],
    // Where a = b, a receives the whole gradient.
    Maximum: (dy, a, b) => [() => tf.mul(dy, holds(tf.greaterEqual(a, b))), () => tf.mul(dy, holds(tf.less(a, b)))],
    Minimum: (dy, a, b) => [() => tf.mul(dy, holds(tf.lessEqual(a, b))), () => tf.mul(dy, holds(tf.greater(a, b)))],
    SquaredDifference: (dy, a, b) => {
      const slope = () => tf.mul(dy, tf.mul(tf.sub(a, b), 2));
      return [slope, () => tf.neg(slope())];
    },
  });
  registerGradient<{ transposeA: boolean; transposeB: boolean }>(
    'BatchMatMul',
    A_AND_B,
    (dy, [a, b], { transposeA, transposeB }) => ({
      a: () =>
        unbroadcast(transposeA ? tf.matMul(b!, dy, transposeB, true) : tf.matMul(dy, b!, false, !transposeB), a!.shape),
      b: () =>
        unbroadcast(transposeB ? tf.matMul(dy, a!, true, transposeA) : tf.matMul(a!, dy, !transposeA, false), b!.shape),
    }),
  );
}

/** Gradient of an operand of this shape, from the gradient of the broadcast result: the sum over the axes along which the operand was repeated. */
export function unbroadcast(gradient: Tensor, shape: number[]): Tensor {
  const axes = tf.broadcast_util.getReductionAxes(shape, gradient.shape);
  return tf.reshape(axes.length > 0 ? tf.sum(gradient, axes) : gradient, shape);
}

interface ReductionAttributes {
  readonly axis?: number | number[];
  /** The axes, by the name that Max uses. */
  readonly reductionIndices?: number | number[];
}

function registerReductionGradients(): void {
  registerGradient<ReductionAttributes>('Sum', X, (dy, [x], { axis }) => ({ x: () => spread(dy, x!, axis) }));
  registerGradient<ReductionAttributes>('Mean', X, (dy, [x], { axis }) => ({
    x: () => spread(tf.div(dy, exactScalar(x!.size / Math.max(1, dy.size))), x!, axis),
  }));
  for (const name of ['Max', 'Min']) {
    registerGradient<ReductionAttributes>(name, { ...X, outputsToSave: [true] }, (dy, [x, y], attributes) => {
      const axes = attributes.reductionIndices ?? attributes.axis;
      return { x: () => tf.mul(keptAxes(dy, x!, axes), holds(tf.equal(x!, keptAxes(y!, x!, axes)))) };
    });
  }
}

/** The result of a reduction of x with the reduced axes, of size 1. */
function keptAxes(y: Tensor, x: Tensor, axis: number | number[] | undefined): Tensor {
  const shape = x.shape.slice();
  for (const reduced of tf.util.parseAxisParam(axis!, shape)) shape[reduced] = 1;
  return tf.reshape(y, shape);
}

/** Repeats the gradient of a reduction along the axes that were reduced. */
function spread(dy: Tensor, x: Tensor, axis: number | number[] | undefined): Tensor {
  const kept = keptAxes(dy, x, axis);
  return run('Tile', { x: kept }, { reps: x.shape.map((size, d) => (kept.shape[d] === size ? 1 : size)) });
}

/** Gradients of operations that move entries: each entry's gradient returns to its origin. */
function registerStructureGradients(): void {
  for (const name of ['Identity', 'Cast']) registerGradient(name, {}, (dy) => ({ x: () => dy.clone() }));
  registerGradient('Reshape', X, (dy, [x]) => ({ x: () => tf.reshape(dy, x!.shape) }));
  registerGradient('ExpandDims', { inputsToSave: ['input'] }, (dy, [input]) => ({
    input: () => tf.reshape(dy, input!.shape),
  }));
  registerGradient<{ perm: number[] }>('Transpose', {}, (dy, _, { perm }) => ({
    x: () => permuted(dy, inverse(perm)),
  }));
  registerGradient<{ begin: number | number[] }>('Slice', X, (dy, [x], { begin }) => {
    const starts = [begin].flat();
    const paddings = x!.shape.map((size, d) => [starts[d] ?? 0, size - (starts[d] ?? 0) - dy.shape[d]!]);
    return { x: () => run('PadV2', { x: dy }, { paddings, constantValue: 0 }) };
  });
  registerGradient<{ axis: number }>('Concat', INPUTS, (dy, parts, { axis }) => {
    const [along] = tf.util.parseAxisParam(axis, dy.shape) as [number];
    return pieces(dy, along, parts, ({ shape }) => shape[along]!);
  });
  registerGradient<{ axis: number }>('Pack', INPUTS, (dy, parts, { axis }) =>
    pieces(dy, axis < 0 ? axis + dy.rank : axis, parts, () => 1),
  );
  registerGradient<{ axis: number }>('SplitV', {}, (dy, _, { axis }) => ({ x: () => tf.concat([dy].flat(), axis) }));
  // Axes of repetition next to the axes themselves, summed away in one pass at any rank. `broadcastTo` is a Tile as well.
  registerGradient<{ reps: number[] }>('Tile', X, (dy, [x], { reps }) => ({
    x: () => {
      const pairs = x!.shape.flatMap((size, d) => [reps[d]!, size]);
      const repetitions = x!.shape.map((_, d) => 2 * d);
      return tf.reshape(tf.sum(tf.reshape(dy, pairs), repetitions), x!.shape);
    },
  }));
  registerGradient('Select', { inputsToSave: ['condition'] }, (dy, [condition]) => ({
    condition: () => tf.zeros(condition!.shape),
    t: () => select(condition!, dy, tf.zerosLike(dy)),
    e: () => select(condition!, tf.zerosLike(dy), dy),
  }));
  registerGradient('Diag', X, (dy, [x]) => ({ x: () => tf.reshape(diagonalOf(dy, x!.size), x!.shape) }));
  registerGradient<{ axis: number }>('GatherV2', { inputsToSave: ['x', 'indices'] }, (dy, [x, indices], { axis }) => ({
    x: () => {
      const [along] = tf.util.parseAxisParam(axis, x!.shape) as [number];
      const { shape } = x!;
      const copies = tf.reshape(dy, [...shape.slice(0, along), indices!.size, ...shape.slice(along + 1)]);
      // The gathered axis first.
      const order = [along, ...shape.keys()].filter((d, i) => i === 0 || d !== along);
      const segmentIds = tf.reshape(indices!, [indices!.size]);
      const sums = { x: permuted(copies, order), segmentIds };
      return permuted(run('UnsortedSegmentSum', sums, { numSegments: shape[along] }), inverse(order));
    },
    indices: () => tf.zeros(indices!.shape),
  }));
}

const inverse = (order: readonly number[]): number[] => order.map((_, d) => order.indexOf(d));

const permuted = (x: Tensor, order: number[]): Tensor =>
  order.every((axis, d) => axis === d) ? x.clone() : tf.transpose(x, order);

/** The adjacent parts of a gradient along an axis. */
function pieces(dy: Tensor, axis: number, parts: readonly Tensor[], sizeOf: (part: Tensor) => number) {
  let next = 0;
  return Object.fromEntries(
    parts.map((part, i) => {
      const begin = dy.shape.map((_, d) => (d === axis ? next : 0));
      const size = dy.shape.with(axis, sizeOf(part));
      next += size[axis]!;
      return [i, () => tf.reshape(run('Slice', { x: dy }, { begin, size }), part.shape)];
    }),
  );
}

/** The diagonal of a matrix of n² entries. */
export const diagonalOf = (matrix: Tensor, n: number): Tensor =>
  run(
    'GatherV2',
    {
      x: tf.reshape(matrix, [n * n]),
      indices: tf.tensor1d(
        Int32Array.from({ length: n }, (_, i) => i * (n + 1)),
        'int32',
      ),
    },
    { axis: 0, batchDims: 0 },
  );

/** Zero gradients of piecewise constant functions. Without them, `where(greater(x, y), …)` could not be differentiated. */
function registerZeroGradients(): void {
  for (const name of ['Equal', 'Greater', 'GreaterEqual', 'Less', 'LessEqual']) {
    registerGradient(name, A_AND_B, (_, [a, b]) => ({ a: () => tf.zeros(a!.shape), b: () => tf.zeros(b!.shape) }));
  }
  for (const name of ['Sign', 'ZerosLike', 'OnesLike'])
    registerGradient(name, {}, (dy) => ({ x: () => tf.zerosLike(dy) }));
}

let isStarted = false;

/**
 * Registers the gradients of the operations of the float64 backend. Does nothing if they are registered already. If all of TensorFlow.js is loaded
 * later, its gradients replace them, including gradients registered on demand.
 */
export function registerGradients(): void {
  if (!isStarted) {
    isStarted = true;
    registerElementwiseGradients();
    registerBinaryGradients();
    registerReductionGradients();
    registerStructureGradients();
    registerZeroGradients();
  }
  for (const [name, register] of registered) if (!sharedOf(name)?.[FLOAT64]) register();
}
