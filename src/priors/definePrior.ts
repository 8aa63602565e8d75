import { InvalidInputError } from '../core/errors.ts';
import { checkDefinition, checkMembers, checkName } from '../core/options.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import {
  DENSITY_MEMBERS,
  type DensityDefinition,
  defineDensity,
  type SaidBy,
} from '../model/language/defineDensity.ts';
import type { DensityContext, Prior } from '../model/language/density.ts';
import { entriesOf } from '../model/parameter.ts';
import type { Overrides, OwnParameters } from '../model/part.ts';

export type { Prior } from '../model/language/density.ts';

/** Definition of a density of latents: that of any density, with a log density of the latents X alone. */
export interface PriorDefinition<Name extends string, C = undefined>
  extends Omit<DensityDefinition<Name, C>, 'logDensity' | 'parameters'> {
  /** Default parameters; a bare number is `positive`. None unless given. */
  readonly parameters?: OwnParameters<Name>;
  /**
   * log p(X) of the latents X (N×q), with its normalizing constant where the prior is proper; of an improper prior the exponent. A scalar, or N numbers where rows are
   * independent: it is then a prior on new points too, which are placed with it.
   */
  logDensity(p: Readonly<Record<Name, Tensor>>, X: Tensor2D, context: DensityContext<C>): Scalar | Tensor1D;
}

/** Makes a prior; what is given replaces the default parameters. */
export type PriorFactory<Name extends string, Said = unknown> = (overrides?: Overrides<Name>) => Prior<Said>;

/**
 * A new prior on the latents from one function with tensor operations: {@link defineDensity} for a density of one variable that is given no other. The
 * built-in priors are made with it.
 *
 * @param definition - name, default parameters and log density; `prepare` for constants that depend on the observations
 * @returns a factory `(overrides?) => Prior`
 * @throws InvalidInputError when the name is not one word of letters and digits or a parameter is not one
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

/** The prior, unless one of these parameters of it starts below 0; 0 itself turns a term off. */
export function notNegative<P extends Prior>(prior: P, names: readonly string[]): P {
  for (const name of names) {
    const [value] = entriesOf(prior.parameters[name]!.initial);
    if (value! >= 0) continue;
    throw new InvalidInputError(
      `Option '${name}' of ${prior.name} must be a number from 0, but ${value} was given. 0 turns it off.`,
    );
  }
  return prior;
}
