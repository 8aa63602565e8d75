import * as v from 'valibot';
import { checkOptions } from '../../core/options.ts';
import type { Tensor } from '../../tensors/tensorflow.ts';

/** A prior on one parameter of a model: plain frozen data and the log density. */
export interface ParameterPrior {
  readonly kind: 'parameterPrior';
  /** Name of the distribution. */
  readonly distribution: string;
  /** What it was called with. */
  readonly values: Readonly<Record<string, number>>;
  /**
   * What it is a density of: 'natural', the parameter's value itself; 'unconstrained', what the solver sees of it (the logarithm
   * of a positive parameter, unless its transform is another). The estimate maximises that density as it is, without a Jacobian.
   */
  readonly on: 'natural' | 'unconstrained';
  /** Its support is what lies above. */
  readonly lower: number;
  /** log p(x), entry by entry, constants included. */
  readonly logDensity: (x: Tensor) => Tensor;
}

/** What every distribution may be called with beside its own values. */
export interface PriorPlace {
  /** Whether it is on the parameter's value, 'natural' (the default), or on what the solver sees of it, 'unconstrained'. */
  readonly on?: 'natural' | 'unconstrained';
}

export function isParameterPrior(value: unknown): value is ParameterPrior {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'parameterPrior';
}

const real = v.pipe(v.number('a finite number'), v.finite('a finite number'));
const positive = v.pipe(
  v.number('a finite number above 0'),
  v.finite('a finite number above 0'),
  v.gtValue(0, 'a finite number above 0'),
);
const place = v.optional(v.picklist(['natural', 'unconstrained'], "'natural' or 'unconstrained'"), 'natural');

/** Its values by name and what they may be, its support, and log p(x). */
export interface Distribution<Name extends string> {
  readonly name: string;
  readonly values: Readonly<Record<Name, 'real' | 'positive'>>;
  readonly lower: number;
  logDensity(x: Tensor, values: Readonly<Record<Name, number>>): Tensor;
}

/** Makes a prior on one parameter from the values of its distribution. */
export type ParameterPriorFactory<Name extends string> = (
  options: Readonly<Record<Name, number>> & PriorPlace,
) => ParameterPrior;

export function parameterPrior<Name extends string>(distribution: Distribution<Name>): ParameterPriorFactory<Name> {
  const { name, lower } = distribution;
  const names = Object.keys(distribution.values) as Name[];
  const schema = v.strictObject({
    ...Object.fromEntries(names.map((key) => [key, distribution.values[key] === 'positive' ? positive : real])),
    on: place,
  } as Record<string, typeof real | typeof place>);
  return (options) => {
    const { on, ...values } = checkOptions(schema, options, name) as Record<Name, number> & Required<PriorPlace>;
    const given = values as unknown as Record<Name, number>;
    return Object.freeze<ParameterPrior>({
      kind: 'parameterPrior',
      distribution: name,
      values: Object.freeze(given),
      on,
      lower,
      logDensity: (x) => distribution.logDensity(x, given),
    });
  };
}
