import type { Matrix } from '../core/matrix.ts';
import { lazily } from '../core/progressiveWork.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { isOpen, startedAt } from '../kernels/startedAt.ts';
import { type Latents, latentsOf } from '../latents/latents.ts';

/** The one seed of a start that is drawn, by which a kernel is decided, so that a model is the same whatever its fit's. */
const SEED = 0;

/** Where the latents start, N×q: found when first asked for, once. */
export function startOf(latents: Latents, Y: Matrix, latentDim: number): () => Matrix {
  return lazily(() => {
    const start = Object.entries(latents.parameters(Y, latentDim, SEED)).map(([path, { initial }]) => [path, initial]);
    return latentsOf(latents, Object.fromEntries(start), Y, Y);
  });
}

/** The kernel with what it leaves open decided at the latents from which the model starts. */
export function startedKernel(kernel: Kernel, start: () => Matrix): Kernel {
  return isOpen(kernel) ? startedAt(kernel, start()) : kernel;
}
