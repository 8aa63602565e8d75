import type { Matrix } from '../core/matrix.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { isOpen, startedAt } from '../kernels/startedAt.ts';
import { type Latents, latentsOf } from '../latents/latents.ts';

/** Of a start that is drawn, what a kernel is decided by comes from one seed, so that a model is the same whatever its fit's. */
const SEED = 0;

/** The kernel with what it leaves open decided at the latents from which the model starts. */
export function startedKernel(kernel: Kernel, latents: Latents, Y: Matrix, latentDim: number): Kernel {
  if (!isOpen(kernel)) return kernel;
  const start = Object.entries(latents.parameters(Y, latentDim, SEED)).map(([path, { initial }]) => [path, initial]);
  return startedAt(kernel, latentsOf(latents, Object.fromEntries(start), Y, Y));
}
