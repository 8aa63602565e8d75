import type { TensorMap } from '../../model/model.ts';
import type { Tensor2D } from '../../tensors/tensorflow.ts';
import type { Kernel } from '../kernel.ts';
import { type Expectations, weightedProducts } from './expectations.ts';

/** Those of any kernel under latents without variance: its covariances themselves, and their products. */
export function certainExpectations(
  kernel: Kernel,
  p: TensorMap,
  X: Tensor2D,
  Z: Tensor2D,
  weights?: Tensor2D,
): Expectations {
  const cross = kernel.covariance(p, X, Z, Z);
  return {
    diagonal: kernel.diagonal(p, X, Z),
    cross,
    products: () => weightedProducts(cross, cross, weights),
  };
}
