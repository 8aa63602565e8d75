import * as v from 'valibot';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { checkOptions, integerFromOne, isPart } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { copiesNote } from '../../core/rowMatrices.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { type RadialSumNames, radialSumOf } from '../../kernels/structure.ts';
import { isLatentDistribution } from '../../latents/latentDistribution.ts';
import { type Latents, latentsOf } from '../../latents/latents.ts';
import { free } from '../../latents/pointLatents.ts';
import { denseCurvature } from '../../model/denseCurvature.ts';
import { madeHere } from '../../model/givenModel.ts';
import { normalEntries } from '../../model/jointDraw.ts';
import type { Density, DensityStart } from '../../model/language/density.ts';
import { variablesPosterior } from '../../model/language/derived.ts';
import type { Places } from '../../model/language/graph.ts';
import { latent } from '../../model/language/latent.ts';
import { observed, type Variable } from '../../model/language/variable.ts';
import { type NamedVariables, variablesModel } from '../../model/language/variablesModel.ts';
import { noiseNote } from '../../model/leastNoise.ts';
import type { AnyModel, FreeEntries, Model, ModelJSON, ParameterValues, Search, StartKind } from '../../model/model.ts';
import { entriesOf, type Parameter } from '../../model/parameter.ts';
import type { Curvature } from '../../model/solver.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { priorToJSON } from '../../priors/priorToJson.ts';
import { processHessian } from '../../processes/curvature/processHessian.ts';
import {
  type DistributedViewsModel,
  type DistributedViewsOptions,
  distributedParts,
  hasDistributions,
} from './distributedViews.ts';
import type { MappedModel, ViewedModel } from './gpModel.ts';
import { startValues } from './startKinds.ts';
import {
  type FamilyParts,
  type FamilyView,
  type KernelsByView,
  madeViews,
  pathOf,
  type ViewOptions,
  type ViewsOptions,
  viewEntries,
} from './views.ts';

/** Most entries of latents whose Hessian costs less than the evaluations that it saves. */
const MOST_CURVED = 600;

/**
 * The search of a model whose latents X have a field over them, found anew at every X. Its objective falls slowly at first and fast at the end: only
 * its gradient shows where that is. Neighbors' rows are moved together by L-BFGS; where all second derivatives are known, Newton's method follows.
 */
function searchOnGraph(model: FamilyParts): Search {
  const { latents, priors, views, observations, latentDim: columns } = model;
  const graph = priors.find(({ prior }) => prior.graph !== undefined)?.prior.graph;
  if (graph === undefined) return {};
  const parameters = [...views.map(({ process }) => process), ...priors.map(({ prior }) => prior)].flatMap(
    (part): Parameter[] => Object.values(part.parameters),
  );
  const isBounded = parameters.some(({ free, support }) => free && support === 'box');
  const areRows = latents.name === 'free' && priors.every(({ prior }) => prior.restrict === undefined);
  if (isBounded || !areRows || graph.size !== observations.rows) return { relativeDecrease: 0 };
  const size = observations.rows * columns;
  const isCurved = size <= MOST_CURVED && familyCurvature(model) !== undefined;
  const solver = async () => {
    const { graphSolver } = await import('../../inference/solvers/smoothedNewton.ts');
    // Latents are the first of the variables.
    return graphSolver({ start: 0, columns, graph }, isCurved);
  };
  return { relativeDecrease: 0, solver };
}

/** The curvature of a model's objective in its natural values. */
type FamilyCurvature = (values: ParameterValues, entries: FreeEntries) => Curvature;

/**
 * The curvature of minus the log density of a model with free latents, views of complete observations with one radial kernel, constants and white
 * noises, and priors that know their Hessian; undefined for another. Parameters must have no priors of their own.
 */
