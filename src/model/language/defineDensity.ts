import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import {
  checkDefinition,
  checkMembers,
  checkName,
  givenOptions,
  type Member,
  unknownName,
} from '../../core/options.ts';
import type { Random } from '../../core/random.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Search, TensorMap } from '../model.ts';
import { fixed, isParameter, type Parameter, type ParameterLike, type ParameterValue, positive } from '../parameter.ts';
import {
  checkedRange,
  type DistributionValue,
  type OfParameter,
  type ParameterPrior,
  type PriorPlace,
} from '../parameterPrior.ts';
import { type Overrides, type OwnParameters, overriddenParameters } from '../part.ts';
import type {
  Conditional,
  Density,
  DensityContext,
  DensityStart,
  FieldOfRows,
  Parameters,
  RowMoments,
  Rows,
  SearchOfRows,
  UnderGaussianRows,
} from './density.ts';
import { boundsOf, type DensitySupport, interiorOf, isInterval, supportOf } from './support.ts';

/** Abilities of a density with this definition; unknown if its type leaves open whether rows are independent. */
export type SaidBy<D> = 'field' extends keyof D
  ? 'field'
  : unknown extends IsIndependent<D>
    ? unknown
    : SaidWhere<IsIndependent<D>, D> | SaidOfNewRows<D>;
type IsIndependent<D> = D extends { readonly independent: infer I extends true | false }
  ? boolean extends I
    ? unknown
    : I
  : D extends { readonly entrywise: true }
    ? true
    : D extends { readonly logDensity: (...given: never[]) => infer L }
      ? Scalar | Tensor1D extends L
        ? unknown
        : L extends Tensor1D
          ? true
          : false
      : unknown;
type SaidWhere<Independent, D> =
  | (Independent extends true ? 'rows' : never)
  | ('sample' extends keyof D ? 'draws' | (Independent extends true ? 'sample' : never) : never);
type SaidOfNewRows<D> = D extends { readonly condition: (...given: never[]) => infer K }
  ?
      | ('logPredictive' extends keyof K ? 'rows' : never)
      | Extract<keyof K, 'moments' | 'sample'>
      | (K extends { readonly next: unknown } ? 'next' : 'next' extends keyof K ? 'perhaps next' : never)
  : 'condition' extends keyof D
    ? unknown
    : never;

/** Definition of a density: see {@link defineDensity}. */
export interface DensityDefinition<Name extends string, C = undefined> {
  /** Letters and digits, starting with a letter. */
  readonly name: string;
  /** Default parameters; a bare number means `positive`. They may depend on the variable. Default none. */
  readonly parameters?: OwnParameters<Name> | ((start: DensityStart) => OwnParameters<Name>);
  /** Constants, made once for each evaluation of a whole fit: their tensors exist until it ends, when `dispose()` is called. */
  prepare?(start: DensityStart): C;
  /**
   * log p(value | parents) at the natural values p: n entries (Tensor1D) if rows are independent given their parents, which also define the density
   * of new rows; n×D entries with `entrywise`; otherwise a scalar.
   */
  logDensity(p: Values<Name>, rows: Rows, context: DensityContext<C>): Scalar | Tensor1D | Tensor2D;
  /** Its conditional for new rows, given the fitted ones: see {@link Conditional}. A density that returns a Tensor1D needs it only for moments. */
  condition?(p: Values<Name>, fitted: Rows, context: DensityContext<C>): Conditional;
  /** A draw of n×D rows from the density. */
  sample?(p: Values<Name>, random: Random, shape: readonly [number, number], given: readonly Tensor2D[]): Tensor2D;
  /** Expectations under Gaussian rows, which are otherwise sampled. */
  readonly gaussian?: Pick<UnderGaussianRows<Values<Name>, C>, keyof (typeof GROUPS)['gaussian']>;
  /** For random fields over the rows. */
  readonly field?: Pick<FieldOfRows<Naturals<Name>, C>, 'learned'>;
  /** Custom search for its maximum. */
  readonly search?: Pick<SearchOfRows<Naturals<Name>, C>, 'hessian' | 'restrict' | 'graph'> & {
    /** Iterations, tolerances and solver of a suitable search. */
    readonly settings?: Search;
  };
  /**
   * True if the log density is a number for each entry, n×D. Missing entries are left out of its sum, and a density without parents is also a prior on parameters:
   * `positive(1, { prior })`.
   */
  readonly entrywise?: boolean;
  /** False if the log density is an exponent without its normalizing constant. */
  readonly normalized?: boolean;
  /** False if `logPredictive` is not the conditional of the joint density, as for bounds. */
  readonly exact?: boolean;
  /** True if columns of observations should have mean 0. */
  readonly centered?: boolean;
  /** True if rows with missing entries are accepted, by means of `rows.present`. */
  readonly takesMissing?: boolean;
  /**
   * Possible values of an observed entry: 'real' (the default), 'counts' from 0, an interval such as `{ above: 0 }` or `{ from: 0, to: 1 }`, or a
   * list of all values. Other observations are refused.
   */
  readonly support?: DensitySupport;
  /** Whether rows are independent, regardless of the shape of the log density; by default its shape determines it. */
  readonly independent?: boolean;
}

