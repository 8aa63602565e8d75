import { InvalidInputError } from '../core/errors.ts';
import { checkDefinition, checkName } from '../core/given.ts';
import { checkMembers } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { positive } from '../model/parameter.ts';
import { defineKernel, type KernelFactory } from './defineKernel.ts';

/**
 * Defines a kernel that is a function of distance: k(x, x') = v·f(r²), r² = Σ_d ((x_d − x'_d)/l_d)². It takes only a profile f with its slope, and
 * runs through the same fused operations as the built-in kernels, which are made with this function.
 *
 * @param profile - the kernel's `name`; `value` and `slope`, loops that replace every s = r² by f(s) and f′(s), with f(0) = 1 and finite
 *   slopes (0 at s = 0 where there is none)
 * @returns a factory of kernels with parameters `variance` v > 0 (1) and `lengthscale` l > 0 (1), a list for one per column (ARD)
 * @throws InvalidInputError unless the name is one word of letters and digits
 * @example
 * ```ts
 * // v/(1 + r²)
 * const cauchy = defineRadialKernel({
 *   name: 'cauchy',
 *   value: (s) => { for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!); },
 *   slope: (s) => { for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2; },
 * });
 * gplvm(Y, { latentDim: 2, kernel: add(cauchy({ lengthscale: 2 }), bias()) });
 * ```
 */
export function defineRadialKernel<const Id extends string = string>(
  profile: op.RadialProfile & { readonly name: Id },
): KernelFactory<'variance' | 'lengthscale', object, Id> {
  const { name } = checkDefinition(profile, 'defineRadialKernel');
  checkName(name, 'A kernel');
  checkMembers(profile, 'defineRadialKernel', {
    name: 'anything',
    value: 'function',
    slope: 'function',
    compiled: 'anything',
  });
  return defineKernel<'variance' | 'lengthscale', object, Id>({
    name,
    parameters: { variance: positive(1), lengthscale: positive(1) },
    covariance: (p, A, B) => {
      const [left, right] = scaledPoints(A, B, p.lengthscale);
      return op.radialCovariance(left, right, p.variance, profile);
    },
    diagonal: (p, A) => constantDiagonal(p.variance, A),
    capabilities: () => ({ structure: { type: 'radial', profile } }),
  });
}

/**
 * r²_ij = Σ_d ((a_id − b_jd)/l_d)², n×m, by direct differences: never negative, 0 for coincident points, with gradient 0 there.
 */
export function scaledSquaredDistances(A: Tensor2D, B: Tensor2D, lengthscale: Tensor): Tensor2D {
  return op.squaredDistances(...scaledPoints(A, B, lengthscale));
}

/** Both sets of points divided by the lengthscales; the same tensor twice if the sets are the same. */
function scaledPoints(A: Tensor2D, B: Tensor2D, lengthscale: Tensor): [Tensor2D, Tensor2D] {
  if (lengthscale.size !== 1 && lengthscale.size !== A.shape[1]) {
    throw new InvalidInputError(
      `A lengthscale is one number, or ${A.shape[1]}, one for each dimension of the points, but ${lengthscale.size} were given.`,
    );
  }
  const left = op.div(A, lengthscale) as Tensor2D;
  return [left, A === B ? left : (op.div(B, lengthscale) as Tensor2D)];
}

/** The diagonal of a stationary covariance: its variance for every row of A. */
export function constantDiagonal(variance: Tensor, A: Tensor2D): Tensor1D {
  return op.mul(variance, op.ones([A.shape[0]])) as Tensor1D;
}
