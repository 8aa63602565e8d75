import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import type { NumericType } from '../backend.ts';
import { kernel, sizeOf, typeOf, type Unary } from './operation.ts';

type None = Readonly<Record<string, never>>;
interface Indices {
  readonly indices: TensorInfo;
}

/** Operations that make tensors from a few numbers. */
export function registerCreation(): void {
  kernel<None, { shape: number[]; value: number; dtype?: NumericType }>('Fill', (_, attributes, backend) => {
    const { shape, value, dtype } = attributes;
    const result = backend.allocate(shape, dtype ?? (tf.util.inferDtype(value) as NumericType));
    backend.values(result).fill(value);
    return result;
  });

  kernel<None, { start: number; stop: number; step: number; dtype: NumericType }>('Range', (_, attributes, backend) => {
    const { start, stop, dtype } = attributes;
    // The default step of 1 counts downwards if necessary.
    const step = stop < start && attributes.step === 1 ? -1 : attributes.step;
    const length = Math.max(0, Math.ceil((stop - start) / step));
    const result = backend.allocate([length], dtype);
    const y = backend.values(result);
    if (dtype === 'float32') for (let i = 0; i < length; i++) y[i] = start + i * step;
    else for (let i = 0; i < length; i++) y[i] = i === 0 ? start : y[i - 1]! + step;
    return result;
  });

  kernel<None, { start: number; stop: number; num: number }>('LinSpace', (_, { start, stop, num }, backend) => {
    const result = backend.allocate([num]);
    const y = backend.float64(result);
    const step = (stop - start) / (num - 1);
    for (let i = 0; i < num - 1; i++) y[i] = start + i * step;
    y[num - 1] = num > 1 ? stop : start;
    return result;
  });

  kernel<Indices, { dtype: NumericType; depth: number; onValue: number; offValue: number }>(
    'OneHot',
    ({ indices }, { dtype, depth, onValue, offValue }, backend) => {
      const result = backend.allocate([...indices.shape, depth], dtype);
      const y = backend.values(result).fill(offValue);
      const index = backend.values(indices);
      for (let k = 0; k < sizeOf(indices.shape); k++) {
        const at = index[k]!;
        if (at >= 0 && at < depth) y[k * depth + at] = onValue;
      }
      return result;
    },
  );
}

/** Operations that keep the numbers and change the shape or the type. */
export function registerShape(): void {
  kernel<Unary>('Identity', ({ x }, _, backend) => backend.share(x, x.shape));

  kernel<Unary, { shape: number[] }>('Reshape', ({ x }, { shape }, backend) =>
    backend.share(x, tf.util.inferFromImplicitShape(shape, sizeOf(x.shape))),
  );

  kernel<{ input: TensorInfo }, { dim: number }>('ExpandDims', ({ input }, { dim }, backend) => {
    const rank = input.shape.length;
    if (dim < -rank - 1 || dim > rank) {
      throw new InvalidInputError(
        `The new axis of a tensor of rank ${rank} must lie in ${-rank - 1} … ${rank}, but ${dim} was given.`,
      );
    }
    return backend.share(input, input.shape.toSpliced(dim < 0 ? rank + dim + 1 : dim, 0, 1));
  });

  kernel<Unary, { dtype: NumericType }>('Cast', ({ x }, { dtype }, backend) => {
    if (dtype === x.dtype) return backend.share(x, x.shape);
    const result = backend.allocate(x.shape, dtype);
    const from = backend.values(x);
    const to = backend.values(result);
    if (dtype === 'bool') for (let i = 0; i < to.length; i++) to[i] = from[i] !== 0 ? 1 : 0;
    else to.set(from);
    return result;
  });

  kernel<Unary>('ZerosLike', ({ x }, _, backend) => {
    const result = backend.allocate(x.shape, typeOf(x));
    backend.values(result).fill(0);
    return result;
  });

  kernel<Unary>('OnesLike', ({ x }, _, backend) => {
    const result = backend.allocate(x.shape, typeOf(x));
    backend.values(result).fill(1);
    return result;
  });
}