type Values<Name extends string> = Readonly<Record<Name, Tensor>>;
type Naturals<Name extends string> = Readonly<Record<Name, ParameterValue>>;

/** In types: a definition of a random field. */
export interface FieldMember {
  readonly field: unknown;
}

/** Members of definitions, to check their names. */
export const DENSITY_MEMBERS: Readonly<Record<keyof DensityDefinition<string>, Member>> = {
  ...{ name: 'anything', parameters: 'anything', support: 'anything', normalized: 'anything', exact: 'anything' },
  ...{ centered: 'anything', takesMissing: 'anything', independent: 'anything', entrywise: 'anything' },
  ...{ prepare: 'function, if any', logDensity: 'function', condition: 'function, if any', sample: 'function, if any' },
  ...{ gaussian: 'anything', field: 'anything', search: 'anything' },
};

/** Members that are functions, called on their definition. */
const FUNCTIONS = ['prepare', 'logDensity', 'condition', 'sample'] as const;

/** Members that are copied to the density. */
const VALUES = [
  'normalized',
  'exact',
  'centered',
  'takesMissing',
  'independent',
  'gaussian',
  'field',
  'search',
] as const;

/** Members of each group. */
const GROUPS = {
  gaussian: { expected: 'function, if any', precision: 'function, if any', over: 'anything', isSparse: 'anything' },
  field: { learned: 'function' },
  search: { hessian: 'function, if any', restrict: 'function, if any', graph: 'anything', settings: 'anything' },
} as const satisfies Record<string, Readonly<Record<string, Member>>>;

const SAID: readonly (keyof Conditional)[] = [
  ...(['logPredictive', 'moments', 'uncertainMoments', 'hasGaussianNoise', 'expected'] as const),
  ...(['relevance', 'slopes', 'sample', 'next'] as const),
];
const MOMENTS: readonly (keyof RowMoments)[] = ['mean', 'variance', 'noise', 'observed', 'covariances'];

/** Returns the result of a density's function. @throws InvalidInputError unless it is an object without unknown members */
function checkedResult<T extends object>(result: T, what: string, known: readonly string[]): T {
  if (typeof result !== 'object' || result === null) {
    throw new InvalidInputError(
      `${what} must be an object with some of ${known.join(', ')}, but is ${describe(result)}.`,
    );
  }
  const unknown = Object.keys(result).find((key) => !known.includes(key));
  if (unknown === undefined) return result;
  throw unknownName('member', unknown, known, what);
}

function checkedConditional(name: string, result: Conditional): Conditional {
  const own = checkedResult(result, `What condition of the density '${name}' returns`, SAID);
  const { moments } = own;
  if (moments === undefined) return own;
  const what = `What moments of the density '${name}' returns`;
  return { ...own, moments: (given) => checkedResult(moments.call(own, given), what, MOMENTS) };
}

const DEFAULTS = {
  kind: 'density',
  normalized: true,
  exact: true,
  centered: false,
  takesMissing: false,
  independent: undefined,
} as const;

function withoutHessian({ hessian: _, ...search }: SearchOfRows): SearchOfRows {
  return search;
}

/** Makes a density; arguments replace default parameters. */
export type DensityFactory<Name extends string, Said = unknown> = (overrides?: Overrides<Name>) => Density<Said>;

