import * as v from 'valibot';
import { unknownName } from '../../core/options.ts';
import { checkSaved, readingAt } from '../../core/saved.ts';
import type { DistributionCatalog } from '../../model/distributions/index.ts';
import { parametersFromJSON } from '../../model/parameterJson.ts';
import * as builtIn from './builtIn.ts';
import type { Likelihood } from './likelihood.ts';

/** Factories of likelihoods by name. */
export type LikelihoodCatalog = Readonly<Record<string, { make(given?: Record<string, unknown>): Likelihood }['make']>>;

/** The built-in likelihoods. */
export const builtInLikelihoods: LikelihoodCatalog = Object.freeze({ ...builtIn });

/**
 * Reads a likelihood written by its `toJSON`, with the same paths.
 *
 * @param own - factories of custom likelihoods, by name
 * @param distributions - factories of custom distributions of parameters, by name
 * @param place - its path in the saved object, for errors
 * @throws InvalidInputError for an unknown likelihood, naming it, and for anything that is not a saved likelihood
 */
export function likelihoodFromJSON(
  json: unknown,
  own: LikelihoodCatalog = {},
  distributions: DistributionCatalog = {},
  place = 'the likelihood',
): Likelihood {
  const saved = checkSaved(schema, json, place);
  const factories = { ...builtInLikelihoods, ...own };
  if (!Object.hasOwn(factories, saved.likelihood)) {
    const caller = 'The list of known likelihoods (your own: { likelihoods }, or --parts FILE)';
    throw unknownName('likelihood', saved.likelihood, Object.keys(factories), caller);
  }
  const parameters = parametersFromJSON(saved.parameters ?? {}, distributions, `${place}.parameters`);
  return readingAt(place, () => factories[saved.likelihood]!({ ...parameters, ...saved.options }));
}

const schema = v.strictObject({
  likelihood: v.string(),
  parameters: v.optional(v.unknown()),
  options: v.optional(v.record(v.string(), v.unknown())),
});
