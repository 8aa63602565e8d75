import type { TensorInfo } from '../../tensorflow.ts';
import { broadcastStrides } from './broadcast.ts';
import { kernel, sizeOf } from './operation.ts';
import { stridedCopy, whole } from './stridedCopy.ts';

interface Inputs {
  readonly x: TensorInfo;
  readonly mean: TensorInfo;
  readonly variance: TensorInfo;
  readonly scale?: TensorInfo;
  readonly offset?: TensorInfo;
}

/** (x − mean)/√(variance + ε)·scale + offset; all but x broadcast along the axes of x. */
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
