import type { Matrix } from '../core/matrix.ts';
import { lazily } from '../core/progressiveWork.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { isOpen, startedAt } from '../kernels/startedAt.ts';
import { type Latents, latentsOf } from '../latents/latents.ts';

/** Fixed seed of random initial latents at which a kernel's open options are decided, so that a model is independent of the seed of its fit. */
const SEED = 0;

/** Initial latents, N×q, computed once when first asked for. */
export function startOf(latents: Latents, Y: Matrix, latentDim: number): () => Matrix {
  return lazily(() => {
    const start = Object.entries(latents.parameters(Y, latentDim, SEED)).map(([path, { initial }]) => [path, initial]);
    return latentsOf(latents, Object.fromEntries(start), Y, Y);
  });
}

/** The kernel with its open options decided at the initial latents of the model. */
export function startedKernel(kernel: Kernel, start: () => Matrix): Kernel {
  return isOpen(kernel) ? startedAt(kernel, start()) : kernel;
}
