import * as v from 'valibot';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { checkOptions, integerFromOne, isPart, readGiven } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { columnsByName, joinedColumns } from '../../core/rowMatrices.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { isLatentDistribution } from '../../latents/latentDistribution.ts';
import type { DistributedViewed } from '../../model/abilities.ts';
import { madeHere } from '../../model/givenModel.ts';
import { type Initialization, initialLatents } from '../../model/initialization.ts';
import { normalEntries } from '../../model/jointDraw.ts';
import type { Density } from '../../model/language/density.ts';
import { variablesPosterior } from '../../model/language/derived.ts';
import { latent } from '../../model/language/latent.ts';
import type { Observations } from '../../model/language/observations.ts';
import {
  type DistributedRows,
  type LatentVariable,
  type ObservedVariable,
  observed,
  type PointRows,
  type Variable,
} from '../../model/language/variable.ts';
import { variablesModel } from '../../model/language/variablesModel.ts';
import type { AnyModel, Model, ModelJSON, Search } from '../../model/model.ts';
import { valueTensors } from '../../model/part.ts';
import { imputed } from '../../model/posterior.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { priorToJSON } from '../../priors/priorToJson.ts';
import type { Covariates } from './covariates.ts';
import type { DistributedViewPaths, MappedModel, ViewedModel } from './gpModel.ts';
import { familyCurvature, type SearchedModel, searchOnGraph } from './graphSearch.ts';
import {
  checkedView,
  checkRows,
  entriesOf,
  type KernelsByView,
  type MadeProcess,
  type ProcessSetting,
  pointProcess,
  rowsProcess,
  type ViewOptions,
  type ViewsOptions,
  viewEntries,
  viewToJSON,
} from './process.ts';

/** Prior N(0, I) of latent distributions, without parameters. For Gaussian rows KL(q‖p) = ½·Σ_nd (μ² + s − log s − 1). */
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
  gaussian: {
    divergence: (_, { mean, variance }) =>
      op.mul<Tensor2D>(0.5, op.sub(op.add(op.square(mean), variance), op.add(op.log(variance), 1))),
  },
});

