import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import type { NumericType } from '../backend.ts';
import { kernel, sizeOf, typeOf, type Unary } from './operation.ts';

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
