import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model/model.ts';
import type { Kernel } from './kernel.ts';

/** What a kernel adds to a Gram matrix when it is nothing else: one number everywhere, or on the diagonal. */
export interface Offset {
  readonly type: 'constant' | 'white';
  readonly variance: Tensor;
}

/** Whether it is a constant or a white noise. */
export function isOffset({ form }: Kernel): boolean {
  const type = form.type === 'leaf' ? form.capabilities.structure?.type : undefined;
  return type === 'constant' || type === 'white';
}

/** A constant or a white noise at these values; undefined for any other kernel. */
export function offsetOf({ form }: Kernel, p: TensorMap): Offset | undefined {
  if (form.type !== 'leaf') return undefined;
  const { structure } = form.capabilities;
  if (structure?.type !== 'constant' && structure?.type !== 'white') return undefined;
  return { type: structure.type, variance: form.own(p)[structure.parameter]! };
}

/** K + k(A, B) of a constant or a white noise, `gram` telling whether K is the Gram matrix of one set. */
export function withOffset(K: Tensor2D, kernel: Kernel, p: TensorMap, gram: boolean): Tensor2D {
  const { type, variance } = offsetOf(kernel, p)!;
  if (type === 'constant') return op.add<Tensor2D>(K, variance);
  return gram ? op.addDiagonal(K, variance) : K;
}