function familyCurvature({
  latents,
  views,
  priors,
  observations,
  latentDim,
}: FamilyParts): FamilyCurvature | undefined {
  if (latents.name !== 'free') return undefined;
  if (priors.some(({ prior }) => prior.hessian === undefined || prior.restrict !== undefined)) return undefined;
  const radial = views.map(radialView);
  if (!radial.every((view) => view !== undefined)) return undefined;
  const prepared = lazily(() => priors.map(({ prior }) => prior.prepare?.(startOf(observations, latentDim))));
  return (values, entries) => {
    const X = values.latents as Matrix;
    const H = new Float64Array(entries.size * entries.size);
    for (const view of radial) addView(H, view, values, X, entries);
    const start = entries.starts.get('latents')!;
    priors.forEach((placed, k) => {
      const path = `${pathOf(placed)}.`;
      const own = Object.entries(values).filter(([name]) => name.startsWith(path));
      const p = Object.fromEntries(own.map(([name, value]) => [name.slice(path.length), value]));
      addBlock(H, placed.prior.hessian!(p, X, prepared()[k]), X.data.length, start, entries.size);
    });
    return denseCurvature(
      H.map((entry) => -entry),
      entries.size,
    );
  };
}

/** The latents of a model as a prior of them sees them before the fit. */
const startOf = (observations: Matrix, columns: number): DensityStart => ({
  variable: LATENTS,
  rows: observations.rows,
  columns,
  givenColumns: [],
  given: [],
  data: undefined,
  observations,
  isOnChart: false,
  seed: 0,
  batched: false,
});

/** A view whose covariance is one radial kernel with offsets, and its complete observations. */
interface RadialView {
  readonly path: string;
  readonly names: RadialSumNames;
  readonly Y: Matrix;
}

function radialView({ path, process, patterns }: FamilyView): RadialView | undefined {
  if (process.parameters.inducing !== undefined) return undefined;
  const { kernel, likelihood, parameters } = process;
  const [pattern, ...more] = patterns;
  const names = radialSumOf(kernel);
  const isPlain = Object.values(parameters).every(({ prior, support }) => prior === undefined && support !== 'box');
  if (names === undefined || !isPlain || more.length > 0 || likelihood.conjugate === undefined) return undefined;
  if (typeof parameters.noise?.initial !== 'number') return undefined;
  return { path, names, Y: pattern!.observations };
}

/** Adds the Hessian of a view's log density where its variables are. */
function addView(
  H: Float64Array,
  { path, names, Y }: RadialView,
  values: ParameterValues,
  X: Matrix,
  { size, starts }: FreeEntries,
): void {
  const at = (name: string) => `${path}.${name}`;
  const kernel = (name: string) => at(`kernel.${name}`);
  const sum = (paths: readonly string[]) => paths.reduce((total, name) => total + (values[name] as number), 0);
  const constants = names.constants.map(kernel);
  const whites = [...names.whites.map(kernel), at('noise')];
  const lengthscales = entriesOf(values[kernel(names.lengthscale)]!);
  const own = processHessian(
    {
      profile: names.profile,
      variance: sum([kernel(names.variance)]),
      lengthscales,
      constant: sum(constants),
      noise: sum(whites),
    },
    X,
    Y,
  );
  const n = X.data.length;
  const L = lengthscales.length;
  const places: [own: number, place: number][] = [];
  const put = (name: string, first: number, count: number) => {
    const start = starts.get(name);
    for (let i = 0; start !== undefined && i < count; i++) places.push([first + i, start + i]);
  };
  put('latents', 0, n);
  put(kernel(names.variance), n, 1);
  put(kernel(names.lengthscale), n + 1, L);
  for (const name of constants) put(name, n + 1 + L, 1);
  for (const name of whites) put(name, n + 2 + L, 1);
  const width = n + 3 + L;
  for (const [a, i] of places) for (const [b, j] of places) H[i * size + j]! += own[a * width + b]!;
}

