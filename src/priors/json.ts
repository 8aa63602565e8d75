import { InvalidInputError } from '../core/errors.ts';
import { unknownName } from '../core/options.ts';
import { type ParameterJSON, type ParameterLike, parameterFromJSON, parameterToJSON } from '../core/parameter.ts';
import type { Prior } from './definePrior.ts';
import { standardNormal } from './standardNormal.ts';

/** Factories by the names of the priors they make. */
export type PriorCatalogue = Readonly<Record<string, (overrides?: Record<string, ParameterLike>) => Prior>>;

/** The priors that come with the library. */
export const builtInPriors: PriorCatalogue = { standardNormal };

/** A prior as plain JSON. */
export interface PriorJSON {
  readonly prior: string;
  readonly parameters: Readonly<Record<string, ParameterJSON>>;
}

export function priorToJSON(prior: Prior): PriorJSON {
  return {
    prior: prior.name,
    parameters: Object.fromEntries(
      Object.entries(prior.parameters).map(([name, parameter]) => [name, parameterToJSON(parameter)]),
    ),
  };
}

/**
 * The prior that `priorToJSON` wrote.
 *
 * @param json - plain JSON
 * @param own - factories of priors that do not come with the library, by name
 * @throws InvalidInputError for a prior that is not known, naming it
 */
export function priorFromJSON(json: PriorJSON, own: PriorCatalogue = {}): Prior {
  if (typeof json?.prior !== 'string') throw new InvalidInputError('This is not a prior written by priorToJSON.');
  const factories = { ...builtInPriors, ...own };
  const factory = factories[json.prior];
  if (factory === undefined) {
    throw unknownName(
      'prior',
      json.prior,
      Object.keys(factories),
      'The list of known priors (pass your own as { priors })',
    );
  }
  return factory(
    Object.fromEntries(Object.entries(json.parameters).map(([name, value]) => [name, parameterFromJSON(value)])),
  );
}