/** Parts of a model other than its views. */
export interface LatentOptions<Priors extends readonly Prior[] = readonly Prior[]> {
  /** Number of latent dimensions q, from 1. */
  readonly latentDim: number;
  /** Inference of the latents: free points ('point', the default), `fixedAt(X)`, or `backConstrained(map)`. */
  readonly posterior?: 'point' | PointRows | undefined;
  /** Initial values of free points: 'pca' (the default), 'tsne', an N×q matrix, or anything with N×q `latents`, scaled to unit variance per column. */
  readonly init?: 'pca' | 'tsne' | MatrixLike | Initialization | undefined;
  /** Priors on the latents; default none. */
  readonly priors?: Priors | undefined;
  /** Covariates of the rows, `covariates(C)`, whose effects the default kernel adds: the latents then show what they do not explain. New rows need theirs. */
  readonly given?: Covariates | undefined;
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

/** Options of views with latent distributions. */
export interface DistributedViewsOptions<Kernels extends KernelsByView = KernelsByView> {
  /** Number of latent dimensions q, from 1. */
  readonly latentDim: number;
  /** `gaussianLatents()`, or `encoded(map)` of the concatenated observations of all views. */
  readonly posterior: DistributedRows;
  /** Views of the points; default at most 50 inducing inputs per mapping. */
  readonly views: ViewsOptions<Kernels>;
}

/** Model with several views and latent distributions. */
export type DistributedViewsModel<Kernels> = Model<
  DistributedViewPaths<Kernels>,
  DistributedViewed<keyof Kernels & string>,
  'searched'
>;

/** Inference of the latents: as free or fixed points, as a function of the observations, or as Gaussian rows. */
export type Posterior = 'point' | PointRows | DistributedRows;

/** Option with covariates of the rows. */
export const givenEntry = v.optional(
  v.custom<Covariates>((value) => isPart(value, 'covariates', ['inputs']), 'covariates(C)'),
);

/** Options of the latents. */
export const latentEntries = {
  latentDim: integerFromOne,
  posterior: v.optional(
    v.custom<Posterior>(
      (value) =>
        value === 'point' ||
        isPart(value, 'latents', ['parameters', 'features', 'apply']) ||
        isLatentDistribution(value),
      "'point' or a posterior of latents, such as fixedAt(X)",
    ),
  ),
  init: v.optional(v.any()),
  priors: v.optional(
    v.array(
      v.custom<Prior>((value) => isPart(value, 'density', ['logDensity']), 'a prior, such as standardNormal()'),
      'a list, such as [standardNormal()]',
    ),
  ),
  given: givenEntry,
};
const schema = v.strictObject({ ...latentEntries, ...viewEntries });
const viewsSchema = v.strictObject({ ...latentEntries, views: v.record(v.string(), v.any()) });

/**
 * Gaussian process latent variable model from its parts: Y = f(X) + noise, every column of f a Gaussian process of the latents
 * X, priors on X, and X free or a function of Y. Its log density is log p(Y|X) + Σ log p(X) with
 * log p(Y|X) = −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ), K = k(X, X) + σ²I.
 *
 * With `views` each point is observed several times, `log p(Y_a|X) + log p(Y_b|X) + …`: paths are then `views.a.kernel…`, `views.a.noise`, terms have
 * the names of the views, and fits have `predict(X, { view: 'a' })`, `project({ a: Y })`, `translate({ a: Y }, 'b')`.
 *
 * With `inducing` every view uses M inducing inputs, and its term is a bound on log p(Y|X) (Titsias 2009), which is exact if they equal the latents:
 * for any kernel, prior and form of latents, at cost O(N·M·(M + D)).
 *
 * With several views, `posterior` may be `gaussianLatents()` or `encoded(map)`: the latents are then integrated out, and the objective is
 * the sum of the views' bounds minus the divergence of the latents from a standard normal prior, as in `bayesianGplvm`.
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
  return latentModel('latentVariableModel', options as AnyOptions);
}

type AnyOptions = LatentVariableModelOptions | ViewsModelOptions | DistributedViewsOptions;

/** `latentVariableModel` under the name that the model was saved with. */
export function latentModel(name: string, options: AnyOptions): Model {
  const { views: own, given, latentDim, posterior = 'point', init, priors = [], hasViews } = readOptions(name, options);
  const isSpread = isLatentDistribution(posterior);
  const views = Object.entries(own).map(([view, options]) => checkedView(name, view, options));
  const areTied = isHeld(posterior) || priors.some(({ independent }) => independent !== true);
  if (isSpread || !areTied || views.length > 1) checkRows(name, views);
  const density = isSpread ? unitNormal : undefined;
  const latents = latent({ dim: latentDim, density, init, posterior, factors: priors });
  const { of } = settings(
    views.map(({ y }) => y),
    posterior,
    latentDim,
    init,
    given,
  );
  const made = views.map((view, i) => [view, (isSpread ? rowsProcess : pointProcess)(view, of(i))] as const);
  const mappings = Object.fromEntries(
    made.map(([view, process]) => [
      view.name === '' ? MAPPING : view.name,
      {
        process,
        variable: observed(view.y, {
          ...{ density: process, given: inputsOf(latents, view.y, given, process), weights: view.options.rowWeights },
        }),
      },
    ]),
  );
  return declaredModel(name, options, () => ({ latents, given, posterior, priors, hasViews, mappings }));
}

/** Inputs of a mapping: the latents, with the covariates of the rows and the offset of the functions, if any. */
export function inputsOf(
  latents: LatentVariable,
  { raw }: Observations,
  given: Covariates | undefined,
  { offset }: MadeProcess,
): Variable | readonly Variable[] {
  const inputs = given?.inputs(latents, raw.rows) ?? latents;
  return offset === undefined ? inputs : [inputs, offset].flat();
}

/** Name of the observed variable of a model with one view, and prefix of its parameters' paths. */
export const MAPPING = 'mapping';

const readOptions = (name: string, options: AnyOptions) =>
  readGiven(`The options of ${name}`, () => optionsRead(name, options));

function optionsRead(name: string, options: AnyOptions) {
  if (options === null || typeof options !== 'object' || !('views' in options)) {
    if (isLatentDistribution((options as LatentVariableModelOptions | null)?.posterior)) {
      throw new InvalidInputError(
        `Latents of ${name} that are distributions need views. Use bayesianGplvm for one view, or give views: { pose: { observations: Y, kernel: rbf() } }.`,
      );
    }
    const { latentDim, posterior, init, priors, given, ...view } = checkOptions(schema, options, name);
    const views: Record<string, ViewOptions> = { '': view as ViewOptions };
    return { latentDim, posterior, init, given, views, priors: checkFields(name, priors), hasViews: false };
  }
  if (isLatentDistribution(options.posterior) && 'priors' in options) {
    throw new InvalidInputError(
      `Latents of ${name} that are distributions have a standard normal prior, and take no other. Leave out priors.`,
    );
  }
  const { priors, ...read } = checkOptions(viewsSchema, options, name);
  if (Object.keys(read.views).length === 0) {
    throw new InvalidInputError(
      `${name} needs at least one view, such as views: { pose: { observations: Y, kernel: rbf() } }.`,
    );
  }
  const views: Record<string, ViewOptions> = read.views;
  return { ...read, views, priors: checkFields(name, priors), hasViews: true };
}

/** Throws if several priors are fields. */
export function checkFields(name: string, priors: readonly Prior[] | undefined): readonly Prior[] | undefined {
  if ((priors ?? []).filter(({ field }) => field !== undefined).length <= 1) return priors;
  throw new InvalidInputError(
    `${name} was given several priors that are random fields over the points. Constraints are combined in a single field: put all sets in expect of ` +
      'one maxEntropy({ expect: { … } }).',
  );
}

export const isHeld = (posterior: Posterior): boolean => posterior !== 'point' && posterior.name === 'fixedAt';

/** Fixed seed, since a model is independent of the seed of its fit. */
const SEED = 0;

/** Settings that the processes of views depend on, by view number. */
interface Settings {
  readonly start: () => Matrix;
  readonly completed: (view: number) => Matrix;
  readonly of: (view: number) => ProcessSetting;
}

/** Initial latents for these observations, and complete observations of each view, both without the linear effects of covariates. */
export function settings(
  views: readonly Observations[],
  posterior: Posterior,
  latentDim: number,
  init: LatentOptions['init'] = 'pca',
  given?: Covariates,
): Settings {
  const observations = lazily(() => {
    const all = imputed(joinedColumns(views.map(({ data }) => data)), latentDim);
    return given?.residual(all, latentDim) ?? all;
  });
  const isSpread = isLatentDistribution(posterior);
  const start = lazily((): Matrix => {
    const Y = observations();
    if (isLatentDistribution(posterior)) return initialLatents(posterior.init, Y, latentDim);
    if (posterior === 'point') return initialLatents(init === 'tsne' ? 'pca' : init, Y, latentDim);
    const parameters = Object.entries(posterior.parameters(Y, latentDim, SEED));
    const values = Object.fromEntries(parameters.map(([path, { initial }]) => [path, initial]));
    return withFloat64(() =>
      tensorMatrix(posterior.apply(valueTensors(values), matrixTensor(posterior.features(Y, Y)))),
    );
  });
  const widths = views.map(({ raw }, i) => ({ name: `${i}`, columns: raw.columns }));
  const columns = widths.reduce((sum, own) => sum + own.columns, 0);
  // Throws where there are too few principal components to start at.
  if (posterior === 'point' && latentDim > Math.min(columns, views[0]!.raw.rows - 1)) start();
  const entries = views.reduce((sum, own) => sum + entriesOf(own), 0);
  const fitted = isHeld(posterior) ? 0 : (latentDim * views[0]!.raw.rows) / entries;
  const completed = (view: number) =>
    views.length === 1 ? observations() : columnsByName(observations(), widths)[view]!;
  return {
    start,
    completed,
    of: (view) => ({
      start,
      completed: completed(view),
      isCopied: columns <= latentDim,
      inputsPerEntry: isSpread ? undefined : fitted,
    }),
  };
}

/** Variables of a model of the family, with their saved form. */
export interface Declaration {
  /** Latents X ~ priors; N(0, I) if they are integrated out. */
  readonly latents: LatentVariable;
  /** Covariates of the rows, inputs of every process. */
  readonly given?: Covariates | undefined;
  /** Inference of the latents, as passed to `latents`. */
  readonly posterior: Posterior;
  /** Priors that are the factors of `latents`, in order. */
  readonly priors: readonly Prior[];
  /** Observed variables by name, each a process of `latents`. */
  readonly mappings: Readonly<Record<string, { readonly process: MadeProcess; readonly variable: ObservedVariable }>>;
  /** True if observations are keyed by view name. */
  readonly hasViews?: boolean | undefined;
  readonly search?: Search | undefined;
  /** Sentence for the message of a fit; begins with a space. */
  readonly note?: string | undefined;
}

/**
 * Model of these variables, under the short paths `latents`, `mapping…` or `views.<name>…`, and `priors.<name>…`.
 *
 * @param data - observations of the declaration, with a source of rows replaced by a sample of its rows
 */
export function declaredModel<Data>(
  name: string,
  data: Data,
  declare: (data: Data) => Declaration,
  toJSON: (declared: Declaration, data: Data) => ModelJSON = (declared) => declarationToJSON(name, declared),
): Model {
  const made = new Map<Data, Declaration>();
  const declared = (of: Data): Declaration => {
    const known = made.get(of) ?? declare(of);
    made.set(of, known);
    return known;
  };
  const { posterior, mappings, given, hasViews = false } = declared(data);
  const names = Object.keys(mappings);
  const shifted = names.filter((view) => mappings[view]!.process.offset !== undefined);
  const isSpread = isLatentDistribution(posterior);
  const definition = {
    name,
    paths: {
      'latents.*': 'priors.*',
      'latents.divergence': 'divergence',
      ...Object.fromEntries(names.map((own) => [`${own}.divergence`, isSpread ? 'divergence' : own])),
      ...(hasViews && Object.fromEntries(names.map((own) => [own, `views.${own}`]))),
    },
    variables: (of: Data) => {
      const { latents, mappings: own } = declared(of);
      return {
        ...{ latents, ...given?.variables },
        ...Object.fromEntries(names.map((view) => [view, own[view]!.variable])),
        ...Object.fromEntries(
          shifted.map((view) => [shifted.length === 1 ? 'offset' : `${view}Offset`, own[view]!.process.offset!]),
        ),
      };
    },
    search: (of: Data) => ({ ...declared(of).search, ...searchOnGraph(searchedModel(declared(of))) }),
    curvature: (of: Data) => familyCurvature(searchedModel(declared(of))),
    note: (of: Data) => declared(of).note ?? '',
    spectralStart: async (kind: 'isomap' | 'eigenmaps') => {
      const { spectralStart } = await import('./spectralStart.ts');
      return (Y: Matrix, latentDim: number) => spectralStart(kind, Y, latentDim);
    },
    toJSON: (of: Data) => toJSON(declared(of), of),
  };
  return madeHere(variablesModel(definition, data, () => definition.toJSON(data), variablesPosterior));
}

function searchedModel({ latents, given, posterior, priors, mappings, hasViews }: Declaration): SearchedModel {
  const names = Object.keys(mappings);
  const views = names.map((own) => ({
    path: hasViews ? `views.${own}` : own,
    process: mappings[own]!.process,
    observations: mappings[own]!.variable.observations!,
  }));
  return {
    latentDim: latents.dim,
    arePoints:
      posterior === 'point' && given === undefined && views.every(({ process }) => process.offset === undefined),
    priors: priors.map((prior, i) => ({ prior, path: priorPath(names, priors.slice(0, i + 1)) })),
    views,
    observations: () => imputed(joinedColumns(views.map(({ observations }) => observations.data)), latents.dim),
  };
}

/** Path of the last of several priors: the second prior of a name has the suffix 2, and so on. */
function priorPath(names: readonly string[], priors: readonly Prior[]): string {
  const { name } = priors[priors.length - 1]!;
  const number = priors.filter((other) => other.name === name).length + (names.includes(name) ? 1 : 0);
  return `priors.${number === 1 ? name : `${name}${number}`}`;
}

function declarationToJSON(
  name: string,
  { latents, given, posterior, priors, mappings, hasViews }: Declaration,
): ModelJSON {
  const views = Object.entries(mappings).map(([own, { process, variable }]) => [
    own,
    viewToJSON(variable.observations!, process, variable.weights),
  ]);
  return {
    model: 'latentVariableModel',
    name,
    latentDim: latents.dim,
    latents: posterior === 'point' ? { name: 'free' } : posterior.toJSON(),
    priors: priors.map(priorToJSON),
    ...(given && { given: given.rows.toArrays() }),
    ...(hasViews ? { views: Object.fromEntries(views) } : (views[0]![1] as object)),
  };
}