function addBlock(H: Float64Array, own: Float64Array, n: number, start: number, size: number): void {
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) H[(start + i) * size + start + j]! += own[i * n + j]!;
}

/** The prior of latents that are distributions: N(0, I), without parameters. Of Gaussian rows KL(q‖p) = ½·Σ_nd (μ² + s − log s − 1). */
export const unitNormal: Density = Object.freeze<Density>({
  kind: 'density',
  name: 'standardNormal',
  normalized: true,
  exact: true,
  centered: false,
  takesMissing: false,
  independent: true,
  parameters: () => ({}),
  logDensity: (_, { value }) =>
    op.mul<Tensor1D>(-0.5, op.add(op.sum(op.square(value), 1), value.shape[1] * log(2 * Math.PI))),
  sample: (_, random, shape) => normalEntries(random, ...shape),
  divergence: (_, { mean, variance }) =>
    op.mul<Tensor2D>(0.5, op.sub(op.add(op.square(mean), variance), op.add(op.log(variance), 1))),
});

/** Parts of a model beside its views. */
export interface LatentOptions<Priors extends readonly Prior[] = readonly Prior[]> {
  /** q, from 1. */
  readonly latentDim: number;
  /** The latents; default `free()`. */
  readonly latents?: Latents | undefined;
  /** Priors on the latents; default none. */
  readonly priors?: Priors | undefined;
}

/** Options of a model with one view of the points. */
export interface LatentVariableModelOptions<Priors extends readonly Prior[] = readonly Prior[]>
  extends LatentOptions<Priors>,
    ViewOptions {}

/** Options of a model with several views of the points, by name. */
export interface ViewsModelOptions<
  Kernels extends KernelsByView = KernelsByView,
  Priors extends readonly Prior[] = readonly Prior[],
> extends LatentOptions<Priors> {
  readonly views: ViewsOptions<Kernels>;
}

/** The options that every model of the family takes, for messages. */
export const OPTION_NAMES = [
  'latentDim',
  'latents',
  'kernel',
  'noise',
  'likelihood',
  'priors',
  'missing',
  'center',
  'scale',
  'inducing',
  'jitter',
] as const;

const latentEntries = {
  latentDim: integerFromOne,
  latents: v.optional(
    v.custom<Latents>(
      (value) => isPart(value, 'latents', ['parameters', 'features', 'apply']),
      'latents, such as free()',
    ),
  ),
  priors: v.optional(
    v.array(v.custom<Prior>((value) => isPart(value, 'density', ['logDensity']), 'a prior, such as standardNormal()')),
  ),
};
const schema = v.strictObject({ ...latentEntries, ...viewEntries });
const viewsSchema = v.strictObject({ ...latentEntries, views: v.record(v.string(), v.any()) });

/**
 * A Gaussian-process latent variable model from its parts: Y = f(X) + noise, every column of f a Gaussian process of the latents
 * X, priors on X, and X free or a function of Y. Its log density is log p(Y|X) + Σ log p(X) with
 * log p(Y|X) = −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ), K = k(X, X) + σ²I.
 *
 * With `views` each point is seen several times, `log p(Y_a|X) + log p(Y_b|X) + …`: paths are then `views.a.kernel…`, `views.a.noise`, terms are
 * called as the views are, and fits `predict(X, { view: 'a' })`, `project({ a: Y })`, `translate({ a: Y }, 'b')`.
 *
 * With `inducing` every view goes through M inducing inputs, and its term is a bound of log p(Y|X) (Titsias 2009), exact where they are the
 * latents: for any kernel, prior and form of latents, at cost O(N·M·(M + D)).
 *
 * With several views, `latents` may be `gaussianLatents()` or `encoded(map)`: the latents are then integrated out, and what is maximized is the sum of the
 * views' bounds less the divergence of the latents from a standard normal prior, as in `bayesianGplvm`.
 *
 * Paths: `latents…`, `mapping.kernel.<name>.<parameter>`, `mapping.noise`, `mapping.inducing`, `priors.<name>.<parameter>`.
 *
 * @param options - see {@link LatentVariableModelOptions}, or {@link ViewsModelOptions} for several views
 * @returns a model for `fit` and `evaluate`; nothing is fitted yet
 * @throws InvalidInputError for an unknown option, or observations that are not a matrix of finite numbers with ≥ 2 rows
 * @see Lawrence 2005, §2–3; Titsias 2009
 * @example
 * ```ts
 * const model = latentVariableModel({
 *   observations: Y,
 *   latentDim: 2,
 *   kernel: add(rbf(), bias()),
 *   priors: [standardNormal()],
 * });
 * const result = await fit(model, { maxIterations: 200 });
 *
 * const views = {
 *   pose: { observations: Y, kernel: rbf() },
 *   picture: { observations: pixels, kernel: rbf(), likelihood: gaussian({ variance: 0.1 }) },
 * };
 * const shared = await fit(latentVariableModel({ latentDim: 2, views, priors: [standardNormal()] }));
 * (await shared.translate({ pose: Y.slice(0, 1) }, 'picture')).mean;
 * ```
 */
