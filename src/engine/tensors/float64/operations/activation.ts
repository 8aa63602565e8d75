import { exp, expm1, log1p } from '../../../../core/elementary/index.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import { broadcasting } from './broadcast.ts';
import { elementwise, kernel } from './operation.ts';

/** Constants of the self-normalising exponential linear unit, which has a fixed point at mean 0 and variance 1 (Klambauer et al. 2017). */
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
