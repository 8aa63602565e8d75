import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import {
  checkDefinition,
  checkGiven,
  checkMembers,
  checkName,
  givenOptions,
  type Member,
  unknownName,
} from '../../core/options.ts';
import type { Random } from '../../core/random.ts';
import { joinedColumns } from '../../core/rowMatrices.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { normalEntries } from '../jointDraw.ts';
import { defineDensity, entrySums, filledEntries } from '../language/defineDensity.ts';
import type { Density, DensityAbility, Rows } from '../language/density.ts';
import { changedObservations, type DensitySupport, observationSupport, supportOf } from '../language/support.ts';
import type { TensorMap } from '../model.ts';
import { isParameter, type Parameter, type ParameterLike } from '../parameter.ts';
import type { DistributionValue, ParameterPrior, PriorPlace } from '../parameterPrior.ts';
import { parameterToJSON } from '../parameterToJson.ts';
import { type Overrides, type OwnParameters, overriddenParameters } from '../part.ts';
import { expectedLogDensity, expectedMoments } from './normalExpectation.ts';

/** Entrywise density of observations y given the functions f of a map or a process. A plain frozen description. */
export interface Likelihood extends Density<Exclude<DensityAbility, 'next' | 'field'>> {
  /** Number of functions that each entry depends on. */
  readonly functions: number;
  /** Parameters by path, next to the kernel's: `likelihood.<name>`; the variance of the Gaussian one is `noise`. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** log p(y|f) for every entry, n×D, with y n×D and f n×D, or one such block side by side per function. `p` contains natural values keyed as in `parameters`. */
  readonly entryDensity: (p: TensorMap, f: Tensor2D, y: Tensor2D) => Tensor2D;
  /**
   * Mean and variance of an observation y if f is normal with these moments, n×D each (or blocks of several functions).
   *
   * @throws InvalidInputError if the likelihood's definition has no moments
   */
  readonly moments: (p: TensorMap, mean: Tensor2D, variance: Tensor2D) => ObservationMoments;
  /** Mean and variance of an observation at known functions, if the definition has them. */
  readonly momentsAt?: (p: TensorMap, f: Tensor2D) => ObservationMoments;
  /**
   * E[log p(y|f)] for every entry if f is normal with these moments, n×D each, for likelihoods with a closed form; others use Gauss–Hermite
   * quadrature.
   */
  readonly expectation?: EntriesUnder;
  /** E[log p(y|f)] by quadrature, if `expectation` is a bound on it. */
  readonly exactExpectation?: EntriesUnder;
  /** log E[p(y|f)] for every entry, if it depends on functions of other entries; other likelihoods use Gauss–Hermite quadrature. */
  readonly logPredictive?: EntriesUnder;
  /** True if an entry depends on the functions of its whole row: then only rows, not functions, have moments and draws. */
  readonly takesRows: boolean;
  /** Initial value of the function for an observation in a row of this mean. */
  readonly start: (y: number, rowMean: number) => number;
  /** The Gaussian noise, for a likelihood that keeps a Gaussian process Gaussian. */
  readonly conjugate: ((p: TensorMap) => Noise) | undefined;
  /** Parameters and options by the names in its factory. */
  readonly toJSON: () => LikelihoodJSON;
}

/** A number for every entry of y, n×D, if f is normal with these moments. */
type EntriesUnder = (p: TensorMap, mean: Tensor2D, variance: Tensor2D, y: Tensor2D) => Tensor2D;

/** Mean and variance of observations, n×D. */
export interface ObservationMoments {
  readonly mean: Tensor2D;
  readonly variance: Tensor2D;
}

/** Independent Gaussian noise: one variance for all observations (a scalar), one per column (D entries), or one per row (N entries). */
export interface Noise {
  readonly per: 'all' | 'column' | 'row';
  readonly variance: Tensor;
}

/** A likelihood as plain JSON. */
export interface LikelihoodJSON {
  readonly likelihood: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

export function isLikelihood(value: unknown): value is Likelihood {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'kind') !== 'density') return false;
  return typeof Reflect.get(value, 'entryDensity') === 'function';
}

/** Initial values of the functions for these observations, N×D, NaN where missing. */
export function functionsOf({ start }: Pick<Likelihood, 'start'>, Y: Matrix): Matrix {
  const means = rowMeans(Y);
  return Y.map((y, i) => (Number.isNaN(y) ? y : start(y, means[i]!)));
}

