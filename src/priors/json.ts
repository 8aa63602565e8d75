import * as v from 'valibot';
import { unknownName } from '../core/options.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import { type KernelCatalog, kernelFromJSON } from '../kernels/json.ts';
import type { DistributionCatalog } from '../model/distributions/index.ts';
import type { ParameterLike } from '../model/parameter.ts';
import { parametersFromJSON } from '../model/parameterJson.ts';
import type { Prior, SavedParts } from './definePrior.ts';

/** What `definePrior` returns, or a function of parameters that makes a prior. */
export type AnyPriorFactory = { make(overrides?: Record<string, ParameterLike>): Prior }['make'] & {
  readonly restore?: (parameters: Readonly<Record<string, ParameterLike>>, data: unknown, read: SavedParts) => Prior;
};

/** Factories by the names of the priors they make. */
export type PriorCatalog = Readonly<Record<string, AnyPriorFactory>>;

/**
 * The prior that `priorToJSON` wrote.
 *
 * @param json - plain JSON
 * @param factories - of every prior that may be met, by name
 * @param kernels - factories of kernels that do not come with the library, for priors that hold one
 * @param distributions - factories of distributions of parameters that do not, by name
 * @param place - its path in what was saved, for errors
 * @throws InvalidInputError for a prior that is not known, naming it
 */
export function priorFromJSON(
  json: unknown,
  factories: PriorCatalog,
  kernels: KernelCatalog = {},
  distributions: DistributionCatalog = {},
  place = 'the prior',
): Prior {
  const { prior, parameters: saved, data } = checkSaved(schema, json, place);
  if (!Object.hasOwn(factories, prior)) {
    const caller = 'The list of known priors (your own: { priors }, or --parts FILE)';
    throw unknownName('prior', prior, Object.keys(factories), caller);
  }
  const factory = factories[prior]!;
  const parameters = parametersFromJSON(saved, distributions, `${place}.parameters`);
  const read: SavedParts = { kernel: (json, path) => kernelFromJSON(json, kernels, distributions, path) };
  return readingAt(`${place}.data`, () => factory.restore?.(parameters, data, read) ?? factory(parameters));
}

const schema = v.strictObject({ prior: v.string(), parameters: v.unknown(), data: v.optional(v.unknown()) });