/** Makes an entrywise density. Numbers are fixed; as the prior of a parameter, a value may be the path of another parameter. */
export type EntrywiseFactory<Name extends string, Said = unknown> = (
  values?: Partial<Readonly<Record<Name, ParameterLike | DistributionValue>>> & PriorPlace,
) => ParameterPrior<Said>;

type FactoryOf<Name extends string, D> = D extends { readonly entrywise: true }
  ? EntrywiseFactory<Name, SaidBy<D>>
  : DensityFactory<Name, SaidBy<D>>;

/**
 * Defines a custom density: the distribution of a variable's rows given the rows of its parents. Its only required function is the log density. If it
 * returns one number per row, rows are independent, and the same function applies to new rows.
 *
 * @param given - see {@link DensityDefinition}
 * @returns a factory `(overrides?) => Density` for `latent({ density })`, `observed(Y, { density })` and `factors`
 * @throws InvalidInputError for a name that is not one word, an unknown member, or an invalid parameter
 * @example
 * ```ts
 * import { defineDensity, positive } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // Rows are independent: log p(x) = −Σ_d [|x_d|/b + log 2b]
 * const doubleExponential = defineDensity({
 *   name: 'doubleExponential',
 *   parameters: { width: positive(1) },
 *   logDensity: (p, { value }) => op.neg(op.sum(op.add(op.div(op.abs(value), p.width), op.log(op.mul(2, p.width))), 1)),
 * });
 * ```
 */
export function defineDensity<Name extends string = never, C = undefined, const D = unknown>(
  given: DensityDefinition<Name, C> & D,
): FactoryOf<Name, D> {
  const definition: DensityDefinition<Name, C> = given;
  const { name, parameters = {} as OwnParameters<Name> } = checkDefinition(definition, 'defineDensity');
  checkName(name, 'A density');
  checkMembers(definition, 'defineDensity', DENSITY_MEMBERS);
  const owner = `Density '${name}'`;
  const support = supportOf(`density '${name}'`, definition.support);
  for (const [group, known] of Object.entries(GROUPS)) {
    const own = Reflect.get(definition, group) as object | undefined;
    if (own !== undefined)
      checkMembers(checkDefinition(own, `${group} of defineDensity`), `${group} of defineDensity`, known);
  }
  const bound = Object.fromEntries(
    FUNCTIONS.flatMap((key) => (definition[key] ? [[key, definition[key].bind(definition)]] : [])),
  );
  const values = VALUES.flatMap((key) => (definition[key] === undefined ? [] : [[key, definition[key]]]));
  const { condition, search, ...others } = { ...Object.fromEntries(values), ...bound } as unknown as Omit<
    Density,
    '~says'
  >;
  const make = (given: Overrides<Name> & PriorPlace = {} as Overrides<Name>) => {
    const { on, ...values } = (definition.entrywise ? givenOptions(given, owner) : {}) as PriorPlace & EntryValues;
    const overrides = definition.entrywise ? (fixedNumbers(values) as Overrides<Name>) : given;
    const isOfParameters = Object.values(values).some((value) => typeof value === 'string');
    const started =
      typeof parameters === 'function'
        ? (start: DensityStart) => overriddenParameters(owner, parameters(start), overrides)
        : Object.freeze(overriddenParameters(owner, parameters, overrides));
    const ofParameter =
      definition.entrywise && typeof started === 'object' ? asPrior(owner, definition, values, started, on) : undefined;
    const isHeld = typeof started === 'object' && Object.values<Parameter>(started).every(({ free }) => !free);
    return Object.freeze<Density>({
      ...DEFAULTS,
      ...others,
      ...(definition.entrywise && entrywiseMembers(owner, definition)),
      ...(ofParameter && { ofParameter }),
      name,
      // The path of a parameter is for priors of parameters only, and refused as the parameter of a variable's density.
      parameters: isOfParameters
        ? () => overriddenParameters(owner, parameters as OwnParameters<Name>, values as never)
        : started,
      ...(support && { support }),
      ...(search && { search: isHeld || search.hessian === undefined ? search : withoutHessian(search) }),
      ...(condition && {
        condition: (p: TensorMap, fitted: Rows, context: DensityContext) =>
          checkedConditional(name, condition(p, fitted, context)),
      }),
      call: { name, arguments: Object.keys(given).length === 0 ? [] : [given] },
    });
  };
  return make as FactoryOf<Name, D>;
}

