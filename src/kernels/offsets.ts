import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model/model.ts';
import type { Kernel } from './kernel.ts';

/** What a constant or a white noise adds to a Gram matrix: one number to every entry, or to the diagonal. */
export interface Offset {
  readonly type: 'constant' | 'white';
  readonly variance: Tensor;
}

/** True for a constant or a white noise. */
export function isOffset({ form }: Kernel): boolean {
  const type = form.type === 'leaf' ? form.capabilities.structure?.type : undefined;
  return type === 'constant' || type === 'white';
}

/** The offset of a constant or a white noise at these values; undefined for any other kernel. */
export function offsetOf({ form }: Kernel, p: TensorMap): Offset | undefined {
  if (form.type !== 'leaf') return undefined;
  const { structure } = form.capabilities;
  if (structure?.type !== 'constant' && structure?.type !== 'white') return undefined;
  return { type: structure.type, variance: form.own(p)[structure.parameter]! };
}

/** Adds a constant or a white noise to K; `gram` says whether K is a Gram matrix. */
export function withOffset(K: Tensor2D, kernel: Kernel, p: TensorMap, gram: boolean): Tensor2D {
  const { type, variance } = offsetOf(kernel, p)!;
  if (type === 'constant') return op.add<Tensor2D>(K, variance);
  return gram ? op.addDiagonal(K, variance) : K;
}
