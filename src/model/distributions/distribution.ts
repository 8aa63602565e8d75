import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { givenOptions, unknownName } from '../../core/options.ts';
import type { Parameter } from '../parameter.ts';
import { entriesOf } from '../transform.ts';
import type { DistributionValue, ParameterPrior, PriorPlace, SummedDensity, ValueEntries } from './parameterPrior.ts';

/** Its values by name and above what they lie, its support, and log p(x) with its slopes, of plain numbers. */
export interface Distribution<Name extends string> {
  readonly name: string;
  /** 'real': any finite number; 'positive': above 0. */
  readonly values: Readonly<Record<Name, 'real' | 'positive'>>;
  /** Its support is what lies above. */
  readonly lower: number;
  logDensity(x: number, values: Readonly<Record<Name, number>>): number;
  /** ∂ log p/∂x */
  slope(x: number, values: Readonly<Record<Name, number>>): number;
  /** ∂ log p in each of the values. */
  valueSlopes(x: number, values: Readonly<Record<Name, number>>): Readonly<Record<Name, number>>;
}

/** Makes a prior on one parameter from the values of its distribution. */
export type ParameterPriorFactory<Name extends string> = (
  options: Readonly<Record<Name, DistributionValue>> & PriorPlace,
) => ParameterPrior;

const RANGES = { real: [-Infinity, Infinity], positive: [0, Infinity] } as const;

/** A distribution of the library, with its slopes written out: no tensor operation in an evaluation. */
export function distribution<Name extends string>(given: Distribution<Name>): ParameterPriorFactory<Name> {
  const { name, lower } = given;
  const names = Object.keys(given.values) as Name[];
  const ranges = Object.fromEntries(names.map((key) => [key, RANGES[given.values[key]]]));
  const density = (x: Float64Array, values: ValueEntries) => summed(given, names, x, values);
  return (options) => parameterPrior({ name, lower, ranges, density }, givenOptions(options, name), {});
}

function summed<Name extends string>(
  { logDensity, slope, valueSlopes }: Distribution<Name>,
  names: readonly Name[],
  x: Float64Array,
  values: ValueEntries,
): SummedDensity {
  const gradient = new Float64Array(x.length);
  let value = 0;
  if (names.every((key) => typeof values[key] === 'number')) {
    const held = values as Readonly<Record<Name, number>>;
    for (let i = 0; i < x.length; i++) {
      value += logDensity(x[i]!, held);
      gradient[i] = slope(x[i]!, held);
    }
    return { value, x: gradient, values: {} };
  }
  const own: Record<string, Float64Array> = {};
  const at = {} as Record<Name, number>;
  for (const key of names) {
    const entries = values[key]!;
    if (typeof entries === 'number') at[key] = entries;
    else own[key] = new Float64Array(entries.length);
  }
  for (let i = 0; i < x.length; i++) {
    for (const key of Object.keys(own)) at[key as Name] = entryAt(values[key] as Float64Array, i);
    value += logDensity(x[i]!, at);
    gradient[i] = slope(x[i]!, at);
    const inValues = valueSlopes(x[i]!, at);
    for (const key of Object.keys(own)) own[key]![own[key]!.length === 1 ? 0 : i]! += inValues[key as Name];
  }
  return { value, x: gradient, values: own };
}

/** The one entry for all, or that of place i. */
const entryAt = (entries: Float64Array, i: number) => entries[entries.length === 1 ? 0 : i]!;

/** Members shared by all priors of one distribution. */
type Kind = Pick<ParameterPrior, 'lower' | 'ranges' | 'density'> & { readonly name: string };

/**
 * A prior from a distribution and the values that it is called with.
 *
 * @param standard - values where none are given
 * @throws InvalidInputError for a value that is missing, unknown or out of its range
 */
export function parameterPrior(
  { name, lower, ranges, density }: Kind,
  given: Readonly<Record<string, unknown>>,
  standard: Readonly<Record<string, number>>,
): ParameterPrior {
  if (typeof given !== 'object' || given === null) {
    throw new InvalidInputError(`${name} takes an object of values, but ${describe(given)} was given.`);
  }
  const { on = 'natural', ...values } = given;
  if (on !== 'natural' && on !== 'unconstrained') {
    throw new InvalidInputError(
      `Option 'on' of ${name} must be 'natural' or 'unconstrained', but ${describe(on)} was given.`,
    );
  }
  const names = Object.keys(ranges);
  for (const key of Object.keys(values)) {
    if (!names.includes(key)) throw unknownName('option', key, [...names, 'on'], name);
  }
  return Object.freeze<ParameterPrior>({
    kind: 'parameterPrior',
    distribution: name,
    values: Object.freeze(
      Object.fromEntries(names.map((key) => [key, checked(name, key, values[key] ?? standard[key], ranges[key]!)])),
    ),
    ranges,
    on,
    lower,
    density,
  });
}

type Range = readonly [above: number, below: number];

const inside = ([above, below]: Range) =>
  `${above === -Infinity ? '' : ` above ${above}`}${below === Infinity ? '' : ` below ${below}`}`;

function checked(owner: string, key: string, value: unknown, range: Range): DistributionValue {
  if (value === undefined) throw new InvalidInputError(`${owner} needs the option '${key}', but it was not given.`);
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'support' in value) {
    return checkedRange(value as Parameter, range, `'${key}' of ${owner}`);
  }
  if (typeof value === 'number' && Number.isFinite(value) && value > range[0] && value < range[1]) return value;
  throw new InvalidInputError(
    `Option '${key}' of ${owner} must be a finite number${inside(range)}, a parameter, or the path of one, but ${describe(value)} was given.`,
  );
}

/**
 * The parameter, unless it may be where a value of a distribution may not.
 *
 * @param what - what to call it in an error
 */
export function checkedRange(parameter: Parameter, range: Range, what: string): Parameter {
  const [above, below] = range;
  const { free, support, lower, upper, initial } = parameter;
  // Ends of a box can be reached, if they are finite; those of others cannot.
  const isReached = (end: number) => support === 'box' && Number.isFinite(end);
  const fits = free
    ? (isReached(lower) ? lower > above : lower >= above) && (isReached(upper) ? upper < below : upper <= below)
    : entriesOf(initial).every((entry) => entry > above && entry < below);
  if (fits) return parameter;
  throw new InvalidInputError(
    `${what} must stay${inside(range)}, but the parameter that was given need not. Make it ${above === 0 && below === Infinity ? 'positive(…)' : `bounded(${above}, ${below})`}.`,
  );
}
