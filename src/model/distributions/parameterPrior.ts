import type { Parameter } from '../parameter.ts';

/**
 * What a value of a distribution may be: a number, which is held; a parameter of its own, such as `positive(1, { prior })`, whose path is that of
 * the parameter with `.prior.<name>` behind it; or the path of another parameter of the model.
 */
export type DistributionValue = number | Parameter | string;

/** Values of a distribution by name: held numbers, and entries of those that are parameters. */
export type ValueEntries = Readonly<Record<string, number | Float64Array>>;

/** A sum of log densities, and its gradients. */
export interface SummedDensity {
  readonly value: number;
  /** In each entry of x. */
  readonly x: Float64Array;
  /** In each entry of each value that is a parameter. */
  readonly values: Readonly<Record<string, Float64Array>>;
}

/** A prior on one parameter of a model: plain frozen data and the log density. */
export interface ParameterPrior {
  readonly kind: 'parameterPrior';
  /** Name of the distribution. */
  readonly distribution: string;
  /** The arguments that it was made with. */
  readonly values: Readonly<Record<string, DistributionValue>>;
  /** Between what each of its values may lie, both ends excluded. */
  readonly ranges: Readonly<Record<string, readonly [above: number, below: number]>>;
  /**
   * What it is a density of: 'natural', the parameter's value itself; 'unconstrained', what the solver sees of it (the logarithm
   * of a positive parameter, unless its transform is another). The estimate maximizes that density as it is, without a Jacobian.
   */
  readonly on: 'natural' | 'unconstrained';
  /** Its support is what lies above. */
  readonly lower: number;
  /** Σ log p(x_i), constants included. Each value that is a parameter has one entry for all x_i, or one for each. */
  readonly density: (x: Float64Array, values: ValueEntries) => SummedDensity;
}

/** Options of every distribution beside its own values. */
export interface PriorPlace {
  /** Whether it is on the parameter's value, 'natural' (the default), or on what the solver sees of it, 'unconstrained'. */
  readonly on?: 'natural' | 'unconstrained' | undefined;
}

export function isParameterPrior(value: unknown): value is ParameterPrior {
  if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== 'parameterPrior')
    return false;
  const { distribution, values, ranges, lower, density } = value as Record<string, unknown>;
  const isObject = (given: unknown) => typeof given === 'object' && given !== null;
  return (
    typeof distribution === 'string' &&
    isObject(values) &&
    isObject(ranges) &&
    typeof lower === 'number' &&
    typeof density === 'function'
  );
}
