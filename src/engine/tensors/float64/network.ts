import * as tf from '@tensorflow/tfjs-core';
import { exp, expm1, log } from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import { exactScalar } from '../doubles.ts';
import type { Tensor, TensorInfo } from '../tensorflow.ts';
import { FLOAT64 } from './backend.ts';
import { registerDerivatives, registerGradient, run, unbroadcast } from './gradients.ts';
import { broadcasting, broadcastStrides, type Row, stridedCopy, whole } from './operations/layout.ts';
import { matrixProduct, type ProductAttributes } from './operations/matrixProduct.ts';
import { type Binary, elementwise, kernel, sizeOf } from './operations/operation.ts';
import { divide } from './operations/slicing.ts';
import { float64Backend } from './scope.ts';

/** Constants of the self-normalizing exponential linear unit, which has a fixed point at mean 0 and variance 1 (Klambauer et al. 2017). */
const SELU_SCALE = 1.0507009873554805;
const SELU_SCALE_ALPHA = 1.7580993408473768;

/** Registers the TensorFlow.js operations that only `tf.layers` networks use. `tf.layers` itself has gradients for those that need no constants. */
export function registerNetworkOperations(): void {
  float64Backend();
  if (tf.getKernel('Elu', FLOAT64) !== undefined) return;
  registerActivations();
  registerSoftmax();
  registerBatchNormalization();
  registerFusedMatrixProduct();
  kernel<{ value: TensorInfo }, { axis: number }>('Unpack', ({ value }, { axis }, backend) => {
    const [along] = tf.util.parseAxisParam(axis, value.shape) as [number];
    const sizes = new Array<number>(value.shape[along]!).fill(1);
    const shape = value.shape.toSpliced(along, 1);
    return divide(value, along, sizes, backend).map((part) => ({ ...part, shape }));
  });
}

interface Slope {
  readonly alpha: number;
}

function registerActivations(): void {
  elementwise('Relu6', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.min(Math.max(0, x[i]!), 6);
  });
  elementwise<Slope>('LeakyRelu', 'float32', (x, y, { alpha }) => {
    for (let i = 0; i < y.length; i++) y[i] = x[i]! < 0 ? alpha * x[i]! : x[i]!;
  });
  const prelu: Row = (a, i, da, b, j, db, y, k, n) => {
    for (const end = k + n; k < end; k++, i += da, j += db) y[k] = a[i]! < 0 ? b[j]! * a[i]! : a[i]!;
  };
  broadcasting('Prelu', 'float32', prelu, ['x', 'alpha']);
  elementwise('Elu', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = x[i]! >= 0 ? x[i]! : expm1(x[i]!);
  });
  elementwise('Selu', 'same', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = x[i]! >= 0 ? SELU_SCALE * x[i]! : SELU_SCALE_ALPHA * expm1(x[i]!);
  });
  // Where x > 0, one slope, and another elsewhere.
  const either = (x: Tensor, above: Tensor, below: Tensor) => tf.where(tf.greater(x, 0), above, below);
  registerDerivatives({
    Relu6: (dy, x) => either(x, either(tf.sub(6, x), dy, tf.zerosLike(dy)), tf.zerosLike(dy)),
    Selu: (dy, x) =>
      either(x, tf.mul(dy, exactScalar(SELU_SCALE)), tf.mul(tf.mul(dy, exactScalar(SELU_SCALE_ALPHA)), tf.exp(x))),
  });
  registerGradient<Slope>('LeakyRelu', { inputsToSave: ['x'] }, (dy, [x], { alpha }) => ({
    x: () => either(x!, dy, tf.mul(dy, exactScalar(alpha))),
  }));
  registerGradient('Elu', { outputsToSave: [true] }, (dy, [y]) => ({
    x: () => tf.mul(dy, tf.add(run('Minimum', { a: y!, b: tf.zerosLike(y!) }), 1)),
  }));
}

interface Logits {
  readonly logits: TensorInfo;
}

