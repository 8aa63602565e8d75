import { InvalidInputError } from '../../core/errors.ts';
import {
  closedExpectations,
  type ExpectationInputs,
  type Expectations,
  gridNodes,
  quadratureExpectations,
} from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { TensorMap } from '../../model/model.ts';

/** Gauss–Hermite nodes per dimension, by the number of dimensions. */
const NODES = [0, 20, 10, 7] as const;

/**
 * Expectations of a kernel: in closed form if there is one, otherwise by Gauss–Hermite quadrature in up to three dimensions.
 *
 * @returns undefined in more dimensions
 */
export function latentExpectations(kernel: Kernel, p: TensorMap, inputs: ExpectationInputs): Expectations | undefined {
  const closed = closedExpectations(kernel, p, inputs);
  if (closed !== undefined) return closed;
  const q = inputs.Z.shape[1];
  const count = NODES[q];
  return count === undefined ? undefined : quadratureExpectations(kernel, p, inputs, gridNodes(q, count));
}

export function noExpectations(name: string, q: number): InvalidInputError {
  return new InvalidInputError(
    `The kernel '${name}' has no expectations in closed form, and Gauss–Hermite quadrature takes at most 3 latent dimensions, but there are ${q}. ` +
      'Use rbf, linear, bias, white, or sums and scalings of them with one rbf, or fewer dimensions.',
  );
}
