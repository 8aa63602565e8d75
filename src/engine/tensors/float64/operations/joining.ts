import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import type { Float64Backend } from '../backend.ts';
import { broadcastStrides } from './broadcast.ts';
import { kernel, typeOf, type Unary } from './operation.ts';
import { boxAt, rowMajor, stridedCopy, whole } from './stridedCopy.ts';

/** Operations that join, split and repeat tensors. */
export function registerJoining(): void {
  kernel<readonly TensorInfo[], { axis: number }>('Concat', (parts, { axis }, backend) => {
    const along = tf.util.parseAxisParam(axis, parts[0]!.shape)[0]!;
    tf.backend_util.assertParamsConsistent(
      parts.map(({ shape }) => shape),
      along,
    );
    return concatenate(parts, along, backend);
  });

  kernel<readonly TensorInfo[], { axis: number }>('Pack', (parts, { axis }, backend) => {
    const { shape } = parts[0]!;
    const odd = parts.find((part) => !tf.util.arraysEqual(part.shape, shape));
    if (odd !== undefined) {
      throw new InvalidInputError(
        `Only tensors of equal shape can be stacked, but shapes [${shape}] and [${odd.shape}] were given.`,
      );
    }
    const at = axis < 0 ? axis + shape.length + 1 : axis;
    const expanded = parts.map((part) => ({ ...handle(part), shape: shape.toSpliced(at, 0, 1) }));
    return concatenate(expanded, at, backend);
  });

  kernel<{ value: TensorInfo }, { axis: number }>('Unpack', ({ value }, { axis }, backend) => {
    const along = tf.util.parseAxisParam(axis, value.shape)[0]!;
    const sizes = new Array<number>(value.shape[along]!).fill(1);
    const shape = value.shape.toSpliced(along, 1);
    return divide(value, along, sizes, backend).map((part) => ({ ...part, shape }));
  });

  kernel<Unary, { numOrSizeSplits: number | number[]; axis: number }>('SplitV', ({ x }, attributes, backend) => {
    const along = tf.util.parseAxisParam(attributes.axis, x.shape)[0]!;
    const sizes = tf.backend_util.prepareSplitSize(x as tf.Tensor, attributes.numOrSizeSplits, along);
    return divide(x, along, sizes, backend);
  });

  kernel<Unary, { reps: number[] }>('Tile', ({ x }, { reps }, backend) => {
    const shape = x.shape.map((size, d) => size * reps[d]!);
    const result = backend.allocate(shape, typeOf(x));
    // Each axis becomes two: the repetition, along which x does not move, and the axis itself.
    const box = x.shape.flatMap((size, d) => [reps[d]!, size]);
    const strides = rowMajor(x.shape).flatMap((stride) => [0, stride]);
    stridedCopy(box, backend.values(x), { offset: 0, strides }, backend.values(result), whole(box));
    return result;
  });

  kernel<Unary, { shape: number[] }>('BroadcastTo', ({ x }, { shape }, backend) => {
    const result = backend.allocate(shape, typeOf(x));
    const from = { offset: 0, strides: broadcastStrides(x.shape, shape.length) };
    stridedCopy(shape, backend.values(x), from, backend.values(result), whole(shape));
    return result;
  });
}

/** Data id, shape and type of a tensor. TensorFlow.js tensors are class instances whose fields do not all spread. */
const handle = ({ dataId, shape, dtype }: TensorInfo): TensorInfo => ({ dataId, shape, dtype });

function concatenate(parts: readonly TensorInfo[], axis: number, backend: Float64Backend): TensorInfo {
  const first = parts[0]!;
  const total = parts.reduce((sum, part) => sum + part.shape[axis]!, 0);
  const shape = first.shape.with(axis, total);
  const result = backend.allocate(shape, typeOf(first));
  const to = backend.values(result);
  const begin = new Array<number>(shape.length).fill(0);
  for (const part of parts) {
    stridedCopy(part.shape, backend.values(part), whole(part.shape), to, boxAt(shape, begin));
    begin[axis]! += part.shape[axis]!;
  }
  return result;
}

function divide(x: TensorInfo, axis: number, sizes: readonly number[], backend: Float64Backend): TensorInfo[] {
  const parts = sizes.map((size) => backend.allocate(x.shape.with(axis, size), typeOf(x)));
  const from = backend.values(x);
  const begin = new Array<number>(x.shape.length).fill(0);
  for (const part of parts) {
    stridedCopy(part.shape, from, boxAt(x.shape, begin), backend.values(part), whole(part.shape));
    begin[axis]! += part.shape[axis]!;
  }
  return parts;
}
