import { exp, log } from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import { kernel, sizeOf } from './operation.ts';

interface Logits {
  readonly logits: TensorInfo;
}

/** Softmax and its logarithm along the last axis, with the largest entry taken out so that nothing overflows. */
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

/** Entries along the last axis, which is the only one that TensorFlow.js asks for. */
function lastAxis({ shape }: TensorInfo, axis: number): number {
  const last = shape.length - 1;
  if (axis !== last && axis !== -1) {
    throw new InvalidInputError(
      `Softmax runs along the last axis, but axis ${axis} of a tensor of shape [${shape}] was given. Transpose it first.`,
    );
  }
  return Math.max(1, sizeOf(shape.slice(last)));
}