export function latentVariableModel<const Priors extends readonly Prior[] = readonly [], K extends Kernel = Kernel>(
  options: LatentVariableModelOptions<Priors> & { readonly kernel: K },
): MappedModel<Priors, undefined, K>;
export function latentVariableModel<Kernels extends KernelsByView, const Priors extends readonly Prior[] = readonly []>(
  options: ViewsModelOptions<Kernels, Priors>,
): ViewedModel<Kernels, Priors>;
export function latentVariableModel<Kernels extends KernelsByView>(
  options: DistributedViewsOptions<Kernels>,
): DistributedViewsModel<Kernels>;
export function latentVariableModel(
  options: LatentVariableModelOptions | ViewsModelOptions | DistributedViewsOptions,
): AnyModel {
  return namedModel('latentVariableModel', options);
}

/** `latentVariableModel` under another name: the named models are assemblies of its options. */
export function namedModel(
  name: string,
  options: LatentVariableModelOptions | ViewsModelOptions | DistributedViewsOptions,
): Model {
  if (hasDistributions(options)) return assembledFamily(name, distributedParts(name, options));
  const { views, ...given } = givenOptions(name, options);
  const { latentDim, latents = free(), priors = [] } = given;
  if (priors.filter(({ field }) => field !== undefined).length > 1) {
    throw new InvalidInputError(
      `${name} was given several priors that are random fields over the points. Constraints hold together in one field only: put all sets in expect of ` +
        'one maxEntropy({ expect: { … } }).',
    );
  }
  const areTied = latents.name === 'fixedAt' || priors.some(({ independent }) => independent !== true);
  const made = madeViews(name, views, latentDim, latents, areTied);
  const placed = (prior: Prior, i: number) => ({ name: priorName(made.views, priors.slice(0, i + 1)), prior });
  return assembledFamily(name, { ...made, latentDim, latents, priors: priors.map(placed) });
}

/** The name of the last of some priors: the second of a name has a 2, and so on. */
function priorName(views: FamilyParts['views'], priors: readonly { readonly name: string }[]): string {
  const { name } = priors[priors.length - 1]!;
  const isTaken = views.some(({ term }) => term === name);
  const number = priors.filter((other) => other.name === name).length + (isTaken ? 1 : 0);
  return number === 1 ? name : `${name}${number}`;
}

function givenOptions(name: string, options: LatentVariableModelOptions | ViewsModelOptions) {
  if (options === null || typeof options !== 'object' || !('views' in options)) {
    const { latentDim, latents, priors, ...view } = checkOptions(schema, options, name);
    return { latentDim, latents, priors, views: { '': view as ViewOptions } };
  }
  const given = checkOptions(viewsSchema, options, name);
  if (Object.keys(given.views).length > 0) return { ...given, views: given.views as Record<string, ViewOptions> };
  throw new InvalidInputError(
    `${name} needs at least one view, such as views: { pose: { observations: Y, kernel: rbf() } }.`,
  );
}

