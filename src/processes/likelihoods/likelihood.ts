import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { checkDefinition, checkMembers, checkName, type Member, unknownName } from '../../core/options.ts';
import type { Random } from '../../core/random.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { normalEntries } from '../../model/jointDraw.ts';
import type { Density, Rows, Saying } from '../../model/language/density.ts';
import { joinedColumns } from '../../model/language/graph.ts';
import { changedObservations, observationSupport } from '../../model/language/support.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Parameter, ParameterLike } from '../../model/parameter.ts';
import { parameterToJSON } from '../../model/parameterToJson.ts';
import { type Overrides, type OwnParameters, overriddenParameters } from '../../model/part.ts';
import { expectedLogDensity, expectedMoments } from './normalExpectation.ts';

/** Distribution of each observation y given the functions f of a mapping. A plain frozen description. */
export interface Likelihood {
  readonly kind: 'likelihood';
  /** In types only: what it says of new rows. */
  readonly '~says'?: Exclude<Saying, 'next' | 'field'>;
  readonly name: string;
  /** Number of functions that each entry depends on. */
  readonly functions: number;
  /** The density of a variable given the functions. */
  readonly density: Density;
  /** Parameters by path, next to the kernel's: `likelihood.<name>`; the variance of the Gaussian one is `noise`. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** log p(y|f) of every entry, n×D, for y n×D and f n×D, or as many such blocks side by side as it has functions. `p` holds natural values keyed as in `parameters`. */
  readonly logDensity: (p: TensorMap, f: Tensor2D, y: Tensor2D) => Tensor2D;
  /**
   * Mean and variance of an observation y if f is normal with these moments, n×D each (or blocks of several functions).
   *
   * @throws InvalidInputError if the likelihood's definition has no moments
   */
  readonly moments: (p: TensorMap, mean: Tensor2D, variance: Tensor2D) => ObservationMoments;
  /** Mean and variance of an observation at known functions, where a definition has them. */
  readonly momentsAt?: (p: TensorMap, f: Tensor2D) => ObservationMoments;
  /**
   * E[log p(y|f)] of every entry if f is normal with these moments, n×D each, for likelihoods with a closed form; others use Gauss–Hermite
   * quadrature.
   */
  readonly expectation?: (p: TensorMap, mean: Tensor2D, variance: Tensor2D, y: Tensor2D) => Tensor2D;
  /** Initial value of the function for an observation in a row of this mean. */
  readonly start: (y: number, rowMean: number) => number;
  /** Description of valid observations, as the end of a sentence, if this one is not valid; otherwise undefined. */
  readonly refuses: (y: number, rowMean: number) => string | undefined;
  /** The Gaussian noise, for a likelihood under which a Gaussian process stays Gaussian. */
  readonly conjugate: ((p: TensorMap) => Noise) | undefined;
  /** Parameters and options by the names that its factory takes. */
  readonly toJSON: () => LikelihoodJSON;
}

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
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'kind') !== 'likelihood') return false;
  return typeof Reflect.get(value, 'name') === 'string' && typeof Reflect.get(value, 'parameters') === 'object';
}

/** Initial values of the functions for these observations, N×D, NaN where missing. */
export function functionsOf({ start }: Pick<Likelihood, 'start'>, { data, rows, columns }: Matrix): Matrix {
  const means = rowMeans({ data, rows, columns });
  return new Matrix(
    data.map((y, i) => (Number.isNaN(y) ? y : start(y, means[Math.floor(i / columns)]!))),
    rows,
    columns,
  );
}

/** Initial values of all functions side by side: the first as the observations say, the others 0. */
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
  { name, conjugate, density }: Pick<Likelihood, 'name' | 'conjugate' | 'density'>,
  changed: boolean,
): void {
  if (changed && conjugate === undefined) throw changedObservations(`likelihood '${name}'`);
  density.support?.check(Y, false);
}

/** Draws entry by entry, given functions, n×D, and scalar values or one per column. */
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

