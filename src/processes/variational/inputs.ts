import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';

/** Values of the kernel's parameters. */
export const ofKernel = <T>({ parameters }: Kernel, p: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.keys(parameters).map((name) => [name, p[`kernel.${name}`]!]));

/** Values of the likelihood's parameters. */
export const ofLikelihood = <T>({ parameters }: Likelihood, p: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.keys(parameters).map((name) => [name, p[name]!]));

/** True for Gaussian rows. */
export const isSpread = (rows: Tensor2D | op.GaussianRows): rows is op.GaussianRows => 'variance' in rows;

/**
 * The parents of a process side by side; points are Gaussians of variance 0.
 *
 * @param variances - of those parents that are uncertain
 */
export function inputsOf(
  given: readonly (Tensor2D | op.GaussianRows)[],
  variances: readonly (Tensor2D | undefined)[] = [],
): op.GaussianRows {
  const rows = given.map((own, i) =>
    isSpread(own) ? own : { mean: own, variance: variances[i] ?? op.zeros<Tensor2D>(own.shape) },
  );
  const [first] = rows as [op.GaussianRows];
  if (rows.length === 1) return first;
  const side = (of: 'mean' | 'variance') =>
    op.concat(
      rows.map((own) => own[of]),
      1,
    ) as Tensor2D;
  return { mean: side('mean'), variance: side('variance') };
}
