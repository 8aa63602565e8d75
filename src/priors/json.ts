import { InvalidInputError } from '../core/errors.ts';
import { unknownName } from '../core/options.ts';
import type { KernelCatalogue } from '../kernels/catalogue.ts';
import type { DistributionCatalogue } from '../model/distributions/index.ts';
import type { ParameterLike } from '../model/parameter.ts';
import { type ParameterJSON, parameterFromJSON, parameterToJSON } from '../model/parameterJson.ts';
import type { Prior } from './definePrior.ts';

/** What `definePrior` returns, or a function of parameters that makes a prior. */
export type AnyPriorFactory = ((overrides?: Record<string, ParameterLike>) => Prior) & {
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
 * @throws InvalidInputError for a prior that is not known, naming it
 */
export function priorFromJSON(
  json: PriorJSON,
  factories: PriorCatalogue,
  kernels: KernelCatalogue = {},
  distributions: DistributionCatalogue = {},
): Prior {
  if (typeof json?.prior !== 'string') throw new InvalidInputError('This is not a prior written by priorToJSON.');
  const factory = factories[json.prior];
  if (factory === undefined) {
    throw unknownName(
      'prior',
      json.prior,
      Object.keys(factories),
      'The list of known priors (your own: { priors }, or --parts FILE)',
    );
  }
  const parameters = Object.fromEntries(
    Object.entries(json.parameters).map(([name, value]) => [name, parameterFromJSON(value, distributions)]),
  );
  return factory.restore?.(parameters, json.data, kernels, distributions) ?? factory(parameters);
}