/** The variable of the latents, and the beginning of their paths. */
const LATENTS = 'latents';

/** The term of what is lost to the divergences of distributions, of latents and of inducing variables. */
const DIVERGENCE = 'divergence';

/** The family as variables: X ~ its priors, N(0, I) where it is integrated out, and each view a process of X. */
function variablesOf({ views, latentDim, latents, priors }: FamilyParts): Record<string, Variable> {
  const density = isLatentDistribution(latents) ? unitNormal : undefined;
  const X = latent({ dim: latentDim, density, posterior: latents, factors: priors.map(({ prior }) => prior) });
  const seen = views.map(({ term, raw, seenAs, standardization, process }) => {
    const variable = observed(raw, { density: process, given: X, ...seenAs });
    return [term, standardization === undefined ? variable : Object.freeze({ ...variable, standardization })];
  });
  return { [LATENTS]: X, ...Object.fromEntries(seen) };
}

function placesOf({ views, latents, priors }: FamilyParts): Places {
  const isSpread = isLatentDistribution(latents);
  return (variable, factor, number) => {
    if (factor === undefined) {
      const path = views.find(({ term }) => term === variable)?.path ?? variable;
      return { path, term: variable, divergence: isSpread ? DIVERGENCE : variable };
    }
    const placed = priors.filter(({ prior }) => prior.name === factor)[number! - 1]!;
    return { path: pathOf(placed), term: placed.name };
  };
}

/** The model of these parts, whose JSON is its definition. */
export function assembledFamily(
  name: string,
  parts: FamilyParts,
  toJSON: () => ModelJSON = () => familyJSON(name, parts),
): Model {
  const definition: NamedVariables<FamilyParts> = {
    name,
    variables: variablesOf,
    places: placesOf(parts),
    curvature: familyCurvature,
    note: notesOf,
    search: searchOnGraph,
    startAt: startedElsewhere,
  };
  return madeHere(variablesModel(definition, parts, toJSON, variablesPosterior));
}

/** Sentences about the columns, rows and noise of views. */
const notesOf = ({ views }: FamilyParts, values: ParameterValues): string =>
  views
    .map(({ note = '', path, process, raw }) => {
      const { parameters } = process.likelihood;
      const copies = parameters.noise === undefined ? '' : copiesNote(raw);
      return note + copies + noiseNote(parameters, (name) => values[`${path}.${name}`]);
    })
    .join('');

function familyJSON(name: string, { views, latentDim, latents, priors }: FamilyParts): ModelJSON {
  return {
    model: 'latentVariableModel',
    name,
    latentDim,
    latents: latents.toJSON(),
    priors: priors.map(({ prior }) => priorToJSON(prior)),
    ...(views[0]!.name === undefined
      ? views[0]!.toJSON()
      : { views: Object.fromEntries(views.map((view) => [view.name, view.toJSON()])) }),
  };
}

/** Values of the latents, and of what starts at some of them. */
async function startedElsewhere(
  kind: Exclude<StartKind, 'model'>,
  { latents, observations, latentDim, views }: FamilyParts,
  seed: number,
): Promise<() => ParameterValues> {
  const valuesThere = await startValues(latents, kind, observations, latentDim, seed);
  return () => {
    const values = valuesThere();
    const sparse = views.filter(({ inducingAt }) => inducingAt !== undefined);
    if (sparse.length === 0 || isLatentDistribution(latents)) return values;
    const start = latentsOf(latents, values, observations, observations);
    return {
      ...values,
      ...Object.fromEntries(sparse.map((view) => [`${view.path}.inducing`, view.inducingAt!(start)])),
    };
  };
}