/** Initial values of all functions side by side: the first from the observations, the others 0. */
export function startedFunctions(likelihood: Pick<Likelihood, 'start' | 'functions'>, Y: Matrix): Matrix {
  const first = functionsOf(likelihood, Y);
  if (likelihood.functions === 1) return first;
  const none = Matrix.zeros(Y.rows, Y.columns);
  return joinedColumns([first, ...new Array<Matrix>(likelihood.functions - 1).fill(none)]);
}

/** Mean of each row, NaN if an entry is missing. */
function rowMeans({ data, rows, columns }: Pick<Matrix, 'data' | 'rows' | 'columns'>): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let total = 0;
    for (let j = 0; j < columns; j++) total += data[i * columns + j]!;
    return total / columns;
  });
}

/** Throws if an observation is outside of the likelihood's range, or would be after centering or scaling. */
export function checkObserved(
  Y: Matrix,
  { name, conjugate, support }: Pick<Likelihood, 'name' | 'conjugate' | 'support'>,
  changed: boolean,
): void {
  if (changed && conjugate === undefined) throw changedObservations(`likelihood '${name}'`);
  support?.check(Y, false);
}

/** Draws each entry separately, from functions, n×D, and values that are scalars or one per column. */
export function drawnEntries(
  f: Tensor2D,
  values: readonly Tensor[],
  draw: (f: number, ...values: number[]) => number,
): Tensor2D {
  const none = op.zerosLike(f);
  const all = [f, ...values.map((value) => op.add(value, none))].map(doublesOf);
  return op.tensor<Tensor2D>(
    Float64Array.from(all[0]!, (entry, i) => draw(entry, ...all.slice(1).map((own) => own[i]!))),
    f.shape,
  );
}

/** Functions for an observation: one, n×D, or a list of several. */
export type Functions<Count extends number> = Count extends 1 ? Tensor2D : readonly Tensor2D[];

type Values<Name extends string> = Readonly<Record<Name, Tensor>>;

/** A number for every entry if f ~ N(mean, variance), n×D each. */
type UnderNormal<Name extends string, Options> = (
  p: Values<Name>,
  mean: Tensor2D,
  variance: Tensor2D,
  y: Tensor2D,
  options: Partial<Options>,
) => Tensor2D;

export interface LikelihoodDefinition<
  Name extends string,
  Options extends object = object,
  Count extends number = 1,
  Alone extends string = never,
> {
  /** Name of the likelihood: letters and digits, starting with a letter. */
  readonly name: string;
  /** Default parameters; a bare number means `positive`. Their paths are `….likelihood.<name>`. Default none. */
  readonly parameters?: OwnParameters<Name>;
  /** Readers of options other than parameters: each returns plain JSON, or throws an error whose message is a sentence. */
  readonly options?: { readonly [K in keyof Options]-?: (given: unknown) => Options[K] };
  /** Number of functions that each entry depends on, such as 2 for a mean and a deviation; default 1. */
  readonly functions?: Count;
  /**
   * Parameter in place of the function, such as a rate, with its default kind, and the function at its value. Called with this parameter, the factory makes a density
   * without functions: a prior on a parameter, or the density of latent or observed entries.
   */
  readonly alone?: {
    readonly name: Alone;
    readonly parameter: ParameterLike;
    readonly functionOf: (p: Values<Name | Alone>) => Tensor;
  };
  /** log p(y|f) of every entry, n×D, for y and f n×D (a list of them for several functions), with all constants. */
  logDensity(p: Values<Name>, f: Functions<Count>, y: Tensor2D, options: Partial<Options>): Tensor2D;
  /** Draws every entry given f, n×D. Without it, Gaussian likelihoods draw from their moments. */
  sample?(p: Values<Name>, f: Functions<Count>, random: Random, options: Partial<Options>): Tensor2D;
  /** Mean and variance of an observation at known functions. Uncertain functions are integrated out by quadrature unless there are `moments`. */
  momentsAt?(p: Values<Name>, f: Functions<Count>, options: Partial<Options>): ObservationMoments;
  /** Mean and variance of an observation y if f ~ N(mean, variance), n×D each, which predictions of observations need. */
  moments?(p: Values<Name>, mean: Tensor2D, variance: Tensor2D, options: Partial<Options>): ObservationMoments;
  /** E[log p(y|f)] for every entry if f ~ N(mean, variance), in closed form. Without it, Gauss–Hermite quadrature is used. */
  readonly expectation?: UnderNormal<Name, Options>;
  /** E[log p(y|f)] by quadrature, if `expectation` is a lower bound on it: their difference is measured at the end of a fit. */
  readonly exactExpectation?: UnderNormal<Name, Options>;
  /** log E[p(y|f)] for every entry if f ~ N(mean, variance) and an entry depends on the functions of its whole row. Without it, Gauss–Hermite quadrature is used. */
  readonly logPredictive?: UnderNormal<Name, Options>;
  /** Initial value of f for an observation in a row of this mean (NaN if an entry is missing); default the observation itself. */
  start?(y: number, options: Partial<Options>, rowMean: number): number;
  /** Values that an observation may have, as in `defineDensity`; default any number. */
  readonly support?: DensitySupport;
  /** Description of valid observations, such as 'a whole number from 0', for one that is not valid; where it depends on options, or on the row. */
  refuses?(y: number, options: Partial<Options>, rowMean: number): string | undefined;
}

