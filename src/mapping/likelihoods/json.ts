import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { unknownName } from '../../core/options.ts';
import type { DistributionCatalogue } from '../../model/distributions/index.ts';
import { type ParameterJSON, parameterFromJSON } from '../../model/parameterJson.ts';
import * as builtIn from './builtIn.ts';
import type { Likelihood, LikelihoodJSON } from './likelihood.ts';

/** Factories of likelihoods by the names of what they make. */
export type LikelihoodCatalogue = Readonly<
  Record<string, { make(given?: Record<string, unknown>): Likelihood }['make']>
>;

/** The likelihoods that come with the library. */
export const builtInLikelihoods: LikelihoodCatalogue = Object.freeze({ ...builtIn });

/**
 * The likelihood that its `toJSON` wrote, with the same paths.
 *
 * @param own - factories of likelihoods that do not come with the library, by name
 * @param distributions - factories of distributions of its parameters that do not, by name
 * @throws InvalidInputError for a likelihood that is not known, naming it
 */
export function likelihoodFromJSON(
  json: unknown,
  own: LikelihoodCatalogue = {},
  distributions: DistributionCatalogue = {},
): Likelihood {
  const saved = json as Partial<LikelihoodJSON> | null;
  if (typeof json !== 'object' || saved === null || typeof saved.likelihood !== 'string') {
    throw new InvalidInputError(`A saved likelihood is what its toJSON() wrote, but ${describe(json)} was given.`);
  }
  const factories = { ...builtInLikelihoods, ...own };
  if (!Object.hasOwn(factories, saved.likelihood)) {
    const caller = 'The list of known likelihoods (your own: { likelihoods }, or --parts FILE)';
    throw unknownName('likelihood', saved.likelihood, Object.keys(factories), caller);
  }
  const parameters = Object.entries(saved.parameters ?? {}).map(([name, value]) => [
    name,
    parameterFromJSON(value as ParameterJSON, distributions),
  ]);
  return factories[saved.likelihood]!({ ...Object.fromEntries(parameters), ...saved.options });
}
