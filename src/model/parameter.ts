import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import { checkGiven, checkOptions, givenList, namedOptions, type OptionsIn, typed } from '../core/options.ts';
import { firstNotPositive } from '../core/plainNumbers.ts';
import { countGiven } from '../core/wording.ts';
import type { Rank } from '../engine/tensors/tensorflow.ts';
import { isParameterPrior, type ParameterPrior } from './parameterPrior.ts';
import {
  above,
  entriesOf,
  type ParameterValue,
  type PositiveTransform,
  softplus,
  type Transform,
  transforms,
} from './transform.ts';

export {
  entriesOf,
  type ParameterValue,
  type ParameterValueJSON,
  shapeOf,
  valueFrom,
  valueFromJSON,
} from './transform.ts';

/** The rank of the tensor of a natural value. */
export type RankOf<V extends ParameterValue> = V extends number ? Rank.R0 : V extends Matrix ? Rank.R2 : Rank.R1;

/** Range of a parameter's natural value. */
export type Support = 'real' | 'positive' | 'bounded' | 'box';

/** A parameter of a kernel, prior, map or model: plain data about its kind, initial value and range. */
export interface Parameter<R extends Rank = Rank> {
  readonly support: Support;
  /** In types only: the rank of its tensor. */
  readonly '~rank'?: R;
  /** false: fixed at its initial value, without a gradient. */
  readonly free: boolean;
  readonly initial: ParameterValue;
  /** Open bounds of a 'bounded' parameter, closed ones of a 'box' parameter. */
  readonly lower: number;
  readonly upper: number;
  /** Map from the solver's variables to natural values, if it differs from the support's default (a logarithm or a logit). */
  readonly transform?: Transform;
  /** Lower bound, > 0, that the search keeps a 'positive' parameter above; default none. */
  readonly floor?: number;
  /** Typical size of each entry of a 'box' parameter, > 0: the solver works on the quotients. */
  readonly scale?: Float64Array;
  /** Its prior, a term `hyper.<path>` of the model's log density. */
  readonly prior?: ParameterPrior;
}

/** Options of a free parameter. */
export interface ParameterOptions extends OptionsIn<typeof realOptions> {}

/** Options of a free positive parameter. */
export interface PositiveOptions extends OptionsIn<typeof positiveOptions> {}

/** Accepted where a parameter is expected: a bare number (or list) stands for the default kind with that initial value. */
export type ParameterLike = number | readonly number[] | Parameter;

const realOptions = v.strictObject({
  /** A prior on its natural or unconstrained value, such as `gamma({ shape: 2, rate: 1 })`. */
  prior: v.optional(typed<ParameterPrior>()),
});
const positiveOptions = v.strictObject({
  ...realOptions.entries,
  /**
   * The solver's variable for the value x: 'log' (the default), log x; or 'softplus', u with x = log(1 + exp(u)), the variables of GPy. The optima
   * are the same, but the solver's path to them differs.
   */
  transform: v.optional(v.picklist(['log', 'softplus'], "'log' or 'softplus'")),
});

/**
 * A parameter on the whole real line.
 *
 * @param initial - initial value
 * @param options - `prior` on its value
 * @throws InvalidInputError if the initial value is not finite, or outside the support of the prior
 * @example
 * ```ts
 * const offset = real(0);
 * ```
 */
export function real<V extends ParameterValue>(initial: V, options: ParameterOptions = {}): Parameter<RankOf<V>> {
  return withPrior(parameter('real', initial, true, -Infinity, Infinity), checkOptions(realOptions, options, 'real'));
}

/**
 * A parameter greater than 0. The solver's variable is its logarithm, or with `transform: 'softplus'` the variable used by GPy.
 *
 * @param initial - initial value, > 0
 * @param options - `prior` on its value, `transform` 'log' or 'softplus'
 * @throws InvalidInputError if the initial value is not positive and finite, or outside the support of the prior
 * @example
 * ```ts
 * rbf({ lengthscale: positive([1, 2]) }); // one lengthscale per latent dimension
 * rbf({ variance: positive(1, { prior: gamma({ shape: 2, rate: 1 }) }) });
 * rbf({ variance: positive(1, { transform: 'softplus' }) });
 * ```
 */
export function positive<V extends ParameterValue>(initial: V, options: PositiveOptions = {}): Parameter<RankOf<V>> {
  const { transform, prior } = checkOptions(positiveOptions, options, 'positive');
  return withPrior(withTransform(parameter('positive', initial, true, 0, Infinity), transformNamed(transform)), {
    prior,
  });
}

/**
 * A parameter strictly between two bounds; the solver's variable is the logit of its relative position.
 *
 * @param lower - lower bound
 * @param upper - upper bound
 * @param initial - initial value, default the middle
 * @param options - `prior` on its value
 * @throws InvalidInputError if the bounds are not in order, or the initial value is not between them or outside the support of the prior
 * @example
 * ```ts
 * const correlation = bounded(-1, 1, 0.5);
 * ```
 */