const MEMBERS: Readonly<Record<keyof LikelihoodDefinition<string>, Member>> = {
  ...{ name: 'anything', parameters: 'anything', options: 'anything', functions: 'anything', alone: 'anything' },
  ...{ logDensity: 'function', sample: 'function, if any', momentsAt: 'function, if any', moments: 'function, if any' },
  ...{ expectation: 'function, if any', exactExpectation: 'function, if any', logPredictive: 'function, if any' },
  ...{ start: 'function, if any', support: 'anything', refuses: 'function, if any' },
};

/** Makes a likelihood; arguments replace default parameters or set options. Called with the parameter in place of the function, it makes a density without functions. */
export interface LikelihoodFactory<Name extends string, Options extends object = object, Alone extends string = never> {
  (
    values: [Alone] extends [never]
      ? never
      : Readonly<Record<Alone, DistributionValue>> & Partial<Readonly<Record<Name, DistributionValue>>> & PriorPlace,
  ): ParameterPrior<'rows' | 'draws' | 'sample'>;
  (overrides?: Overrides<Name, Options> & { readonly [K in Alone]?: undefined }): Likelihood;
}

/** Members of a definition that only the built-in Gaussian likelihood has. */
interface Special<Name extends string, Options extends object> {
  readonly path?: (name: Name) => string;
  conjugate?(p: Values<Name>, own: Readonly<Record<Name, Parameter>>, options: Partial<Options>): Noise;
  check?(own: Readonly<Record<Name, Parameter>>, options: Partial<Options>): void;
}

/**
 * Defines a new likelihood from one function with tensor operations: the density of each observation given the function of a map or process. It is short for {@link defineDensity} with
 * `entrywise`, and knows expectations under uncertain functions.
 *
 * @param definition - name, default parameters, the log density of every entry and, for predictions of observations, their moments
 * @returns a factory `(overrides?) => Likelihood`
 * @throws InvalidInputError if the name is not one word of letters and digits, or a parameter is invalid
 * @example
 * ```ts
 * import { defineLikelihood, positive } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // p(y|f) = exp(−|y − f|/b)/(2b)
 * const laplace = defineLikelihood({
 *   name: 'laplace',
 *   parameters: { width: positive(1) },
 *   logDensity: (p, f, y) => op.neg(op.add(op.div(op.abs(op.sub(y, f)), p.width), op.log(op.mul(2, p.width)))),
 *   moments: (p, mean, variance) => ({ mean, variance: op.add(variance, op.mul(2, op.square(p.width))) }),
 * });
 * ```
 */
export function defineLikelihood<
  Name extends string = never,
  Options extends object = object,
  const Count extends number = 1,
  Alone extends string = never,
>(definition: LikelihoodDefinition<Name, Options, Count, Alone>): LikelihoodFactory<Name, Options, Alone> {
  return likelihoodFactory(definition as unknown as LikelihoodDefinition<Name, Options, 1, Alone>);
}