/** Functions that an observation depends on: one, n×D, or a list of several. */
export type Functions<Count extends number> = Count extends 1 ? Tensor2D : readonly Tensor2D[];

export interface LikelihoodDefinition<Name extends string, Options extends object = object, Count extends number = 1> {
  /** Name of the likelihood: letters and digits, starting with a letter. */
  readonly name: string;
  /** Default parameters; a bare number means `positive`. Their paths are `….likelihood.<name>`. Default none. */
  readonly parameters?: OwnParameters<Name>;
  /** Readers of options beside the parameters: each returns plain JSON, or throws an error whose message is a sentence. */
  readonly options?: { readonly [K in keyof Options]-?: (given: unknown) => Options[K] };
  /** Number of functions that each entry depends on, such as 2 for a mean and a deviation; default 1. */
  readonly functions?: Count;
  /** log p(y|f) of every entry, n×D, for y and f n×D (a list of them for several functions), with all constants. */
  logDensity(p: Readonly<Record<Name, Tensor>>, f: Functions<Count>, y: Tensor2D, options: Partial<Options>): Tensor2D;
  /** Draws every entry given f, n×D. Without it, Gaussian likelihoods draw from their moments. */
  sample?(p: Readonly<Record<Name, Tensor>>, f: Functions<Count>, random: Random, options: Partial<Options>): Tensor2D;
  /**
   * Mean and variance of an observation at known functions, for likelihoods of several functions; those of one use `moments`. What a process says of uncertain
   * functions is integrated by quadrature.
   */
  momentsAt?(p: Readonly<Record<Name, Tensor>>, f: Functions<Count>, options: Partial<Options>): ObservationMoments;
  /** Mean and variance of an observation y if f ~ N(mean, variance), n×D each, which predictions of observations need. */
  moments?(
    p: Readonly<Record<Name, Tensor>>,
    mean: Tensor2D,
    variance: Tensor2D,
    options: Partial<Options>,
  ): ObservationMoments;
  /** E[log p(y|f)] of every entry if f ~ N(mean, variance), in closed form. Without it, Gauss–Hermite quadrature is used. */
  expectation?(
    p: Readonly<Record<Name, Tensor>>,
    mean: Tensor2D,
    variance: Tensor2D,
    y: Tensor2D,
    options: Partial<Options>,
  ): Tensor2D;
  /** Initial value of f for an observation in a row of this mean (NaN if an entry is missing); default the observation itself. */
  start?(y: number, options: Partial<Options>, rowMean: number): number;
  /** Description of valid observations, such as 'a whole number from 0', for one that is not valid. */
  refuses?(y: number, options: Partial<Options>, rowMean: number): string | undefined;
}

const MEMBERS: Readonly<Record<keyof LikelihoodDefinition<string>, Member>> = {
  name: 'anything',
  parameters: 'anything',
  options: 'anything',
  logDensity: 'function',
  moments: 'function, if any',
  expectation: 'function, if any',
  start: 'function, if any',
  refuses: 'function, if any',
  functions: 'anything',
  sample: 'function, if any',
  momentsAt: 'function, if any',
};

/** Makes a likelihood; arguments replace default parameters or set options. */
export type LikelihoodFactory<Name extends string, Options extends object = object> = (
  overrides?: Overrides<Name, Options>,
) => Likelihood;

/** Members that only the library's Gaussian likelihood adds to a definition. */
interface Special<Name extends string, Options extends object> {
  readonly path: (name: Name) => string;
  conjugate?(
    p: Readonly<Record<Name, Tensor>>,
    own: Readonly<Record<Name, Parameter>>,
    options: Partial<Options>,
  ): Noise;
  check?(own: Readonly<Record<Name, Parameter>>, options: Partial<Options>): void;
}

