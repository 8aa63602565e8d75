import { InvalidInputError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkGiven, givenOptions, readGiven, unknownName } from '../core/options.ts';
import { knnGraph } from '../engine/graph/index.ts';
import type { KnownRows } from '../inference/fit/knownRows.ts';
import { parseKernel } from '../kernels/index.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { Likelihood } from '../model/entrywise/likelihood.ts';
import type { AnyModel } from '../model/model.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { builtInLikelihoods } from '../model/parameterJson.ts';
import {
  discriminative,
  dynamics,
  laplacian,
  locality,
  markov,
  type Prior,
  rank,
  standardNormal,
  tsneNeighbors,
  umapNeighbors,
} from '../priors/index.ts';
import { type NamedModel, namedModels } from './catalog.ts';
import { covariates } from './gp/covariates.ts';
import type { OwnParts } from './ownParts.ts';

/** Options of a model that JSON can express. */
export type ModelOptions = Readonly<Record<string, unknown>> & { readonly latentDim?: number };

/** Rows of a model, for parts that depend on them. */
interface Rows {
  readonly observations: Matrix;
  readonly labels: readonly string[] | undefined;
}

/**
 * Options of `describedModel` with the covariates and the offset of its rows.
 *
 * @param options - other options
 * @param known - `given`, N×p, and `offset`, N×1, as far as there are any; see `knownRowsOf`
 * @throws InvalidInputError for anything else
 * @example
 * ```ts
 * withKnownRows({ latentDim: 2 }, { given: Matrix.from([[0], [1]]) }); // { latentDim: 2, given: [[0], [1]] }
 * ```
 */
export function withKnownRows(options: ModelOptions, known: KnownRows = {}): ModelOptions {
  const isRows = (own: unknown) => own === undefined || own instanceof Matrix;
  const expected = 'the rows of knownRowsOf';
  checkGiven(known, 'withKnownRows', expected, (own) => typeof own === 'object' && own !== null);
  const { given, offset } = readGiven('The known rows', () => ({ given: known.given, offset: known.offset }));
  for (const own of [given, offset]) checkGiven(own, 'withKnownRows', expected, isRows);
  return {
    ...options,
    ...(given && { given: given.toArrays() }),
    ...(offset && { offset: Array.from(offset.data) }),
  };
}

/** Options of a model or prior, with JSON descriptions replaced by kernels, parameters and priors. */
function withParts(options: Readonly<Record<string, unknown>>, own: OwnParts, rows: Rows): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => {
      const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
      return [name, read === undefined ? value : read(value, name, own, rows)];
    }),
  );
}

/** Readers of options that are not plain JSON; all other options are validated by the model. */
const READERS: Readonly<Record<string, (given: unknown, name: string, own: OwnParts, rows: Rows) => unknown>> = {
  kernel: (given, _, own) => kernelOf(given, own),
  // For mpme: 'squared', 'plain', or the distances of a kernel.
  distances: (given, _, own) => (given === 'squared' || given === 'plain' ? given : kernelOf(given, own)),
  noise: parameterOf,
  strength: (given, name) => (given === 'auto' || given === 'validate' ? given : parameterOf(given, name)),
  beta: parameterOf,
  precision: parameterOf,
  coefficient: parameterOf,
  variance: parameterOf,
  priors: (given, _, own, rows) => priorsOf(given, own, rows),
  likelihood: (given, _, own, rows) => likelihoodOf(given, own, rows),
  dynamics: (given, _, own, rows) => (isObject(given) ? withParts(given, own, rows) : given),
  backConstraint: (given, _, { maps = {} }) => {
    if (typeof given === 'string') return Object.hasOwn(maps, given) ? maps[given]!() : given;
    const own = Object.keys(maps).map((name) => `, or '${name}'`);
    throw new InvalidInputError(
      `Option 'backConstraint' must be 'kernel', 'mlp' or 'linear'${own.join('')}, but ${JSON.stringify(given)} was given.`,
    );
  },
  given: (given) => covariates(given as MatrixLike),
  posterior: () => {
    throw new InvalidInputError("The option 'posterior' has no form in JSON. Use init, backConstraint and dynamics.");
  },
};

/** Kernel from text: "rbf(lengthscale=[1,2]) + bias(0.1)". */
function kernelOf(given: unknown, { kernels }: OwnParts): Kernel {
  if (typeof given === 'string') return parseKernel(given, kernels);
  throw new InvalidInputError(
    `A kernel is given as a text, such as "rbf(lengthscale=2) + bias", but ${JSON.stringify(given)} was given.`,
  );
}

/** Parameter from JSON: a number, a list of numbers, or { "fixed": number }. */
function parameterOf(given: unknown, name: string): ParameterLike {
  if (isNumeric(given)) return given;
  if (isObject(given) && isNumeric(given.fixed) && Object.keys(given).length === 1) return fixed(given.fixed);
  throw new InvalidInputError(
    `Parameter '${name}' must be a number, a list of numbers, or { "fixed": number }, but ${JSON.stringify(given)} was given.`,
  );
}

