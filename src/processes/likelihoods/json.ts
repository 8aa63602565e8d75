import * as v from 'valibot';
import { unknownName } from '../../core/options.ts';
import { checkSaved, readingAt } from '../../core/saved.ts';
import type { DistributionCatalogue } from '../../model/distributions/index.ts';
import { parametersFromJSON } from '../../model/parameterJson.ts';
import * as builtIn from './builtIn.ts';
import type { Likelihood } from './likelihood.ts';

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
 * @param place - its path in what was saved, for errors
 * @throws InvalidInputError for a likelihood that is not known, naming it, and what is not a saved likelihood
 */
export function likelihoodFromJSON(
  json: unknown,
  own: LikelihoodCatalogue = {},
  distributions: DistributionCatalogue = {},
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
