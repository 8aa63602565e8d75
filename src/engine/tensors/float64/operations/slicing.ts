import * as tf from '@tensorflow/tfjs-core';
import { kernel, sizeOf, typeOf, type Unary } from './operation.ts';
import { boxAt, rowMajor, stridedCopy, whole } from './stridedCopy.ts';

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
