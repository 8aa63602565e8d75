import * as tf from '@tensorflow/tfjs-core';
import { exactScalar } from '../../doubles.ts';
import { stockGradients } from '../../stockGradients.ts';
import { engine, type Tensor } from '../../tensorflow.ts';
import { FLOAT64 } from '../backend.ts';
import { SELU_SCALE, SELU_SCALE_ALPHA } from '../operations/activation.ts';
import { stridedCopy, whole } from '../operations/layout.ts';
import { einsumTerms } from '../operations/matrixProduct.ts';
import { type StridedSliceAttributes, stridedBox } from '../operations/slicing.ts';

/** Replaces gradients that are wrong or throw in TensorFlow.js if one operand is broadcast. */
export function registerBinaryGradients(): void {
  replaceGradient('SquaredDifference', ['a', 'b'], (dy, [a, b]) => {
    const half = () => tf.mul(dy, tf.mul(tf.sub(a!, b!), 2));
    return { a: () => unbroadcast(half(), a!.shape), b: () => unbroadcast(tf.neg(half()), b!.shape) };
  });

  // The stock gradient divides by b², which over- or underflows long before a/b² does.
  replaceGradient('RealDiv', ['a', 'b'], (dy, [a, b]) => ({
    a: () => unbroadcast(tf.div(dy, b!), a!.shape),
    b: () => tf.neg(tf.div(tf.div(unbroadcast(tf.mul(dy, a!), b!.shape), b!), b!)),
  }));
  replaceGradient('Reciprocal', ['x'], (dy, [x]) => ({ x: () => tf.neg(tf.div(tf.div(dy, x!), x!)) }));

  // Where a = b, a receives the whole gradient.
  replaceGradient('Maximum', ['a', 'b'], (dy, [a, b]) => ({
    a: () => unbroadcast(tf.mul(dy, tf.cast(tf.greaterEqual(a!, b!), 'float32')), a!.shape),
    b: () => unbroadcast(tf.mul(dy, tf.cast(tf.less(a!, b!), 'float32')), b!.shape),
  }));
  replaceGradient('Minimum', ['a', 'b'], (dy, [a, b]) => ({
    a: () => unbroadcast(tf.mul(dy, tf.cast(tf.lessEqual(a!, b!), 'float32')), a!.shape),
    b: () => unbroadcast(tf.mul(dy, tf.cast(tf.greater(a!, b!), 'float32')), b!.shape),
  }));

  adjustGradient('BatchMatMul', (stock, [a, b], attributes) => {
    const product = stock(attributes);
    return { a: () => unbroadcast(product.a!(), a!.shape), b: () => unbroadcast(product.b!(), b!.shape) };
  });
}

const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);

/** Gradients of functions of one number: stock ones with constants in full precision, and those of the gamma family. */
export function registerElementwiseGradients(): void {
  // erf′(x) = 2/√π · e^(−x²)
  replaceGradient('Erf', ['x'], (dy, [x]) => ({
    x: () => tf.mul(dy, tf.mul(tf.exp(tf.neg(tf.square(x!))), exactScalar(TWO_OVER_ROOT_PI))),
  }));

  replaceGradient<{ alpha: number }>('LeakyRelu', ['x'], (dy, [x], { alpha }) => ({
    x: () => tf.where(tf.greater(x!, 0), dy, tf.mul(dy, exactScalar(alpha))),
  }));

  replaceGradient('Selu', ['x'], (dy, [x]) => ({
    x: () => {
      const above = tf.mul(dy, exactScalar(SELU_SCALE));
      const below = tf.mul(tf.mul(dy, exactScalar(SELU_SCALE_ALPHA)), tf.exp(x!));
      return tf.where(tf.greater(x!, 0), above, below);
    },
  }));

  replaceGradient<{ clipValueMin: number; clipValueMax: number }>('ClipByValue', ['x'], (dy, [x], attributes) => ({
    x: () => {
      const { clipValueMin, clipValueMax } = attributes;
      const inside = tf.logicalAnd(
        tf.greaterEqual(x!, exactScalar(clipValueMin)),
        tf.lessEqual(x!, exactScalar(clipValueMax)),
      );
      return tf.where(inside, dy, tf.zerosLike(dy));
    },
  }));

  // The stock gradient is −1 at 0; 0 is symmetric, and a zero distance then exerts no force.
  replaceGradient('Abs', ['x'], (dy, [x]) => ({ x: () => tf.mul(dy, tf.sign(x!)) }));

  addGradient('Lgamma', ['x'], (dy, [x]) => ({ x: () => tf.mul(dy, run('Digamma', x!)) }));
  addGradient('Digamma', ['x'], (dy, [x]) => ({ x: () => tf.mul(dy, run('Trigamma', x!)) }));
}