type Entrywise = Pick<DensityDefinition<string, unknown>, 'name' | 'parameters' | 'support' | 'logDensity'>;

/** Members of an entrywise density: a sum of entries, with any number of the support in place of missing ones. */
function entrywiseMembers(owner: string, definition: Entrywise): Partial<Density> {
  return {
    takesMissing: true,
    independent: true,
    logDensity: (p, rows, context) => {
      const value = filledEntries(rows.value, rows.present, definition.support);
      return entrySums(owner, definition.logDensity(p, { ...rows, value }, context), rows);
    },
  };
}

/** Entries with a number of the support in place of missing ones, which are 0. */
export function filledEntries(value: Tensor2D, present: Tensor2D | undefined, support?: DensitySupport): Tensor2D {
  const inner = interiorOf(support);
  return present === undefined || inner === 0 ? value : op.add<Tensor2D>(value, op.mul(inner, op.sub(1, present)));
}

/** @throws InvalidInputError unless there is one number for each entry of y */
function checkedEntries(owner: string, entries: unknown, { shape: [n, D] }: Tensor2D): Tensor2D {
  if (entries instanceof tf.Tensor && String(entries.shape) === String([n, D])) return entries as Tensor2D;
  throw new InvalidInputError(
    `The log density of ${owner} must have one number for each of the ${n}×${D} entries of y, but ${entries instanceof tf.Tensor ? `a tensor of shape [${entries.shape}]` : describe(entries)} was returned.`,
  );
}

/**
 * Sums over the columns of n×D entries, without those that are missing.
 *
 * @throws InvalidInputError unless there is one number per entry
 */
export function entrySums(
  owner: string,
  entries: unknown,
  { value, present }: { readonly value: Tensor2D; readonly present?: Tensor2D | undefined },
): Tensor1D {
  const own = checkedEntries(owner, entries, value);
  return op.sum<Tensor1D>(present === undefined ? own : op.mul(present, own), 1);
}

type EntryValues = Readonly<Record<string, DistributionValue>>;

/** Arguments of an entrywise density as overrides of its parameters: numbers are fixed, and paths are left out. */
const fixedNumbers = (values: EntryValues) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      typeof value === 'string' || value === undefined ? [] : [[key, isParameter(value) ? value : fixed(value)]],
    ),
  );

/** An entrywise density as the prior of a parameter, if its support is an interval and its arguments are single numbers. */
function asPrior(
  owner: string,
  { name, parameters = {}, support = 'real', logDensity }: Entrywise,
  given: EntryValues,
  own: Parameters,
  on: PriorPlace['on'] = 'natural',
): OfParameter | undefined {
  const places = ['natural', 'unconstrained'];
  if (!places.includes(on)) throw unknownName('place', String(on), places, `Option 'on' of ${name}`);
  if (!isInterval(support) && support !== 'real') return undefined;
  const ranges: Record<string, OfParameter['support']> = {};
  const values: Record<string, DistributionValue> = {};
  for (const [key, standard] of Object.entries(parameters as OwnParameters<string>)) {
    const { lower, upper } = isParameter(standard) ? standard : positive(standard);
    ranges[key] = [lower, upper];
    const { [key]: value = own[key]!.initial } = given;
    if (typeof value === 'object' && !isParameter(value)) return undefined;
    values[key] = isParameter(value) ? checkedRange(value, ranges[key], `'${key}' of ${name}`) : value;
  }
  const { low, high } = boundsOf(support === 'real' ? {} : support);
  return Object.freeze<OfParameter>({
    ...{ values: Object.freeze(values), ranges, on, support: [low, high] },
    logDensity: (p, value) => checkedEntries(owner, logDensity(p, { value, given: [] }, {} as DensityContext), value),
  });
}

/** The density with the factory call that makes it. */
export const calledBy = <D extends Density>(density: D, ...args: readonly unknown[]): D =>
  Object.freeze({ ...density, call: { name: density.name, arguments: args } });
