import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import type { Values } from '../backend.ts';
import { kernel, sizeOf, typeOf, upcast } from './operation.ts';

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
