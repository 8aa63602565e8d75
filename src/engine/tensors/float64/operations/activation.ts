import { exp, expm1, log, log1p } from '../../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import { broadcasting, broadcastStrides, stridedCopy, whole } from './layout.ts';
import { elementwise, kernel, sizeOf } from './operation.ts';

/** Constants of the self-normalizing exponential linear unit, which has a fixed point at mean 0 and variance 1 (Klambauer et al. 2017). */
export const SELU_SCALE = 1.0507009873554805;
export const SELU_SCALE_ALPHA = 1.7580993408473768;

/** Activation functions, clipping and the step function. */
export function registerActivations(): void {
  // log(1 + e^x) = max(x, 0) + log(1 + e^−|x|) neither overflows nor loses digits.
  elementwise('Softplus', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = Math.max(v, 0) + log1p(exp(-Math.abs(v)));
    }
  });
  elementwise('Relu', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.max(0, x[i]!);
  });
  elementwise('Relu6', (x, y) => {
    for (let i = 0; i < y.length; i++) y[i] = Math.min(Math.max(0, x[i]!), 6);
  });
  elementwise<{ alpha: number }>(
    'LeakyRelu',
    (x, y, { alpha }) => {
      for (let i = 0; i < y.length; i++) {
        const v = x[i]!;
        y[i] = v < 0 ? alpha * v : v;
      }
    },
    'float32',
  );
  broadcasting(
    'Prelu',
    (a, i, da, b, j, db, y, k, n) => {
      for (const end = k + n; k < end; k++, i += da, j += db) {
        const v = a[i]!;
        y[k] = v < 0 ? b[j]! * v : v;
      }
    },
    'float32',
    ['x', 'alpha'],
  );
  elementwise('Elu', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = v >= 0 ? v : expm1(v);
    }
  });
  elementwise('Selu', (x, y) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = v >= 0 ? SELU_SCALE * v : SELU_SCALE_ALPHA * expm1(v);
    }
  });
  kernel<{ dy: TensorInfo; y: TensorInfo }>('EluGrad', ({ dy, y }, _, backend) => {
    const result = backend.allocate(y.shape);
    const into = backend.float64(result);
    const value = backend.values(y);
    const upstream = backend.values(dy);
    for (let i = 0; i < into.length; i++) {
      const v = value[i]!;
      into[i] = v >= 0 ? upstream[i]! : upstream[i]! * (v + 1);
    }
    return result;
  });
  elementwise<{ alpha: number }>('Step', (x, y, { alpha }) => {
    for (let i = 0; i < y.length; i++) {
      const v = x[i]!;
      y[i] = Number.isNaN(v) ? v : v > 0 ? 1 : alpha;
    }
  });
  elementwise<{ clipValueMin: number; clipValueMax: number }>('ClipByValue', (x, y, attributes) => {
    const { clipValueMin, clipValueMax } = attributes;
    for (let i = 0; i < y.length; i++) {
      y[i] = Math.min(Math.max(x[i]!, clipValueMin), clipValueMax);
    }
  });
}

interface Logits {
  readonly logits: TensorInfo;
}

/** Softmax and its logarithm along the last axis, with the largest entry subtracted so that nothing overflows. */
export function registerSoftmax(): void {
  kernel<Logits, { dim: number }>('Softmax', ({ logits }, { dim }, backend) => {
    const length = lastAxis(logits, dim);
    const result = backend.allocate(logits.shape);
    const x = backend.values(logits);
    const y = backend.float64(result);
    for (let start = 0; start < y.length; start += length) {
      const end = start + length;
      let largest = x[start]!;
      for (let i = start + 1; i < end; i++) if (x[i]! > largest) largest = x[i]!;
      let total = 0;
      for (let i = start; i < end; i++) {
        const e = exp(x[i]! - largest);
        y[i] = e;
        total += e;
      }
      for (let i = start; i < end; i++) y[i]! /= total;
    }
    return result;
  });

  kernel<Logits, { axis: number }>('LogSoftmax', ({ logits }, { axis }, backend) => {
    const length = lastAxis(logits, axis);
    const result = backend.allocate(logits.shape);
    const x = backend.values(logits);
    const y = backend.float64(result);
    for (let start = 0; start < y.length; start += length) {
      const end = start + length;
      let largest = x[start]!;
      for (let i = start + 1; i < end; i++) if (x[i]! > largest) largest = x[i]!;
      let total = 0;
      for (let i = start; i < end; i++) total += exp(x[i]! - largest);
      const logTotal = log(total);
      for (let i = start; i < end; i++) y[i] = x[i]! - largest - logTotal;
    }
    return result;
  });
}

/** Number of entries along the last axis, the only one that TensorFlow.js uses. */
function lastAxis({ shape }: TensorInfo, axis: number): number {
  const last = shape.length - 1;
  if (axis !== last && axis !== -1) {
    throw new InvalidInputError(
      `Softmax runs along the last axis, but axis ${axis} of a tensor of shape [${shape}] was given. Transpose it first.`,
    );
  }
  return Math.max(1, sizeOf(shape.slice(last)));
}

interface Inputs {
  readonly x: TensorInfo;
  readonly mean: TensorInfo;
  readonly variance: TensorInfo;
  readonly scale?: TensorInfo;
  readonly offset?: TensorInfo;
}

/** (x − mean)/√(variance + ε)·scale + offset; all except x broadcast along the axes of x. */
export function registerBatchNormalization(): void {
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
}
