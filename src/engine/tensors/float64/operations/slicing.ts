import * as tf from '@tensorflow/tfjs-core';
import type { TensorInfo } from '../../tensorflow.ts';
import type { Float64Backend, Values } from '../backend.ts';
import { boxAt, rowMajor, stridedCopy, whole } from './layout.ts';
import { doesNotFit, kernel, sizeOf, typeOf, type Unary, upcast } from './operation.ts';

/** Operations that extract a part of a tensor, or insert a tensor into a larger one. */
export function registerSlicing(): void {
  kernel<Unary, { begin: number | number[]; size: number | number[] }>('Slice', ({ x }, { begin, size }, backend) => {
    const start = x.shape.map((_, d) => [begin].flat()[d] ?? 0);
    const shape = x.shape.map((all, d) => {
      const wanted = [size].flat()[d] ?? -1;
      return wanted === -1 ? all - start[d]! : wanted;
    });
    if (start.some((from, d) => !(from >= 0 && shape[d]! >= 0 && from + shape[d]! <= x.shape[d]!))) {
      throw doesNotFit(`A slice of size [${shape}] from [${start}] is not inside a tensor of shape [${x.shape}].`);
    }
    const result = backend.allocate(shape, typeOf(x));
    stridedCopy(shape, backend.values(x), boxAt(x.shape, start), backend.values(result), whole(shape));
    return result;
  });

  kernel<Unary, { paddings: [number, number][]; constantValue: number }>('PadV2', ({ x }, attributes, backend) => {
    const { paddings, constantValue } = attributes;
    const shape = x.shape.map((size, d) => paddings[d]![0] + size + paddings[d]![1]);
    const before = paddings.map(([count]) => count);
    const result = backend.allocate(shape, typeOf(x));
    const to = backend.values(result).fill(constantValue);
    stridedCopy(x.shape, backend.values(x), whole(x.shape), to, boxAt(shape, before));
    return result;
  });

  kernel<Unary>('Diag', ({ x }, _, backend) => {
    const size = sizeOf(x.shape);
    const result = backend.allocate([...x.shape, ...x.shape], typeOf(x));
    const to = backend.values(result).fill(0);
    stridedCopy([size], backend.values(x), { offset: 0, strides: [1] }, to, { offset: 0, strides: [size + 1] });
    return result;
  });
}