export function bounded<V extends ParameterValue = number>(
  lower: number,
  upper: number,
  initial?: V,
  options: ParameterOptions = {},
): Parameter<RankOf<V>> {
  if (!(Number.isFinite(lower) && Number.isFinite(upper) && lower < upper)) {
    throw new InvalidInputError(
      `A bounded parameter needs finite bounds in order, but [${describe(lower)}, ${describe(upper)}] was given.`,
    );
  }
  const own = checkOptions(realOptions, options, 'bounded');
  return withPrior(parameter('bounded', initial ?? (lower + upper) / 2, true, lower, upper), own);
}

/**
 * A parameter between two bounds that it may reach, such as a multiplier w ≥ 0 that is 0 if its constraint is inactive. The solver's variable is the
 * value itself, and the solver must respect bounds: the default is then `lbfgsb()`.
 *
 * @param lower - lower bound, may be −Infinity
 * @param upper - upper bound, may be Infinity
 * @param initial - initial value, may be at a bound
 * @param options - `scale`: typical size of each entry, > 0 (default 1)
 * @throws InvalidInputError if the bounds are not in order, the initial value is not between them, or a scale is not above 0
 * @example
 * ```ts
 * const multipliers = box(0, Infinity, [0, 0, 0], { scale: [1, 10, 0.1] });
 * ```
 */
export function box<V extends ParameterValue>(
  lower: number,
  upper: number,
  initial: V,
  options: { readonly scale?: ArrayLike<number> | undefined } = {},
): Parameter<RankOf<V>> {
  if (typeof lower !== 'number' || typeof upper !== 'number' || !(lower < upper)) {
    throw new InvalidInputError(
      `A box parameter needs bounds in order, but [${describe(lower)}, ${describe(upper)}] was given.`,
    );
  }
  const result = parameter<RankOf<V>>('box', initial, true, lower, upper);
  const given = namedOptions(options, 'box', ['scale']).scale;
  if (given === undefined) return result;
  const scale = Float64Array.from(givenList(given, 'The scale of a box parameter', 'a list of numbers'));
  const { initial: start } = result;
  const length = typeof start === 'number' ? 1 : start instanceof Matrix ? start.data.length : start.length;
  const bad = firstNotPositive(scale);
  if (scale.length !== length || bad >= 0) {
    throw new InvalidInputError(
      `The scale of a box parameter is one number above 0 for each of its ${length} entries, but ` +
        `${scale.length === length ? `entry ${bad} is ${scale[bad]}` : countGiven(scale.length, 'number')}.`,
    );
  }
  return Object.freeze({ ...result, scale });
}

/**
 * A fixed value, which is part of the model but is not fitted.
 *
 * @param value - the value
 * @throws InvalidInputError if it is not finite
 * @example
 * ```ts
 * rbf({ variance: fixed(1) });
 * ```
 */
export function fixed<V extends ParameterValue>(value: V): Parameter<RankOf<V>> {
  return parameter('real', value, false, -Infinity, Infinity);
}

export function isParameter(value: unknown): value is Parameter {
  return typeof value === 'object' && value !== null && 'support' in value && 'initial' in value;
}

/**
 * The parameter for an argument `given`, with `standard` describing the default kind; a fixed value keeps the default's support.
 *
 * @param name - its name in errors
 */
export function parameterFrom(given: ParameterLike, standard: Parameter, name: string): Parameter {
  if (isParameter(given)) {
    if (given.free) return given;
    return parameter(standard.support, given.initial, false, standard.lower, standard.upper, name);
  }
  const { support, free, lower, upper, prior, transform } = standard;
  const result = withTransform(parameter(support, given, free, lower, upper, name), transform);
  return withPrior(result, prior === undefined ? {} : { prior });
}

/** The parameter with a custom transform, if there is one. */
function withTransform<R extends Rank>(given: Parameter<R>, transform: Transform | undefined): Parameter<R> {
  return transform === undefined ? given : Object.freeze({ ...given, transform });
}

const transformNamed = (name: PositiveTransform | undefined) => (name === 'softplus' ? softplus : undefined);