/** `defineLikelihood` for built-in likelihoods, which may be conjugate and have other paths. */
export function likelihoodFactory<Name extends string, Options extends object = object, Alone extends string = never>(
  definition: LikelihoodDefinition<Name, Options, 1, Alone>,
  { path = (key) => `likelihood.${key}`, conjugate, check }: Special<Name, Options> = {},
): LikelihoodFactory<Name, Options, Alone> {
  const {
    name,
    parameters = {} as OwnParameters<Name>,
    functions = 1,
  } = checkDefinition(definition, 'defineLikelihood');
  checkName(name, 'A likelihood');
  checkMembers(definition, 'defineLikelihood', MEMBERS);
  const owner = `Likelihood '${name}'`;
  checkGiven(functions, owner, 'a whole number of functions from 1', (own) => Number.isInteger(own) && own >= 1);
  const names = Object.keys(parameters) as Name[];
  const make = (asked: Readonly<Record<string, unknown>> = {}): Likelihood | ParameterPrior => {
    checkGiven(
      asked,
      owner,
      'an object of parameters',
      (own) => typeof own === 'object' && own !== null && !Array.isArray(own),
    );
    const given = givenOptions(asked, owner);
    const { alone } = definition;
    if (alone !== undefined && given[alone.name] !== undefined) return withoutFunctions(definition, alone, given);
    const { overrides, options } = dividedOptions(definition, given, owner);
    const own = overriddenParameters(owner, parameters, overrides);
    check?.(own, options);
    const paths = names.map(path);
    const values = (p: TensorMap) =>
      Object.fromEntries(names.map((key, i) => [key, p[paths[i]!]!])) as Record<Name, Tensor>;
    const split = (f: Tensor2D) => splitColumns(f, functions) as Tensor2D;
    const { logDensity, sample, momentsAt, refuses } = definition;
    const under = (key: 'expectation' | 'exactExpectation' | 'logPredictive') => {
      const entries: EntriesUnder = (...[p, ...of]) => definition[key]!(values(p), ...of, options);
      return definition[key] && { [key]: entries };
    };
    const entries: Omit<Likelihood, keyof Density> & Pick<Likelihood, 'functions' | 'parameters'> = {
      functions,
      parameters: Object.freeze(Object.fromEntries(names.map((key) => [path(key), own[key]]))),
      entryDensity: (p, f, y) => logDensity.call(definition, values(p), split(f), y, options),
      moments: (p, mean, variance) => {
        if (definition.moments !== undefined) return definition.moments(values(p), mean, variance, options);
        const { expected, observed } = expectedMoments(owner, entries, p, mean, variance);
        return { mean: expected.mean, variance: op.add(expected.variance, observed) };
      },
      ...(momentsAt && {
        momentsAt: (p: TensorMap, f: Tensor2D) => momentsAt.call(definition, values(p), split(f), options),
      }),
      ...under('expectation'),
      ...under('exactExpectation'),
      ...under('logPredictive'),
      takesRows: definition.logPredictive !== undefined,
      start: (y, rowMean) => definition.start?.(y, options, rowMean) ?? y,
      conjugate: conjugate && ((p) => conjugate(values(p), own, options)),
      toJSON: () => ({
        likelihood: name,
        parameters: Object.fromEntries(names.map((key) => [key, parameterToJSON(own[key])])),
        ...(Object.keys(options).length > 0 && { options }),
      }),
    };
    const of = `likelihood '${name}'`;
    const support = refuses
      ? observationSupport(of, (y, rowMean) => refuses.call(definition, y, options, rowMean))
      : supportOf(of, definition.support);
    const draw =
      sample &&
      ((p: TensorMap, f: Tensor2D, random: Random) => sample.call(definition, values(p), split(f), random, options));
    return Object.freeze<Likelihood>({
      ...(densityGivenFunctions(name, entries, definition.support, draw) as Likelihood),
      ...entries,
      ...(support && { support }),
      functionStart: (Y) => startedFunctions(entries, Y),
    });
  };
  return make as LikelihoodFactory<Name, Options, Alone>;
}

/** Overrides of parameters, and options as their readers return them. */
function dividedOptions<Name extends string, Options extends object>(
  { parameters, options = {} as never }: LikelihoodDefinition<Name, Options, 1, string>,
  given: Readonly<Record<string, unknown>>,
  owner: string,
): { readonly overrides: Partial<Record<Name, ParameterLike>>; readonly options: Partial<Options> } {
  const [overrides, chosen]: Record<string, unknown>[] = [{}, {}];
  const readers = options as Readonly<Record<string, (given: unknown) => unknown>>;
  const names = Object.keys(parameters ?? {});
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (Object.hasOwn(readers, key)) chosen![key] = readers[key]!(value);
    else if (names.includes(key)) overrides![key] = value;
    else throw unknownName('parameter', key, [...names, ...Object.keys(readers)], owner);
  }
  return {
    overrides: overrides as Partial<Record<Name, ParameterLike>>,
    options: Object.freeze(chosen) as Partial<Options>,
  };
}