/** Operations that join, split and repeat tensors. */
export function registerJoining(): void {
  kernel<readonly TensorInfo[], { axis: number }>('Concat', (parts, { axis }, backend) => {
    const along = tf.util.parseAxisParam(axis, parts[0]!.shape)[0]!;
    return concatenate(parts, along, backend);
  });

  kernel<readonly TensorInfo[], { axis: number }>('Pack', (parts, { axis }, backend) => {
    const at = axis < 0 ? axis + parts[0]!.shape.length + 1 : axis;
    const expanded = parts.map((part) => ({ ...handle(part), shape: part.shape.toSpliced(at, 0, 1) }));
    return concatenate(expanded, at, backend);
  });

  kernel<Unary, { numOrSizeSplits: number | number[]; axis: number }>('SplitV', ({ x }, attributes, backend) => {
    const { numOrSizeSplits: parts } = attributes;
    const along = tf.util.parseAxisParam(attributes.axis, x.shape)[0]!;
    const size = x.shape[along]!;
    const sizes = typeof parts === 'number' ? new Array<number>(parts).fill(size / parts) : parts;
    if (sizes.some((part) => !Number.isInteger(part)) || sizes.reduce((sum, part) => sum + part, 0) !== size) {
      throw doesNotFit(`Axis ${along} of a tensor of shape [${x.shape}] cannot be split into [${sizes}].`);
    }
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
}

/** Data id, shape and type of a tensor. TensorFlow.js tensors are class instances whose fields do not all spread. */
const handle = ({ dataId, shape, dtype }: TensorInfo): TensorInfo => ({ dataId, shape, dtype });

function concatenate(parts: readonly TensorInfo[], axis: number, backend: Float64Backend): TensorInfo {
  const first = parts[0]!;
  const rank = first.shape.length;
  for (const { shape } of parts) {
    if (shape.length === rank && shape.every((size, d) => d === axis || size === first.shape[d])) continue;
    throw doesNotFit(
      `Tensors of shapes [${first.shape}] and [${shape}] cannot be joined along axis ${axis}: their other sizes differ.`,
    );
  }
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

/** The parts of a tensor of these sizes along an axis. */
export function divide(x: TensorInfo, axis: number, sizes: readonly number[], backend: Float64Backend): TensorInfo[] {
  const parts = sizes.map((size) => backend.allocate(x.shape.with(axis, size), typeOf(x)));
  const from = backend.values(x);
  const begin = new Array<number>(x.shape.length).fill(0);
  for (const part of parts) {
    stridedCopy(part.shape, from, boxAt(x.shape, begin), backend.values(part), whole(part.shape));
    begin[axis]! += part.shape[axis]!;
  }
  return parts;
}

interface GatherInputs {
  readonly x: TensorInfo;
  readonly indices: TensorInfo;
}
interface SegmentInputs {
  readonly x: TensorInfo;
  readonly segmentIds: TensorInfo;
}
interface SelectInputs {
  readonly condition: TensorInfo;
  readonly t: TensorInfo;
  readonly e: TensorInfo;
}

/** Operations that pick entries by index or by condition. */
export function registerGather(): void {
  kernel<GatherInputs, { axis: number; batchDims?: number }>('GatherV2', ({ x, indices }, attributes, backend) => {
    const axis = tf.util.parseAxisParam(attributes.axis, x.shape)[0]!;
    if (attributes.batchDims) throw doesNotFit('Entries are gathered along one axis; batchDims must be 0.');
    const sliceSize = sizeOf(x.shape.slice(axis + 1));
    const dimSize = x.shape[axis]!;
    const result = backend.allocate(x.shape.toSpliced(axis, 1, ...indices.shape), typeOf(x));
    const from = backend.values(x);
    const to = backend.values(result);
    const chosen = backend.values(indices);
    checkIndices(chosen, dimSize, axis, x.shape);
    let at = 0;
    for (let base = 0; at < to.length; base += dimSize) {
      for (let k = 0; k < chosen.length; k++) {
        const start = (base + chosen[k]!) * sliceSize;
        for (let s = 0; s < sliceSize; s++) to[at++] = from[start + s]!;
      }
    }
    return result;
  });

  // Rows whose identifier is outside of 0 … numSegments − 1 are left out.
  kernel<SegmentInputs, { numSegments: number }>(
    'UnsortedSegmentSum',
    ({ x, segmentIds }, { numSegments }, backend) => {
      const inner = x.shape.slice(segmentIds.shape.length);
      const result = backend.allocate([numSegments, ...inner], upcast('float32', typeOf(x)));
      const length = sizeOf(inner);
      const from = backend.values(x);
      const to = backend.values(result).fill(0);
      const segments = backend.values(segmentIds);
      for (let k = 0; k < segments.length; k++) {
        const segment = segments[k]!;
        if (segment < 0 || segment >= numSegments) continue;
        for (let s = 0; s < length; s++) to[segment * length + s]! += from[k * length + s]!;
      }
      return result;
    },
  );

  kernel<SelectInputs>('Select', ({ condition, t, e }, _, backend) => {
    const result = backend.allocate(t.shape, upcast(t, e));
    const when = backend.values(condition);
    const yes = backend.values(t);
    const no = backend.values(e);
    const to = backend.values(result);
    if (when.length === to.length) {
      for (let i = 0; i < to.length; i++) to[i] = when[i]! ? yes[i]! : no[i]!;
      return result;
    }
    // A condition of rank 1 picks whole rows.
    const length = to.length / Math.max(1, when.length);
    for (let row = 0; row < when.length; row++) {
      const from = when[row]! ? yes : no;
      for (let i = row * length; i < (row + 1) * length; i++) to[i] = from[i]!;
    }
    return result;
  });
}

function checkIndices(indices: Values, size: number, axis: number, shape: readonly number[]): void {
  for (let k = 0; k < indices.length; k++) {
    const index = indices[k]!;
    if (index < 0 || index >= size) {
      throw doesNotFit(
        `Index ${index} at position ${k} is not in 0 … ${size - 1}: axis ${axis} of the tensor of shape [${shape}] has ${size} entries.`,
      );
    }
  }
}
