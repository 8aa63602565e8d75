import * as v from 'valibot';
import { checkSaved, readingAt } from '../core/saved.ts';
import { type DistributionCatalog, distributionFactory } from './distributions/catalog.ts';
import type { ParameterPrior } from './distributions/parameterPrior.ts';
import { type Parameter, remadeParameter } from './parameter.ts';
import { mapped, type ParameterJSON, type ParameterPriorJSON } from './parameterToJson.ts';
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

/**
 * The parameter that `parameterToJSON` wrote.
 *
 * @param own - factories of distributions that do not come with the library, by name
 * @param place - its path in what was saved, for errors
 * @throws InvalidInputError for a distribution that is not known, and what is not a parameter
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

/** Parameters by name, each as `parameterToJSON` wrote it. */
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
  return readingAt(place, () => distributionFactory(distribution, own)({ ...mapped(values, read), on }));
}
