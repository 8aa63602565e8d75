import * as v from 'valibot';
import { checkGiven, isPart } from '../core/given.ts';
import { unknownName } from '../core/options.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import type { KernelCatalogue } from '../kernels/catalogue.ts';
import type { DistributionCatalogue } from '../model/distributions/index.ts';
import type { ParameterLike } from '../model/parameter.ts';
import { parametersFromJSON } from '../model/parameterJson.ts';
import { type ParameterJSON, parameterToJSON } from '../model/parameterToJson.ts';
import type { Prior } from './definePrior.ts';

/** What `definePrior` returns, or a function of parameters that makes a prior. */
export type AnyPriorFactory = { make(overrides?: Record<string, ParameterLike>): Prior }['make'] & {
  readonly restore?: (
    parameters: Readonly<Record<string, ParameterLike>>,
    data: unknown,
    kernels: KernelCatalogue,
    distributions: DistributionCatalogue,
  ) => Prior;
};

/** Factories by the names of the priors they make. */
export type PriorCatalogue = Readonly<Record<string, AnyPriorFactory>>;

/** A prior as plain JSON. */
export interface PriorJSON {
  readonly prior: string;
  readonly parameters: Readonly<Record<string, ParameterJSON>>;
  /** What it was made with beside its parameters: a graph, labels, options. */
  readonly data?: unknown;
}

export function priorToJSON(prior: Prior): PriorJSON {
  checkGiven(prior, 'priorToJSON', 'a prior, such as standardNormal()', (given) => isPart(given, 'prior', ['toJSON']));
  const data = prior.toJSON();
  return {
    prior: prior.name,
    parameters: Object.fromEntries(
      Object.entries(prior.parameters).map(([name, parameter]) => [name, parameterToJSON(parameter)]),
    ),
    ...(data === undefined ? {} : { data }),
  };
}

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
  factories: PriorCatalogue,
  kernels: KernelCatalogue = {},
  distributions: DistributionCatalogue = {},
  place = 'the prior',
): Prior {
  const { prior, parameters: saved, data } = checkSaved(schema, json, place);
  if (!Object.hasOwn(factories, prior)) {
    const caller = 'The list of known priors (your own: { priors }, or --parts FILE)';
    throw unknownName('prior', prior, Object.keys(factories), caller);
  }
  const factory = factories[prior]!;
  const parameters = parametersFromJSON(saved, distributions, `${place}.parameters`);
  return readingAt(
    `${place}.data`,
    () => factory.restore?.(parameters, data, kernels, distributions) ?? factory(parameters),
  );
}

const schema = v.strictObject({ prior: v.string(), parameters: v.unknown(), data: v.optional(v.unknown()) });