/**
 * Defines a new likelihood from one function with tensor operations: the distribution of an observation given the function of a mapping.
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
>(definition: LikelihoodDefinition<Name, Options, Count>): LikelihoodFactory<Name, Options> {
  return likelihoodFactory(definition as unknown as LikelihoodDefinition<Name, Options>, {
    path: (name) => `likelihood.${name}`,
  });
}

/** `defineLikelihood` for built-in likelihoods, which may be conjugate and have other paths. */
export function likelihoodFactory<Name extends string, Options extends object = object>(
  definition: LikelihoodDefinition<Name, Options>,
  { path, conjugate, check }: Special<Name, Options>,
): LikelihoodFactory<Name, Options> {
  const { name, parameters = {} as OwnParameters<Name> } = checkDefinition(definition, 'defineLikelihood');
  checkName(name, 'A likelihood');
  checkMembers(definition, 'defineLikelihood', MEMBERS);
  const owner = `Likelihood '${name}'`;
  const functions: number = definition.functions ?? 1;
  if (!Number.isInteger(functions) || functions < 1) {
    throw new InvalidInputError(
      `${owner} takes a whole number of functions from 1, but ${describe(definition.functions)} was given.`,
    );
  }
  const names = Object.keys(parameters) as Name[];
  const readers = (definition.options ?? {}) as Record<string, (given: unknown) => unknown>;

  const make = (given: Readonly<Record<string, unknown>> = {}): Likelihood => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw new InvalidInputError(`${owner} takes an object of parameters, but ${describe(given)} was given.`);
    }
    const overrides: Partial<Record<Name, ParameterLike>> = {};
    const chosen: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(given)) {
      if (value === undefined) continue;
      if (Object.hasOwn(readers, key)) chosen[key] = readers[key]!(value);
      else if (names.includes(key as Name)) overrides[key as Name] = value as ParameterLike;
      else throw unknownName('parameter', key, [...names, ...Object.keys(readers)], owner);
    }
    const options = Object.freeze(chosen) as Partial<Options>;
    const own = overriddenParameters(owner, parameters, overrides);
    check?.(own, options);
    const paths = names.map(path);
    const values = (p: TensorMap) =>
      Object.fromEntries(names.map((key, i) => [key, p[paths[i]!]!])) as Record<Name, Tensor>;
    const split = (f: Tensor2D) => splitColumns(f, functions);
    const momentsAt =
      definition.momentsAt &&
      ((p: TensorMap, f: Tensor2D) => definition.momentsAt!(values(p), split(f) as Tensor2D, options));
    const likelihood: Omit<Likelihood, 'density'> = {
      kind: 'likelihood',
      name,
      functions,
      parameters: Object.freeze(Object.fromEntries(names.map((key) => [path(key), own[key]]))),
      logDensity: (p, f, y) => definition.logDensity(values(p), split(f) as Tensor2D, y, options),
      moments: (p, mean, variance) => {
        if (definition.moments !== undefined) return definition.moments(values(p), mean, variance, options);
        const { expected, observed } = expectedMoments(owner, likelihood, p, mean, variance);
        return { mean: expected.mean, variance: op.add(expected.variance, observed) };
      },
      ...(momentsAt && { momentsAt }),
      ...(definition.expectation && {
        expectation: (p: TensorMap, mean: Tensor2D, variance: Tensor2D, y: Tensor2D) =>
          definition.expectation!(values(p), mean, variance, y, options),
      }),
      start: (y, rowMean) => definition.start?.(y, options, rowMean) ?? y,
      refuses: (y, rowMean) => definition.refuses?.(y, options, rowMean),
      conjugate: conjugate && ((p) => conjugate(values(p), own, options)),
      toJSON: () => ({
        likelihood: name,
        parameters: Object.fromEntries(names.map((key) => [key, parameterToJSON(own[key])])),
        ...(Object.keys(options).length > 0 && { options }),
      }),
    };
    const density = likelihoodDensity(likelihood, {
      isBounded: definition.refuses !== undefined,
      ...(definition.sample && {
        sample: (p, f, random) => definition.sample!(values(p), split(f) as Tensor2D, random, options),
      }),
    });
    return Object.freeze<Likelihood>({ ...likelihood, density });
  };
  return make as LikelihoodFactory<Name, Options>;
}

