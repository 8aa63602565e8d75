import { InvalidInputError } from '../core/errors.ts';
import { isPart } from '../core/options.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Density } from './language/density.ts';
import type { TensorMap } from './model.ts';
import type { Parameter } from './parameter.ts';
import { entriesOf } from './transform.ts';

/**
 * Argument of a prior: a number, which is fixed; a new parameter, such as `positive(1, { prior })`, whose path is the path of the prior's parameter
 * followed by `.prior.<name>`; or the path of another parameter of the model.
 */
export type DistributionValue = number | Parameter | string;

/** Both ends of an interval, which are not in it. */
type Range = readonly [above: number, below: number];

/** A density entry by entry as the prior of a parameter. */
export interface OfParameter {
  /** The values that it was made with. */
  readonly values: Readonly<Record<string, DistributionValue>>;
  /** Where each of its values may lie. */
  readonly ranges: Readonly<Record<string, Range>>;
  /** Its support. */
  readonly support: Range;
  /**
   * Argument of the density: 'natural', the parameter's value; 'unconstrained', the solver's variable (the logarithm of a positive parameter, unless
   * it has a different transform). The estimate maximizes this density without a Jacobian.
   */
  readonly on: 'natural' | 'unconstrained';
  /** log p of each entry of x, n×1; its values are scalars, or n×1. */
  readonly logDensity: (p: TensorMap, x: Tensor2D) => Tensor2D;
}

/** A prior on one parameter of a model: a density entry by entry, such as `gamma({ shape: 2, rate: 1 })`. */
export type ParameterPrior<Said = unknown> = Density<Said> & { readonly ofParameter: OfParameter };

/** Options of every entrywise density in addition to its arguments. */
export interface PriorPlace {
  /** For priors of parameters: whether the density is a function of the parameter's value, 'natural' (the default), or of the solver's variable, 'unconstrained'. */
  readonly on?: 'natural' | 'unconstrained' | undefined;
}

export const isParameterPrior = (value: unknown): value is ParameterPrior =>
  isPart(value, 'density', ['logDensity']) && Reflect.get(value as object, 'ofParameter') !== undefined;

const inside = ([above, below]: Range) =>
  `${above === -Infinity ? '' : ` above ${above}`}${below === Infinity ? '' : ` below ${below}`}`;

/**
 * The parameter; throws if its range exceeds the range of the density's value.
 *
 * @param what - its name in errors
 */
export function checkedRange(parameter: Parameter, range: Range, what: string): Parameter {
  const [above, below] = range;
  const { free, support, lower, upper, initial } = parameter;
  // Finite ends of a box can be reached; ends of other supports cannot.
  const isReached = (end: number) => support === 'box' && Number.isFinite(end);
  const fits = free
    ? (isReached(lower) ? lower > above : lower >= above) && (isReached(upper) ? upper < below : upper <= below)
    : entriesOf(initial).every((entry) => entry > above && entry < below);
  if (fits) return parameter;
  throw new InvalidInputError(
    `${what} must stay${inside(range)}, but the parameter that was given need not. Make it ${above === 0 && below === Infinity ? 'positive(…)' : `bounded(${above}, ${below})`}.`,
  );
}
