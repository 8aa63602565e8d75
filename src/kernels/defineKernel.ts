import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import * as op from '../core/ops.ts';
import type { ParameterLike } from '../core/parameter.ts';
import { type OwnParameters, overriddenParameters, ownTensors } from '../core/part.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../core/tensorflow.ts';
import type { Kernel } from './kernel.ts';

/** Natural values of a kernel's own parameters, as tensors: scalars, or vectors where the start is a list. */
export type KernelParameters<Name extends string> = Readonly<Record<Name, Tensor>>;

export interface KernelDefinition<Name extends string> {
  /** The segment of its parameters' paths: a word of letters and digits. */
  readonly name: string;
  /** Default parameters; a bare number is `positive`. */
  readonly parameters: OwnParameters<Name>;
  /**
   * n×m covariance of the rows of A (n×q) and B (m×q). B is A itself, the same tensor, when the Gram matrix is asked for;
   * `inputs` are the process's own inputs, for covariances that are built on them.
   */
  covariance(p: KernelParameters<Name>, A: Tensor2D, B: Tensor2D, inputs: Tensor2D): Tensor2D;
  /** k(x, x) for every row of A (n entries); the diagonal of the Gram matrix is formed when this is missing. */
  diagonal?(p: KernelParameters<Name>, A: Tensor2D, inputs: Tensor2D): Tensor1D;
}

/** Makes a kernel; what is given replaces the default parameters. */
export type KernelFactory<Name extends string> = (overrides?: Partial<Record<Name, ParameterLike>>) => Kernel;

/**
 * A new covariance function from one function with tensor operations. The built-in kernels are made with it.
 *
 * @param definition - name, default parameters, covariance and, when it is cheap, its diagonal
 * @returns a factory `(overrides?) => Kernel`
 * @throws InvalidInputError when the name is not a word or a parameter is not one
 * @example
 * ```ts
 * import { defineKernel, positive } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * const cauchy = defineKernel({
 *   name: 'cauchy',
 *   parameters: { variance: positive(1), lengthscale: positive(1) },
 *   covariance: (p, A, B) => {
 *     const r2 = op.squaredDistances(op.div(A, p.lengthscale), op.div(B, p.lengthscale));
 *     return op.div(p.variance, op.add(1, r2));
 *   },
 * });
 * ```
 */
export function defineKernel<Name extends string>(definition: KernelDefinition<Name>): KernelFactory<Name> {
  const { name } = definition;
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) {
    throw new InvalidInputError(`A kernel's name is one word of letters and digits, but ${describe(name)} was given.`);
  }
  return (overrides = {}) => {
    const own = overriddenParameters(`Kernel '${name}'`, definition.parameters, overrides);
    const names = Object.keys(own) as Name[];
    const kernel: Kernel = {
      kind: 'kernel',
      name,
      parameters: Object.freeze(Object.fromEntries(names.map((key) => [`${name}.${key}`, own[key]]))),
      form: Object.freeze({ type: 'leaf' }),
      covariance: (p, A, B, inputs) => definition.covariance(ownTensors(p, name, names), A, B, inputs),
      diagonal: (p, A, inputs) => {
        const values = ownTensors(p, name, names);
        return definition.diagonal?.(values, A, inputs) ?? op.diagPart(definition.covariance(values, A, A, inputs));
      },
    };
    return Object.freeze(kernel);
  };
}
