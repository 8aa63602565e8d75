import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { isParameter, type Parameter, type Support } from './parameter.ts';
import type { DistributionValue, ParameterPrior } from './parameterPrior.ts';
import type { ParameterValueJSON } from './transform.ts';

/** A parameter as plain JSON. */
export interface ParameterJSON {
  readonly support: Support;
  readonly free: boolean;
  readonly initial: ParameterValueJSON;
  /** Bounds of a 'bounded' or 'box' parameter; null where there is none. */
  readonly bounds?: readonly [number | null, number | null];
  readonly scale?: readonly number[];
  readonly transform?: string;
  readonly floor?: number;
  readonly prior?: ParameterPriorJSON;
}

/** A prior on a parameter as plain JSON. */
export interface ParameterPriorJSON {
  readonly distribution: string;
  /** Numbers, paths of other parameters, or new parameters. */
  readonly values: Readonly<Record<string, number | string | ParameterJSON>>;
  readonly on: 'natural' | 'unconstrained';
}

export function parameterToJSON(parameter: Parameter): ParameterJSON {
  const { support, free, initial, lower, upper, scale, transform, floor, prior } = parameter;
  if (transform?.variables !== undefined && transform.name === undefined) {
    throw new InvalidInputError(
      'A parameter of defineTransform cannot be written to a file, as only its definition knows how its value follows from its variables. Make it among the variables of a ' +
        'model, which are made again when a fit is read.',
    );
  }
  const finite = (bound: number) => (Number.isFinite(bound) ? bound : null);
  return {
    support,
    free,
    initial: initial instanceof Matrix ? initial.toArrays() : initial,
    ...(support === 'bounded' || support === 'box' ? { bounds: [finite(lower), finite(upper)] as const } : {}),
    ...(scale === undefined ? {} : { scale: Array.from(scale) }),
    ...(transform?.name === undefined ? {} : { transform: transform.name }),
    ...(floor === undefined ? {} : { floor }),
    ...(prior === undefined ? {} : { prior: priorToJSON(prior) }),
  };
}

function priorToJSON({ name, ofParameter: { values, on } }: ParameterPrior): ParameterPriorJSON {
  const written = (value: DistributionValue) => (isParameter(value) ? parameterToJSON(value) : value);
  return { distribution: name, values: mapped(values, written), on };
}

/** Values by name, each transformed. */
export const mapped = <A, B>(given: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(value)]));
