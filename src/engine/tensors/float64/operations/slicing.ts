import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import type { Float64Backend, Values } from '../backend.ts';
import { boxAt, broadcastStrides, rowMajor, stridedCopy, whole } from './layout.ts';
import { kernel, sizeOf, typeOf, type Unary, upcast } from './operation.ts';

/** Attributes of tf.stridedSlice: begin, end and step of each axis, and masks that override them. */
export interface StridedSliceAttributes {
  readonly begin: number[];
  readonly end: number[];
  readonly strides: number[];
  readonly beginMask: number;
  readonly endMask: number;
  readonly ellipsisMask: number;
  readonly newAxisMask: number;
  readonly shrinkAxisMask: number;
}

interface PutBack {
  readonly shape: number[];
  readonly slice: StridedSliceAttributes;
}

/** Operations that take a part of a tensor, or put a tensor into a larger one. */
export function registerSlicing(): void {
  kernel<Unary, { begin: number | number[]; size: number | number[] }>('Slice', ({ x }, { begin, size }, backend) => {
    const [start, shape] = tf.slice_util.parseSliceParams(x as never, begin, size) as [number[], number[]];
    tf.slice_util.assertParamsValid(x as never, start, shape);
    const result = backend.allocate(shape, typeOf(x));
    stridedCopy(shape, backend.values(x), boxAt(x.shape, start), backend.values(result), whole(shape));
    return result;
  });

  kernel<Unary, StridedSliceAttributes>('StridedSlice', ({ x }, attributes, backend) => {
    const { shape, box, placement } = stridedBox(x.shape, attributes);
    const result = backend.allocate(shape, typeOf(x));
    stridedCopy(box, backend.values(x), placement, backend.values(result), whole(box));
    return result;
  });

  // Its gradient: the entries go back to where they came from, all others are 0.
  kernel<Unary, PutBack>('StridedSliceGrad', ({ x }, { shape, slice }, backend) => {
    const result = backend.allocate(shape);
    const { box, placement } = stridedBox(shape, slice);
    stridedCopy(box, backend.values(x), whole(box), backend.float64(result).fill(0), placement);
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

  kernel<Unary, { dims: number | number[] }>('Reverse', ({ x }, { dims }, backend) => {
    const result = backend.allocate(x.shape, typeOf(x));
    const strides = rowMajor(x.shape);
    let offset = 0;
    for (const axis of tf.util.parseAxisParam(dims, x.shape)) {
      offset += (x.shape[axis]! - 1) * strides[axis]!;
      strides[axis] = -strides[axis]!;
    }
    stridedCopy(x.shape, backend.values(x), { offset, strides }, backend.values(result), whole(x.shape));
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

/** The entries that a strided slice takes from a tensor of shape `from`, and the resulting shape. */
export function stridedBox(from: readonly number[], attributes: StridedSliceAttributes) {
  const { begin, end, strides, beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask } = attributes;
  const info = tf.slice_util.sliceInfo(
    from as number[],
    begin,
    end,
    strides,
    beginMask,
    endMask,
    ellipsisMask,
    newAxisMask,
    shrinkAxisMask,
  );
  const { offset, strides: full } = boxAt(from, info.begin);
  const box = tf.slice_util.computeOutShape(info.begin, info.end, info.strides);
  return {
    shape: info.finalShape,
    box,
    placement: { offset, strides: full.map((stride, d) => stride * info.strides[d]!) },
  };
}

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
    const { batchSize, outerSize, dimSize, sliceSize, outputShape } =
      tf.backend_util.segment_util.collectGatherOpShapeInfo(
        x as tf.Tensor,
        indices as tf.Tensor,
        axis,
        attributes.batchDims ?? 0,
      );
    const result = backend.allocate(outputShape, typeOf(x));
    const from = backend.values(x);
    const to = backend.values(result);
    const chosen = backend.values(indices);
    checkIndices(chosen, dimSize, axis, x.shape);
    const perBatch = chosen.length / Math.max(1, batchSize);
    let at = 0;
    for (let batch = 0; batch < batchSize; batch++) {
      for (let outer = 0; outer < outerSize; outer++) {
        const base = (batch * outerSize + outer) * dimSize;
        for (let k = 0; k < perBatch; k++) {
          const start = (base + chosen[batch * perBatch + k]!) * sliceSize;
          for (let s = 0; s < sliceSize; s++) to[at++] = from[start + s]!;
        }
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
      throw new InvalidInputError(
        `Index ${index} at position ${k} is not in 0 … ${size - 1}: axis ${axis} of the tensor of shape [${shape}] has ${size} entries.`,
      );
    }
  }
}