/** The parameter with a prior, if there is one. */
function withPrior<R extends Rank>(given: Parameter<R>, { prior }: ParameterOptions): Parameter<R> {
  if (prior === undefined) return given;
  const expected =
    'one of gamma, inverseGamma, logNormal, halfNormal, normal, beta and other densities entry by entry, called with all of its values';
  checkGiven(prior, "A parameter's prior", expected, isParameterPrior);
  const result: Parameter<R> = Object.freeze({ ...given, prior });
  const entries = entriesOf(given.initial);
  const { on, support } = prior.ofParameter;
  const placed = on === 'natural' ? entries : transformOf(given).toUnconstrained(entries);
  const outside = placed.findIndex((entry) => !(entry > support[0] && entry < support[1]));
  if (outside < 0) return result;
  const value =
    on === 'natural'
      ? 'value'
      : 'unconstrained value (the logarithm of a positive parameter, unless its transform is another)';
  throw new InvalidInputError(
    `The prior ${prior.name} is on a ${value} above ${support[0]}${support[1] < Infinity ? ` and below ${support[1]}` : ''}, but the parameter starts where it is ${placed[outside]}. ` +
      "Start it elsewhere, or use normal({ …, on: 'unconstrained' }).",
  );
}

export function transformOf(parameter: Parameter): Transform {
  const { transform, floor, support, lower, upper } = parameter;
  return transform ?? (floor === undefined ? transforms[support](lower, upper) : above(floor));
}

/** A positive parameter that a search keeps above a floor, if it starts above twice the floor; otherwise unchanged. */
export function flooredParameter<P extends Parameter>(given: P, floor: number): P {
  const isAbove = entriesOf(given.initial).every((entry) => entry > 2 * floor);
  return given.free && given.support === 'positive' && given.transform === undefined && floor > 0 && isAbove
    ? Object.freeze({ ...given, floor })
    : given;
}

/** Throws unless every entry of `value` lies in the parameter's support. */
export function checkSupport(parameter: Parameter, value: ParameterValue, name: string): void {
  const wrong = outsideSupport(parameter, value);
  if (wrong === undefined) return;
  const given = wrong.entry === undefined ? '' : `, but ${describe(wrong.entry)} was given`;
  throw new InvalidInputError(`${name}${wrong.place} must be ${wrong.range}${given}.`);
}

/** The first entry of a value that is outside the support of its parameter, and the valid range; undefined if all entries are valid. */
export function outsideSupport(
  { lower, upper, support, transform }: Parameter,
  value: ParameterValue,
): { readonly place: string; readonly range: string; readonly entry?: number } | undefined {
  const closed = support === 'box';
  const entries = typeof value === 'number' ? [value] : value instanceof Matrix ? value.data : value;
  // A loop: a function for each entry takes several times as long where there are many.
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!;
    const within = closed ? entry >= lower && entry <= upper : entry > lower && entry < upper;
    if (Number.isFinite(entry) && within) continue;
    const place = typeof value === 'number' ? '' : ` (entry ${i})`;
    const above = `${closed ? 'at least' : 'greater than'} ${lower}`;
    const range = lower === -Infinity ? 'finite' : above;
    const below = upper < Infinity ? ` and ${closed ? 'at most' : 'less than'} ${upper}` : '';
    return { place, range: range + below, entry };
  }
  const refused = transform?.refuses?.(entriesOf(value));
  return refused === undefined ? undefined : { place: '', range: refused };
}

function parameter<R extends Rank>(
  support: Support,
  initial: ParameterValue,
  free: boolean,
  lower: number,
  upper: number,
  name = `a ${free ? support : 'fixed'} parameter`,
): Parameter<R> {
  const list = Array.isArray(initial)
    ? givenList(initial as readonly unknown[], name, 'a number, a list of numbers or a Matrix')
    : undefined;
  if (typeof initial !== 'number' && list === undefined && !(initial instanceof Matrix)) {
    throw new InvalidInputError(
      `The start of ${name} is a number, a list of numbers or a Matrix, but ${describe(initial)} was given.`,
    );
  }
  if (list?.length === 0) {
    throw new InvalidInputError(
      `The start of ${name} that is a list contains at least one number, but an empty list was given.`,
    );
  }
  const odd = list?.findIndex((entry) => typeof entry !== 'number') ?? -1;
  if (odd >= 0) {
    throw new InvalidInputError(
      `The start of ${name} that is a list contains numbers, but its entry ${odd} is ${describe(list![odd])}. Rows are a Matrix: Matrix.from(rows).`,
    );
  }
  const result: Parameter<R> = Object.freeze({
    support,
    free,
    initial: list === undefined ? initial : (Object.freeze(list) as readonly number[]),
    lower,
    upper,
  });
  checkSupport(result, result.initial, `The start of ${name}`);
  return result;
}

/** A parameter made again from its description, with all checks. */
export function remadeParameter({
  support,
  free,
  initial,
  lower,
  upper,
  transform,
  floor,
  scale,
  prior,
}: Parameter): Parameter {
  const plain = withTransform(parameter(support, initial, free, lower, upper), transform);
  const kept = { ...plain, ...(scale && { scale }), ...(floor !== undefined && { floor }) };
  return withPrior(Object.freeze(kept), { prior });
}
