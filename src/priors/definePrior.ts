import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import type { TensorMap } from '../core/model.ts';
import type { Parameter, ParameterLike } from '../core/parameter.ts';
import { type OwnParameters, overriddenParameters } from '../core/part.ts';
import type { Scalar, Tensor, Tensor2D } from '../core/tensorflow.ts';

/** What a prior on the latents may know beside them. */
export interface PriorContext {
  /** N×D observations, as the mapping sees them (centred and scaled when the model does so). */
  readonly observations: Tensor2D;
}

/** A prior on the latents: one named term of a model's log density. A plain frozen description. */
export interface Prior {
  readonly kind: 'prior';
  /** Its term's name, and the segment of its parameters' paths. */
  readonly name: string;
  /** Its parameters by name. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** log p(X) at the natural values p, as a scalar tensor. */
  readonly logDensity: (p: TensorMap, X: Tensor2D, context: PriorContext) => Scalar;
}

export interface PriorDefinition<Name extends string> {
  /** A word of letters and digits. */
  readonly name: string;
  /** Default parameters; a bare number is `positive`. */
  readonly parameters: OwnParameters<Name>;
  /** log p(X) of the latents X (N×q), a scalar, with its normalising constant where the prior is proper. */
  logDensity(p: Readonly<Record<Name, Tensor>>, X: Tensor2D, context: PriorContext): Scalar;
}

/** Makes a prior; what is given replaces the default parameters. */
export type PriorFactory<Name extends string> = (overrides?: Partial<Record<Name, ParameterLike>>) => Prior;

/**
 * A new prior on the latents from one function with tensor operations. The built-in priors are made with it.
 *
 * @param definition - name, default parameters and log density
 * @returns a factory `(overrides?) => Prior`
 * @throws InvalidInputError when the name is not a word or a parameter is not one
 * @example
 * ```ts
 * import { definePrior, fixed } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // log p(X) = −strength·Σ log(1 + x²): heavy tails
 * const heavyTails = definePrior({
 *   name: 'heavyTails',
 *   parameters: { strength: fixed(1) },
 *   logDensity: (p, X) => op.mul(op.neg(p.strength), op.sum(op.log1p(op.square(X)))),
 * });
 * ```
 */
export function definePrior<Name extends string>(definition: PriorDefinition<Name>): PriorFactory<Name> {
  const { name } = definition;
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) {
    throw new InvalidInputError(`A prior's name is one word of letters and digits, but ${describe(name)} was given.`);
  }
  return (overrides = {}) => {
    const parameters = overriddenParameters(`Prior '${name}'`, definition.parameters, overrides);
    return Object.freeze<Prior>({
      kind: 'prior',
      name,
      parameters: Object.freeze(parameters),
      logDensity: (p, X, context) => definition.logDensity(p as Readonly<Record<Name, Tensor>>, X, context),
    });
  };
}