/** Softmax and its logarithm along the last axis, with the largest entry subtracted so that nothing overflows. */
function registerSoftmax(): void {
  for (const name of ['Softmax', 'LogSoftmax']) {
    kernel<Logits>(name, ({ logits }, _, backend) => {
      const result = backend.allocate(logits.shape);
      const x = backend.values(logits);
      const y = backend.float64(result);
      const length = logits.shape.at(-1) ?? 1;
      for (let start = 0; start < y.length; start += length) {
        const end = start + length;
        let largest = x[start]!;
        for (let i = start + 1; i < end; i++) if (x[i]! > largest) largest = x[i]!;
        let total = 0;
        for (let i = start; i < end; i++) total += exp(x[i]! - largest);
        for (let i = start; i < end; i++) {
          y[i] = name === 'Softmax' ? exp(x[i]! - largest) / total : x[i]! - largest - log(total);
        }
      }
      return result;
    });
  }
}

interface Inputs {
  readonly x: TensorInfo;
  readonly mean: TensorInfo;
  readonly variance: TensorInfo;
  readonly scale?: TensorInfo;
  readonly offset?: TensorInfo;
}

/** (x − mean)/√(variance + ε)·scale + offset; all except x broadcast along the axes of x. */
function registerBatchNormalization(): void {
  kernel<Inputs, { varianceEpsilon: number }>('FusedBatchNorm', (inputs, { varianceEpsilon }, backend) => {
    const { x, mean, variance, scale, offset } = inputs;
    const result = backend.allocate(x.shape);
    const spread = backend.allocate(x.shape);
    const y = backend.float64(result);
    const operand = backend.float64(spread);
    const read = (tensor: TensorInfo) => {
      const from = { offset: 0, strides: broadcastStrides(tensor.shape, x.shape.length) };
      stridedCopy(x.shape, backend.values(tensor), from, operand, whole(x.shape));
    };
    y.set(backend.values(x));
    const n = sizeOf(x.shape);
    read(mean);
    for (let i = 0; i < n; i++) y[i]! -= operand[i]!;
    read(variance);
    for (let i = 0; i < n; i++) y[i]! /= Math.sqrt(operand[i]! + varianceEpsilon);
    if (scale) {
      read(scale);
      for (let i = 0; i < n; i++) y[i]! *= operand[i]!;
    }
    if (offset) {
      read(offset);
      for (let i = 0; i < n; i++) y[i]! += operand[i]!;
    }
    backend.disposeData(spread.dataId as object);
    return result;
  });

  // The stock gradient rounds ε to float32.
  registerGradient<{ varianceEpsilon: number }>(
    'FusedBatchNorm',
    { inputsToSave: ['x', 'mean', 'variance', 'scale'] },
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

interface FusedInputs extends Binary {
  readonly bias?: TensorInfo;
}

/** φ(A·B + bias), a dense layer: the product followed by the other operations. */
function registerFusedMatrixProduct(): void {
  kernel<FusedInputs, ProductAttributes & { activation?: string }>(
    '_FusedMatMul',
    ({ a, b, bias }, attributes, backend) => {
      const { activation = 'linear' } = attributes;
      let result = matrixProduct(a, b, attributes, backend);
      const then = (name: string, inputs: Record<string, TensorInfo>) => {
        const before = result;
        result = tf.getKernel(name, FLOAT64).kernelFunc({ inputs, attrs: {}, backend }) as TensorInfo;
        backend.disposeData(before.dataId as object);
      };
      if (bias) then('Add', { a: result, b: bias });
      if (activation === 'linear') return result;
      if (!['relu', 'relu6', 'elu', 'sigmoid'].includes(activation)) {
        throw new InvalidInputError(
          `A fused matrix product knows the activations linear, relu, relu6, elu and sigmoid, but '${activation}' was given. Apply it after the product.`,
        );
      }
      then(activation[0]!.toUpperCase() + activation.slice(1), { x: result });
      return result;
    },
  );
}