/** The density of numbers whose function follows from a parameter. */
function withoutFunctions<Name extends string, Options extends object, Alone extends string>(
  definition: LikelihoodDefinition<Name, Options, 1, Alone>,
  alone: NonNullable<LikelihoodDefinition<Name, Options, 1, Alone>['alone']>,
  given: Readonly<Record<string, unknown>>,
): ParameterPrior {
  const { name, parameters = {} as OwnParameters<Name>, sample } = definition;
  const missing = Object.entries<ParameterLike>(parameters).find(
    ([key, standard]) => given[key] === undefined && !(isParameter(standard) && !standard.free),
  );
  if (missing !== undefined) {
    throw new InvalidInputError(`${name} needs '${missing[0]}' in addition to '${alone.name}'.`);
  }
  const functions = (p: TensorMap, [n, D]: readonly [number, number]) =>
    op.mul<Tensor2D>(alone.functionOf(p as Values<Name | Alone>), op.ones([n, D]));
  const factory = defineDensity({
    name,
    parameters: { ...parameters, [alone.name]: alone.parameter } as OwnParameters<string>,
    entrywise: true,
    support: definition.support ?? 'real',
    logDensity: (p, { value }) => definition.logDensity(p as Values<Name>, functions(p, value.shape), value, {}),
    ...(sample && {
      sample: (p: TensorMap, random: Random, shape: readonly [number, number]) =>
        sample.call(definition, p as Values<Name>, functions(p, shape), random, {}),
    }),
  });
  return factory(given as Parameters<typeof factory>[0]);
}

/** Functions side by side, split into the arguments of a definition. */
function splitColumns(f: Tensor2D, functions: number): Tensor2D | readonly Tensor2D[] {
  if (functions === 1) return f;
  const columns = f.shape[1] / functions;
  return Array.from({ length: functions }, (_, k) => op.slice<Tensor2D>(f, [0, k * columns], [-1, columns]));
}

const momentsOf = (rows: Tensor2D | op.GaussianRows): op.GaussianRows =>
  'variance' in rows ? rows : { mean: rows, variance: op.zerosLike(rows) };

type Entries = Pick<
  Likelihood,
  'functions' | 'parameters' | 'entryDensity' | 'moments' | 'momentsAt' | 'conjugate' | 'expectation'
>;

/** A likelihood as the density of an observed variable given its functions: `observed(Y, { density: poisson(), given: f })`. */
function densityGivenFunctions(
  name: string,
  likelihood: Entries,
  support: DensitySupport | undefined,
  draw: ((p: TensorMap, f: Tensor2D, random: Random) => Tensor2D) | undefined,
): Density {
  const { functions, parameters, momentsAt } = likelihood;
  const owner = `Likelihood '${name}'`;
  const functionsIn = (given: readonly Tensor2D[], columns: number): Tensor2D => {
    const [f] = given;
    if (given.length !== 1 || f!.shape[1] !== functions * columns) {
      throw new InvalidInputError(
        `${owner} of ${columns} columns is given one variable of ${functions * columns} columns, but ` +
          `${given.length === 1 ? `one of ${f!.shape[1]}` : `${given.length} variables`} came. Set the map's dim, or give one variable.`,
      );
    }
    return f!;
  };
  const moments = (p: TensorMap, given: readonly Tensor2D[]) => {
    const f = functionsIn(given, given[0]!.shape[1] / functions);
    return momentsAt === undefined ? likelihood.moments(p, f, op.zerosLike(f)) : momentsAt(p, f);
  };
  const sample = (p: TensorMap, random: Random, [n, D]: readonly [number, number], given: readonly Tensor2D[]) => {
    if (draw !== undefined) return draw(p, functionsIn(given, D), random);
    const { mean, variance } = moments(p, given);
    return op.add<Tensor2D>(mean, op.mul(op.sqrt(variance), normalEntries(random, n, D)));
  };
  return defineDensity({
    name,
    parameters: () => parameters,
    entrywise: true,
    support: support ?? 'real',
    logDensity: (p: TensorMap, { value, given }: Rows) =>
      likelihood.entryDensity(p, functionsIn(given, value.shape[1]), value),
    ...(functions === 1 && {
      gaussian: {
        // A Gaussian density is symmetric in the observation and the function, so either may be uncertain.
        ...(likelihood.conjugate === undefined && { over: 'given' as const }),
        expected: (p: TensorMap, { value, given, present }: Rows<Tensor2D | op.GaussianRows>) => {
          const [y, f] = [momentsOf(value), momentsOf(given[0]!)];
          functionsIn([f.mean], y.mean.shape[1]);
          const variance = op.add<Tensor2D>(f.variance, y.variance);
          const own = expectedLogDensity(likelihood, p, f.mean, variance, filledEntries(y.mean, present, support));
          return entrySums(owner, own, { value: y.mean, present });
        },
      },
    }),
    condition: (p: TensorMap) => ({
      moments: (given: readonly Tensor2D[]) => {
        const { mean, variance } = moments(p, given);
        return { mean, variance: op.zerosLike(mean), noise: variance };
      },
      ...(draw && {
        sample: (given: readonly Tensor2D[], random: Random) =>
          draw(p, functionsIn(given, given[0]!.shape[1] / functions), random),
      }),
    }),
    ...((draw || likelihood.conjugate) && { sample }),
  })();
}
