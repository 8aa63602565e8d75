import * as v from 'valibot';
import { Matrix } from '../core/matrix.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import { type DistributionCatalogue, distributionFactory } from './distributions/catalogue.ts';
import type { DistributionValue, ParameterPrior } from './distributions/parameterPrior.ts';
import { isParameter, type Parameter, remadeParameter, type Support } from './parameter.ts';
import { type ParameterValueJSON, valueFromJSON } from './parameterValue.ts';
import { type PositiveTransform, softplus } from './transform.ts';

/** A parameter as plain JSON. */
export interface ParameterJSON {
  readonly support: Support;
  readonly free: boolean;
  readonly initial: ParameterValueJSON;
  /** Bounds of a 'bounded' or 'box' parameter; null where there is none. */
  readonly bounds?: readonly [number | null, number | null];
  readonly scale?: readonly number[];
  readonly transform?: PositiveTransform;
  readonly prior?: ParameterPriorJSON;
}

/** A prior on a parameter as plain JSON. */
export interface ParameterPriorJSON {
  readonly distribution: string;
  /** Numbers, paths of other parameters, or parameters of its own. */
  readonly values: Readonly<Record<string, number | string | ParameterJSON>>;
  readonly on: 'natural' | 'unconstrained';
}

export function parameterToJSON(parameter: Parameter): ParameterJSON {
  const { support, free, initial, lower, upper, scale, transform, prior } = parameter;
  const finite = (bound: number) => (Number.isFinite(bound) ? bound : null);
  return {
    support,
    free,
    initial: initial instanceof Matrix ? initial.toArrays() : initial,
    ...(support === 'bounded' || support === 'box' ? { bounds: [finite(lower), finite(upper)] as const } : {}),
    ...(scale === undefined ? {} : { scale: Array.from(scale) }),
    ...(transform === softplus ? { transform: 'softplus' as const } : {}),
    ...(prior === undefined ? {} : { prior: priorToJSON(prior) }),
  };
}

function priorToJSON({ distribution, values, on }: ParameterPrior): ParameterPriorJSON {
  const written = (value: DistributionValue) => (isParameter(value) ? parameterToJSON(value) : value);
  return { distribution, values: mapped(values, written), on };
}

const finite = v.pipe(v.number(), v.finite());
const schema = v.strictObject({
  support: v.picklist(['real', 'positive', 'bounded', 'box']),
  free: v.boolean(),
  initial: v.union([finite, v.array(finite), v.array(v.array(finite))]),
  bounds: v.optional(v.strictTuple([v.nullable(finite), v.nullable(finite)])),
  scale: v.optional(v.array(v.pipe(finite, v.gtValue(0)))),
  transform: v.optional(v.picklist(['softplus'])),
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
export function parameterFromJSON(json: unknown, own: DistributionCatalogue = {}, place = 'a parameter'): Parameter {
  const { support, free, initial, bounds, scale, transform, prior } = checkSaved(schema, json, place) as ParameterJSON;
  const [lower, upper] = bounds ?? [support === 'positive' ? 0 : null, null];
  return readingAt(place, () =>
    remadeParameter({
      support,
      free,
      initial: valueFromJSON(initial),
      lower: lower ?? -Infinity,
      upper: upper ?? Infinity,
      ...(scale !== undefined && { scale: Float64Array.from(scale) }),
      ...(transform !== undefined && { transform: softplus }),
      ...(prior !== undefined && { prior: priorFromJSON(prior, own, `${place}.prior`) }),
    }),
  );
}

/** Parameters by name, each as `parameterToJSON` wrote it. */
export function parametersFromJSON(
  json: unknown,
  own: DistributionCatalogue,
  place: string,
): Record<string, Parameter> {
  const saved = checkSaved(v.record(v.string(), v.unknown()), json, place);
  const read = ([name, value]: [string, unknown]) => [name, parameterFromJSON(value, own, `${place}.${name}`)] as const;
  return Object.fromEntries(Object.entries(saved).map(read));
}

function priorFromJSON(
  { distribution, values, on }: ParameterPriorJSON,
  own: DistributionCatalogue,
  place: string,
): ParameterPrior {
  const read = (value: number | string | ParameterJSON) =>
    typeof value === 'object' ? parameterFromJSON(value, own, `${place}.values`) : value;
  return readingAt(place, () => distributionFactory(distribution, own)({ ...mapped(values, read), on }));
}

const mapped = <A, B>(given: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(value)]));
