import { InvalidInputError } from '../core/errors.ts';
import { checkDefinition, checkMembers, checkName } from '../core/options.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import {
  calledBy,
  DENSITY_MEMBERS,
  type DensityDefinition,
  defineDensity,
  type SaidBy,
} from '../model/language/defineDensity.ts';
import type { DensityContext, Prior } from '../model/language/density.ts';
import { entriesOf, type ParameterLike } from '../model/parameter.ts';
import type { Overrides, OwnParameters } from '../model/part.ts';

export type { Prior } from '../model/language/density.ts';

/** Definition of a prior: the definition of a density whose log density depends on the latents X alone. */
export interface PriorDefinition<Name extends string, C = undefined>
  extends Omit<DensityDefinition<Name, C>, 'logDensity' | 'parameters'> {
  /** Default parameters; a bare number is `positive`. Default none. */
  readonly parameters?: OwnParameters<Name>;
  /**
   * log p(X) of the latents X (N×q), with its normalizing constant if the prior is proper, otherwise the exponent. A scalar, or N numbers if rows are
   * independent: the prior then also applies to new points, and helps to locate them.
   */
  logDensity(p: Readonly<Record<Name, Tensor>>, X: Tensor2D, context: DensityContext<C>): Scalar | Tensor1D;
}

/** Makes a prior; arguments replace default parameters. */
export type PriorFactory<Name extends string, Said = unknown> = (overrides?: Overrides<Name>) => Prior<Said>;

/**
 * Defines a new prior on latents from one function with tensor operations, as {@link defineDensity} does for a variable without parents. The built-in
 * priors are made with it.
 *
 * @param definition - name, default parameters and log density; `prepare` for constants that depend on the observations
 * @returns a factory `(overrides?) => Prior`
 * @throws InvalidInputError if the name is not one word of letters and digits, or a parameter is invalid
 * @example
 * ```ts
 * import { definePrior, fixed } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // log p(X) = −strength·Σ log(1 + x²): heavy tails
 * const heavyTails = definePrior({
 *   name: 'heavyTails',
 *   parameters: { strength: fixed(1) },
 *   logDensity: (p, X) => op.mul(op.neg(p.strength), op.sum(op.log1p(op.square(X)), 1)),
 * });
 * ```
 */
export function definePrior<Name extends string = never, C = undefined, const D = unknown>(
  definition: PriorDefinition<Name, C> & D,
): PriorFactory<Name, SaidBy<D>> {
  const prior: PriorDefinition<Name, C> = definition;
  checkName(checkDefinition(prior, 'definePrior').name, 'A prior');
  checkMembers(prior, 'definePrior', DENSITY_MEMBERS);
  return defineDensity<Name, C>({
    normalized: prior.sample !== undefined,
    ...prior,
    logDensity: (p, { value }, context) => prior.logDensity(p, value, context),
  }) as PriorFactory<Name, SaidBy<D>>;
}

/**
 * A prior of one number for all rows whose parameters are strengths from 0: 0 turns a term off.
 *
 * @param given - values in place of the default parameters
 * @param args - arguments of its factory, as files contain them
 * @throws InvalidInputError for a strength that starts below 0
 */
export function priorOfStrengths<Name extends string, C = undefined>(
  definition: PriorDefinition<Name, C>,
  given: { readonly [K in Name]: ParameterLike | undefined },
  args: readonly unknown[],
): Prior<never> {
  const prior = definePrior<Name, C>({ independent: false, ...definition })(given as unknown as Overrides<Name>);
  for (const [name, { initial }] of Object.entries(prior.parameters)) {
    const [value] = entriesOf(initial);
    if (value! >= 0) continue;
    throw new InvalidInputError(
      `Option '${name}' of ${prior.name} must be a number from 0, but ${value} was given. 0 turns it off.`,
    );
  }
  return calledBy(prior, ...args) as Prior<never>;
}