const run = (kernelName: string, x: Tensor): Tensor => tf.engine().runKernel(kernelName, { x }) as Tensor;

/** Gradients that layered networks need: of sums of products over named axes, and of batch normalization. */
export function registerNetworkGradients(): void {
  // The gradient of an operand is the same sum with the operand and the result exchanged.
  addGradient<{ equation: string }>('Einsum', 'all', (dy, saved, { equation }) => {
    const { operands, result } = einsumTerms(equation);
    const gradients = saved.map((x, t) => () => {
      const letters = operands[t]!;
      const others = operands.filter((_, other) => other !== t);
      const arriving = [result, ...others];
      const given = [dy, ...saved.filter((_, other) => other !== t)];
      // A letter that only this operand has was summed over: its gradient is constant along that axis.
      const reached = [...letters].filter((letter) => arriving.some((term) => term.includes(letter)));
      const sum = tf.einsum(`${arriving.join(',')}->${reached.join('')}`, ...given);
      const shape = [...letters].map((letter, d) => (reached.includes(letter) ? x.shape[d]! : 1));
      return tf.broadcastTo(tf.reshape(sum, shape), x.shape);
    });
    return Object.fromEntries(gradients.map((gradient, t) => [t, gradient]));
  });

  // The stock gradient rounds ε to float32.
  replaceGradient<{ varianceEpsilon: number }>(
    'FusedBatchNorm',
    ['x', 'mean', 'variance', 'scale'],
    (dy, saved, { varianceEpsilon }) => {
      const [x, mean, variance, scale] = saved as [Tensor, Tensor, Tensor, Tensor?];
      const inverse = tf.rsqrt(tf.add(variance, exactScalar(varianceEpsilon)));
      const scaled = tf.mul(scale === undefined ? dy : tf.mul(dy, scale), inverse);
      const standardized = tf.mul(tf.sub(x, mean), inverse);
      return {
        x: () => scaled,
        mean: () => unbroadcast(tf.neg(scaled), mean.shape),
        variance: () => unbroadcast(tf.mul(tf.mul(scaled, standardized), tf.mul(inverse, -0.5)), variance.shape),
        scale: () => unbroadcast(tf.mul(dy, standardized), mean.shape),
        offset: () => unbroadcast(dy, mean.shape),
      };
    },
  );
}

interface ReductionAttributes {
  readonly axis?: number | number[];
}

/** Gradients of sums, means, products and running sums. */
export function registerReductionGradients(): void {
  replaceGradient<ReductionAttributes>('Sum', ['x'], (dy, [x], { axis }) => ({ x: () => spread(dy, x!, axis) }));

  // The stock gradient divides by a literal, which float32 rounds above 2²⁴.
  replaceGradient<ReductionAttributes>('Mean', ['x'], (dy, [x], { axis }) => ({
    x: () => spread(tf.div(dy, exactScalar(x!.size / Math.max(1, dy.size))), x!, axis),
  }));

  // The stock gradient uses axes as they are given and fails for negative or unsorted ones.
  adjustGradient<ReductionAttributes>('Prod', (stock, saved, { axis }) =>
    stock({ axis: tf.util.parseAxisParam(axis!, saved[0]!.shape).sort((p, q) => p - q) }),
  );

  // The stock gradient transposes once too often if the axis is not the last.
  replaceGradient<{ axis: number; exclusive: boolean; reverse: boolean }>('Cumsum', ['x'], (dy, _, attributes) => ({
    x: () => tf.cumsum(dy, attributes.axis, attributes.exclusive, !attributes.reverse),
  }));
}