/** Priors that JSON can describe. */
const PRIORS: Readonly<Record<string, (options: Readonly<Record<string, unknown>>, rows: Rows) => Prior>> = {
  standardNormal: (options) => standardNormal(options as Record<string, ParameterLike>),
  dynamics,
  markov,
  locality: ({ neighbors = 7, ...options }) => locality(neighbors as number, options),
  rank,
  tsne: tsneNeighbors,
  umap: umapNeighbors,
  laplacian: ({ neighbors = 7, ...options }, { observations }) =>
    laplacian(knnGraph(observations, neighbors as number), options),
  discriminative: (options, { labels }) => {
    if (labels !== undefined) return discriminative(labels, options);
    throw new InvalidInputError("The prior 'discriminative' takes labels. Give `labels`, one for each row.");
  },
};

function priorsOf(given: unknown, own: OwnParts, rows: Rows): Prior[] {
  if (Array.isArray(given)) return given.map((prior) => priorOf(prior, own, rows));
  throw new InvalidInputError(`Option 'priors' must be a list, such as ["standardNormal"] or [].`);
}

/** Prior from JSON: "standardNormal", or a name with options, { "prior": "rank", "strength": 10 }. */
function priorOf(given: unknown, own: OwnParts, rows: Rows): Prior {
  const { prior, ...options } = isObject(given) ? given : { prior: given };
  const factories = { ...PRIORS, ...own.priors } as typeof PRIORS;
  const factory = typeof prior === 'string' && Object.hasOwn(factories, prior) ? factories[prior] : undefined;
  if (factory !== undefined) return factory(withParts(options, own, rows), rows);
  throw new InvalidInputError(
    `${JSON.stringify(given)} is not a prior. Give a name, or { "prior": name } with its options. Known are ${Object.keys(factories).join(', ')}.`,
  );
}

/** Likelihood from JSON: "gaussian", or a name with options, { "likelihood": "gaussian", "variance": [0.1, 0.5] }. */
function likelihoodOf(given: unknown, own: OwnParts, rows: Rows): Likelihood {
  const { likelihood, ...options } = isObject(given) ? given : { likelihood: given };
  const factories = { ...builtInLikelihoods, ...own.likelihoods };
  const known = typeof likelihood === 'string' && Object.hasOwn(factories, likelihood);
  if (known) return factories[likelihood]!(withParts(options, own, rows));
  throw new InvalidInputError(
    `${JSON.stringify(given)} is not a likelihood. Give a name, or { "likelihood": name } with its options. Known are ${Object.keys(factories).join(', ')}.`,
  );
}

const isNumeric = (given: unknown): given is number | number[] =>
  typeof given === 'number' || (Array.isArray(given) && given.every((entry) => typeof entry === 'number'));

const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

/**
 * Builds a model from its name and JSON options, with kernels as text ("rbf(lengthscale=[1,2]) + bias"), parameters as numbers, lists or { "fixed":
 * number }, and priors and likelihoods by name. Used by the command line and by sweeps.
 *
 * @param name - a name of `namedModels`, or of a custom model
 * @param observations - N×D
 * @param labels - N labels, '' if missing; ignored by models without labels
 * @param options - options of the model as JSON, including `latentDim`
 * @param own - custom parts
 * @throws InvalidInputError for an unknown model, missing labels, and invalid options
 * @example
 * ```ts
 * describedModel('gplvm', Matrix.from(Y), undefined, { latentDim: 2, kernel: 'rbf + bias' });
 * ```
 */
export function describedModel(
  name: string,
  observations: Matrix,
  labels: readonly string[] | undefined,
  options: ModelOptions,
  own: OwnParts = {},
): AnyModel {
  const kind = kindOf(name, own);
  if (kind.takesLabels && labels === undefined) {
    throw new InvalidInputError(`The model '${name}' takes labels. Give \`labels\`, one for each row.`);
  }
  return kind.make(observations, labels, withParts(options, own, { observations, labels }));
}

/**
 * Looks up a model by name.
 *
 * @throws InvalidInputError for an unknown name
 */
export function kindOf(name: string, own: OwnParts = {}): NamedModel {
  checkGiven(name, 'kindOf', 'the name of a model', (given) => typeof given === 'string');
  const { models = {} } = givenOptions(own, 'kindOf');
  if (Object.hasOwn(models, name)) return { takesLabels: false, make: ownModel(models[name]!) };
  const kind = Object.hasOwn(namedModels, name) ? namedModels[name] : undefined;
  if (kind !== undefined) return kind;
  throw unknownName('model', name, [...Object.keys(namedModels), ...Object.keys(models)], 'latentfield');
}

/** Model from a custom factory. A factory of `defineModel` accepts the observations; a wrapped one may also accept options and labels. */
const ownModel =
  (factory: unknown): NamedModel['make'] =>
  (observations, labels, options) =>
    (factory as (Y: unknown, options: object, labels: unknown) => AnyModel)(observations, options, labels);
