import { Matrix } from '../core/matrix.ts';
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

/**
 * The parameter that `parameterToJSON` wrote.
 *
 * @param own - factories of distributions that do not come with the library, by name
 * @throws InvalidInputError for a distribution that is not known
 */
export function parameterFromJSON(json: ParameterJSON, own: DistributionCatalogue = {}): Parameter {
  const { support, free, initial, bounds, scale, transform, prior } = json;
  const [lower, upper] = bounds ?? [support === 'positive' ? 0 : null, null];
  return remadeParameter({
    support,
    free,
    initial: valueFromJSON(initial),
    lower: lower ?? -Infinity,
    upper: upper ?? Infinity,
    ...(scale !== undefined && { scale: Float64Array.from(scale) }),
    ...(transform !== undefined && { transform: softplus }),
    ...(prior !== undefined && { prior: priorFromJSON(prior, own) }),
  });
}

function priorFromJSON({ distribution, values, on }: ParameterPriorJSON, own: DistributionCatalogue): ParameterPrior {
  const read = (value: number | string | ParameterJSON) =>
    typeof value === 'object' ? parameterFromJSON(value, own) : value;
  return distributionFactory(distribution, own)({ ...mapped(values, read), on });
}

const mapped = <A, B>(given: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(value)]));
