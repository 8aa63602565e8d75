import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';

/** The kernel's values by its own names. */
export const ofKernel = <T>({ parameters }: Kernel, p: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.keys(parameters).map((name) => [name, p[`kernel.${name}`]!]));

/** The likelihood's values by its own names. */
export const ofLikelihood = <T>({ parameters }: Likelihood, p: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.keys(parameters).map((name) => [name, p[name]!]));

/** True for rows that are Gaussians. */
export const isSpread = (rows: Tensor2D | op.GaussianRows): rows is op.GaussianRows => 'variance' in rows;

/**
 * The variables that a process is given as its inputs side by side, points as Gaussians of variance 0.
 *
 * @param variances - of those whose means are given
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