/** Repeats the gradient of a reduction along the axes that were reduced. */
function spread(dy: Tensor, x: Tensor, axis: number | number[] | undefined): Tensor {
  const inputShape = x.shape.slice();
  for (const reduced of tf.util.parseAxisParam(axis!, x.shape)) inputShape[reduced] = 1;
  const input = tf.reshape(dy, inputShape);
  if (engine().backendName !== FLOAT64) return tf.broadcastTo(input, x.shape);
  return tf.engine().runKernel('BroadcastTo', { x: input }, { shape: x.shape, inputShape }) as Tensor;
}

/** Gradients of operations that move entries: each goes back to where its entry came from. */
export function registerStructureGradients(): void {
  addGradient<StridedSliceAttributes>('StridedSlice', ['x'], (dy, [x], slice) => ({
    x: () => putBack(dy, x!.shape, slice),
  }));

  addGradient('Diag', ['x'], (dy, [x]) => ({
    x: () => tf.reshape(tf.stridedSlice(tf.reshape(dy, [-1]), [0], [dy.size], [x!.size + 1]), x!.shape),
  }));

  // Axes of repetition next to the axes themselves, summed away in one pass at any rank. `broadcastTo` is a Tile as well.
  replaceGradient<{ reps: number[] }>('Tile', ['x'], (dy, [x], { reps }) => ({
    x: () => {
      const pairs = x!.shape.flatMap((size, d) => [reps[d]!, size]);
      const repetitions = x!.shape.map((_, d) => 2 * d);
      return tf.reshape(tf.sum(tf.reshape(dy, pairs), repetitions), x!.shape);
    },
  }));

  replaceGradient('Select', ['condition'], (dy, [condition]) => ({
    condition: () => tf.zeros(condition!.shape),
    t: () => tf.where(condition!, dy, tf.zerosLike(dy)),
    e: () => tf.where(condition!, tf.zerosLike(dy), dy),
  }));

  adjustGradient('GatherV2', (stock, [, indices], attributes) => ({
    ...stock(attributes),
    indices: () => tf.zeros(indices!.shape),
  }));
}

function putBack(dy: Tensor, shape: number[], slice: StridedSliceAttributes): Tensor {
  if (engine().backendName === FLOAT64) {
    return tf.engine().runKernel('StridedSliceGrad', { x: dy }, { shape, slice: slice as never }) as Tensor;
  }
  const { box, placement } = stridedBox(shape, slice);
  const taken = new Int32Array(tf.util.sizeFromShape(box));
  const every = Int32Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) => i);
  stridedCopy(box, every, placement, taken, whole(box));
  const size = every.length;
  return tf.reshape(tf.scatterND(tf.tensor2d(taken, [taken.length, 1]), tf.reshape(dy, [-1]), [size]), shape);
}

const zeroFor = (x: Tensor) => tf.zeros(x.shape);

/**
 * Zero gradients of piecewise constant functions: comparisons and logical operations. Without them, `where(greater(x, y), …)` could not be
 * differentiated.
 */
export function registerZeroGradients(): void {
  for (const name of ['Equal', 'NotEqual', 'Greater', 'Less', 'LessEqual', 'LogicalAnd', 'LogicalOr']) {
    addGradient(name, ['a', 'b'], (_, [a, b]) => ({ a: () => zeroFor(a!), b: () => zeroFor(b!) }));
  }
  for (const name of ['LogicalNot', 'All', 'Any']) {
    addGradient(name, ['x'], (_, [x]) => ({ x: () => zeroFor(x!) }));
  }
  // The stock zeros have the types of a and b, but gradients must be 'float32'.
  replaceGradient('GreaterEqual', ['a', 'b'], (_, [a, b]) => ({ a: () => zeroFor(a!), b: () => zeroFor(b!) }));
}

