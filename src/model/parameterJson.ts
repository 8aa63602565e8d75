import * as v from 'valibot';
import { namedFactory } from '../core/options.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import * as builtIn from './entrywise/builtIn.ts';
import type { Likelihood } from './entrywise/likelihood.ts';
import { type Parameter, remadeParameter } from './parameter.ts';
import type { ParameterPrior } from './parameterPrior.ts';
import { mapped, type ParameterJSON, type ParameterPriorJSON } from './parameterToJson.ts';
import type { Catalog } from './part.ts';
import { jointTransforms } from './structuredParameters.ts';
import { softplus, valueFromJSON } from './transform.ts';

const finite = v.pipe(v.number(), v.finite());
const schema = v.strictObject({
  support: v.picklist(['real', 'positive', 'bounded', 'box']),
  free: v.boolean(),
  initial: v.union([finite, v.array(finite), v.array(v.array(finite))]),
  bounds: v.optional(v.strictTuple([v.nullable(finite), v.nullable(finite)])),
  scale: v.optional(v.array(v.pipe(finite, v.gtValue(0)))),
  transform: v.optional(v.picklist(['softplus', ...Object.keys(jointTransforms)])),
  floor: v.optional(v.pipe(finite, v.gtValue(0))),
  prior: v.optional(
    v.strictObject({
      distribution: v.string(),
      values: v.record(v.string(), v.union([finite, v.string(), v.looseObject({ support: v.string() })])),
      on: v.picklist(['natural', 'unconstrained']),
    }),
  ),
});

/** Factories of densities entry by entry, by name. */
export type DistributionCatalog = Catalog<ParameterPrior>;
/** Factories of likelihoods, by name. */
export type LikelihoodCatalog = Catalog<Likelihood>;

// The factories check their values when they are called.
const builtInDistributions = builtIn as unknown as DistributionCatalog;
/** The built-in densities entry by entry, each a likelihood unless it is called with all of its values. */
export const builtInLikelihoods = Object.freeze({ ...builtIn }) as unknown as LikelihoodCatalog;

/**
 * Reads a parameter written by `parameterToJSON`.
 *
 * @param own - factories of custom distributions, by name
 * @param place - its path in the saved object, for errors
 * @throws InvalidInputError for an unknown distribution, and if it is not a parameter
 */
export function parameterFromJSON(json: unknown, own: DistributionCatalog = {}, place = 'a parameter'): Parameter {
  const { support, free, initial, bounds, scale, transform, floor, prior } = checkSaved(
    schema,
    json,
    place,
  ) as ParameterJSON;
  const [lower, upper] = bounds ?? [support === 'positive' ? 0 : null, null];
  return readingAt(place, () =>
    remadeParameter({
      support,
      free,
      initial: valueFromJSON(initial),
      lower: lower ?? -Infinity,
      upper: upper ?? Infinity,
      ...(scale !== undefined && { scale: Float64Array.from(scale) }),
      ...(transform !== undefined && { transform: jointTransforms[transform] ?? softplus }),
      ...(floor !== undefined && { floor }),
      ...(prior !== undefined && { prior: priorFromJSON(prior, own, `${place}.prior`) }),
    }),
  );
}

/** Parameters by name, each written by `parameterToJSON`. */
export function parametersFromJSON(json: unknown, own: DistributionCatalog, place: string): Record<string, Parameter> {
  const saved = checkSaved(v.record(v.string(), v.unknown()), json, place);
  const read = ([name, value]: [string, unknown]) => [name, parameterFromJSON(value, own, `${place}.${name}`)] as const;
  return Object.fromEntries(Object.entries(saved).map(read));
}

function priorFromJSON(
  { distribution, values, on }: ParameterPriorJSON,
  own: DistributionCatalog,
  place: string,
): ParameterPrior {
  const read = (value: number | string | ParameterJSON) =>
    typeof value === 'object' ? parameterFromJSON(value, own, `${place}.values`) : value;
  return readingAt(place, () =>
    namedFactory('distribution', distribution, builtInDistributions, own)({ ...mapped(values, read), on }),
  );
}

/** A part by its name, its parameters and its options, as files have it. */
export interface NamedPartJSON {
  readonly parameters?: unknown;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Makes a part of parameters and options again.
 *
 * @param own - factories of custom distributions of parameters, by name
 */
export function partFromJSON<T>(
  factory: Catalog<T>[string],
  { parameters = {}, options }: NamedPartJSON,
  own: DistributionCatalog,
  place: string,
): T {
  const read = parametersFromJSON(parameters, own, `${place}.parameters`);
  return readingAt(place, () => factory({ ...read, ...options }));
}

const likelihoodSchema = v.strictObject({
  likelihood: v.string(),
  parameters: v.optional(v.unknown()),
  options: v.optional(v.record(v.string(), v.unknown())),
});

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
  const { likelihood, ...saved } = checkSaved(likelihoodSchema, json, place);
  return partFromJSON(namedFactory('likelihood', likelihood, builtInLikelihoods, own), saved, distributions, place);
}