/** Functions that stand side by side, in the form that a definition takes them. */
function splitColumns(f: Tensor2D, functions: number): Tensor2D | readonly Tensor2D[] {
  if (functions === 1) return f;
  const columns = f.shape[1] / functions;
  return Array.from({ length: functions }, (_, k) => op.slice<Tensor2D>(f, [0, k * columns], [-1, columns]));
}

const momentsOf = (rows: Tensor2D | op.GaussianRows): op.GaussianRows =>
  'variance' in rows ? rows : { mean: rows, variance: op.zerosLike(rows) };

interface OwnSampling {
  /** True if some observations are refused. */
  readonly isBounded: boolean;
  readonly sample?: (p: TensorMap, f: Tensor2D, random: Random) => Tensor2D;
}

/** A likelihood as the density of an observed variable given its functions: `observed(Y, { density: poisson(), given: f })`. */
function likelihoodDensity(likelihood: Omit<Likelihood, 'density'>, { isBounded, sample }: OwnSampling): Density {
  const { name, functions, parameters, momentsAt } = likelihood;
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
  const columnsOf = ([f]: readonly Tensor2D[]) => f!.shape[1] / functions;
  const entries = (p: TensorMap, { value, given, present }: Rows) => {
    const own = likelihood.logDensity(p, functionsIn(given, value.shape[1]), value);
    const [n, D] = value.shape;
    if (own?.rank !== 2 || own.shape[0] !== n || own.shape[1] !== D) {
      throw new InvalidInputError(
        `The log density of ${owner} must have one number for each of the ${n}×${D} entries of y, but ${own?.shape === undefined ? describe(own) : `a tensor of shape [${own.shape}]`} was returned.`,
      );
    }
    return op.sum<Tensor1D>(present === undefined ? own : op.mul(present, own), 1);
  };
  const moments = (p: TensorMap, given: readonly Tensor2D[]) => {
    const f = functionsIn(given, columnsOf(given));
    return momentsAt === undefined ? likelihood.moments(p, f, op.zerosLike(f)) : momentsAt(p, f);
  };
  return Object.freeze<Density>({
    kind: 'density',
    name,
    functions,
    normalized: true,
    exact: true,
    centered: false,
    takesMissing: true,
    independent: true,
    parameters: () => parameters,
    functionStart: (Y) => startedFunctions(likelihood, Y),
    ...(isBounded && { support: observationSupport(`likelihood '${name}'`, likelihood.refuses) }),
    logDensity: entries,
    ...(functions === 1 && {
      gaussian: {
        // A Gaussian density is symmetric in the observation and the function, so either may be uncertain.
        ...(likelihood.conjugate === undefined && { over: 'given' as const }),
        expected: (p: TensorMap, { value, given, present }: Rows<Tensor2D | op.GaussianRows>) => {
          const [y, f] = [momentsOf(value), momentsOf(given[0]!)];
          functionsIn([f.mean], y.mean.shape[1]);
          const own = expectedLogDensity(likelihood, p, f.mean, op.add<Tensor2D>(f.variance, y.variance), y.mean);
          return op.sum<Tensor1D>(present === undefined ? own : op.mul(present, own), 1);
        },
      },
    }),
    condition: (p) => ({
      logPredictive: (rows) => entries(p, rows),
      moments: (given) => {
        const { mean, variance } = moments(p, given);
        return { mean, variance: op.zerosLike(mean), noise: variance };
      },
      ...(sample && {
        sample: (given: readonly Tensor2D[], random: Random) => sample(p, functionsIn(given, columnsOf(given)), random),
      }),
    }),
    ...((sample || likelihood.conjugate) && {
      sample: (p: TensorMap, random: Random, [n, D]: readonly [number, number], given: readonly Tensor2D[]) => {
        if (sample !== undefined) return sample(p, functionsIn(given, D), random);
        const { mean, variance } = moments(p, given);
        return op.add<Tensor2D>(mean, op.mul(op.sqrt(variance), normalEntries(random, n, D)));
      },
    }),
  });
}