/** If this gradient below is still registered, all of them are. */
const SENTINEL = 'SquaredDifference';
let registered: unknown;

/**
 * Registers the stock gradients unless they are registered, adds missing ones and replaces, on the float64 backend, those that lose digits or fail.
 * Does nothing if they are in place; loading all of TensorFlow.js later puts its own gradients back.
 */
export function registerGradients(): void {
  if (registered !== undefined && tf.getGradient(SENTINEL) === registered) return;
  for (const gradient of stockGradients) {
    if (tf.getGradient(gradient.kernelName) === undefined) tf.registerGradient(gradient);
  }
  registerZeroGradients();
  registerElementwiseGradients();
  registerBinaryGradients();
  registerReductionGradients();
  registerStructureGradients();
  registerNetworkGradients();
  registered = tf.getGradient(SENTINEL);
}

type Gradients = Record<string, () => Tensor>;
/** Gradients of the inputs by name, from that of the output, the saved tensors and the operation's attributes. */
export type Gradient<A = object> = (dy: Tensor, saved: Tensor[], attributes: A) => Gradients;

const float64IsActive = () => engine().backendName === FLOAT64;

/**
 * Replaces a stock gradient while the float64 backend is active. TensorFlow.js has one gradient per operation for all backends: on other backends the
 * stock gradient, if there is one, still applies, so that the caller's own models are not affected.
 *
 * @param inputsToSave - the inputs that the gradient receives, the same as for the stock one
 */
export function replaceGradient<A extends object>(
  kernelName: string,
  inputsToSave: string[],
  gradient: Gradient<A>,
): void {
  const stock: tf.GradConfig | undefined = tf.getGradient(kernelName);
  const gradFunc: tf.GradFunc = (dy, saved, attributes) =>
    stock === undefined || float64IsActive()
      ? gradient(dy as Tensor, saved, attributes as unknown as A)
      : stock.gradFunc(dy, saved, attributes);
  tf.registerGradient({ ...(stock ?? { kernelName, inputsToSave }), gradFunc });
}

/** Replaces a stock gradient by one derived from it, while the float64 backend is active. */
export function adjustGradient<A extends object>(
  kernelName: string,
  adjusted: (stock: (attributes: A) => Gradients, saved: Tensor[], attributes: A) => Gradients,
): void {
  const stock = tf.getGradient(kernelName);
  const gradFunc: tf.GradFunc = (dy, saved, attributes) => {
    const ofStock = (given: A) => stock.gradFunc(dy, saved, given as unknown as tf.NamedAttrMap);
    return float64IsActive()
      ? adjusted(ofStock, saved, attributes as unknown as A)
      : stock.gradFunc(dy, saved, attributes);
  };
  tf.registerGradient({ ...stock, gradFunc });
}

/** Adds a gradient for an operation that has none, on every backend; 'all' saves the inputs of an operation that takes a list. */
export function addGradient<A extends object>(
  kernelName: string,
  inputsToSave: string[] | 'all',
  gradient: Gradient<A>,
): void {
  const gradFunc = (dy: Tensor | Tensor[], saved: Tensor[], attributes: unknown) =>
    gradient(dy as Tensor, saved, attributes as A);
  const saved = inputsToSave === 'all' ? { saveAllInputs: true } : { inputsToSave };
  tf.registerGradient({ kernelName, ...saved, gradFunc });
}

/** Gradient of an operand of this shape, from that of the broadcast result: the sum over the axes along which it was repeated. */
export function unbroadcast(gradient: Tensor, shape: number[]): Tensor {
  const axes = tf.broadcast_util.getReductionAxes(shape, gradient.shape);
  return tf.reshape(axes.length > 0 ? tf.sum(gradient, axes) : gradient, shape);
}
