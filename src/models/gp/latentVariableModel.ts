import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { free } from '../../latents/free.ts';
import { type Latents, latentsOf } from '../../latents/latents.ts';
import { constantsOf, type ModelParts, partsByPath, placed, termsOf } from '../../mapping/assembly.ts';
import { familyCurvature } from '../../mapping/curvature/familyCurvature.ts';
import { posteriorOf } from '../../mapping/posterior.ts';
import type { AnyModel, Model, ParameterValues, StartKind, TensorMap } from '../../model/model.ts';
import { defineTermsModel } from '../../model/termsModel.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { priorToJSON } from '../../priors/json.ts';
import type { Tensor2D } from '../../tensors/tensorflow.ts';
import {
  type DistributedViewsModel,
  type DistributedViewsOptions,
  distributedViewsModel,
  hasDistributions,
} from './distributedViews.ts';
import type { MappedModel, ViewedModel } from './gpModel.ts';
import { searchOnGraph } from './searchOnGraph.ts';
import { startValues } from './startKinds.ts';
import {
  type KernelsByView,
  type MadeViews,
  madeViews,
  type ViewOptions,
  type ViewsOptions,
  viewEntries,
} from './views.ts';

/** What a model has beside its views. */
export interface LatentOptions<Priors extends readonly Prior[] = readonly Prior[]> {
  /** q, from 1. */
  readonly latentDim: number;
  /** What the latents are; `free()` unless given. */
  readonly latents?: Latents | undefined;
  /** Priors on the latents; none unless given. */
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

const wholeFromOne = 'a whole number from 1';
/** The options that every model of the family takes, for messages. */
export const OPTION_NAMES = [
  'latentDim',
  'latents',
  'kernel',
  'noise',
  'likelihood',
  'priors',
  'missing',
  'centre',
  'scale',
  'inducing',
] as const;

const latentEntries = {
  latentDim: v.pipe(v.number(wholeFromOne), v.integer(wholeFromOne), v.minValue(1, wholeFromOne)),
  latents: v.optional(v.custom<Latents>((value) => isPart(value, 'latents'), 'latents, such as free()')),
  priors: v.optional(v.array(v.custom<Prior>((value) => isPart(value, 'prior'), 'a prior, such as standardNormal()'))),
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
 * With several views, `latents` may be `gaussianLatents()` or `encoded(map)`: the latents are then integrated out, and what is maximised is the sum of the
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
  if (hasDistributions(options)) return distributedViewsModel(name, options);
  const { views, ...given } = givenOptions(name, options);
  const { latentDim, latents = free(), priors = [] } = given;
  if (priors.filter(({ field }) => field !== undefined).length > 1) {
    throw new InvalidInputError(
      `${name} was given several priors that are random fields over the points. Constraints hold together in one field only: put all sets in expect of ` +
        'one maxEntropy({ expect: { … } }).',
    );
  }
  const areTied = latents.name === 'fixedAt' || priors.some(({ pointLogDensity }) => pointLogDensity === undefined);
  const made = madeViews(name, views, latentDim, latents, areTied);
  const taken = made.views.map(({ term }) => term);
  return definedAs(name)({ ...made, latentDim, latents, priors: placed(priors, taken) }) as Model;
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

type LatentVariableParts = Omit<ModelParts, 'views'> & Pick<MadeViews, 'views'>;

const definedAs = (name: string) =>
  defineTermsModel({
    name,
    parts: (model: LatentVariableParts, seed) => partsByPath(model, seed),
    constants: constantsOf,
    terms: (v, model, context) =>
      termsOf(model, v as unknown as Readonly<Record<string, TensorMap>>, context.latents, context.constants, context),
    latents: (v, model, { constants }) => model.latents.apply(v as TensorMap, constants.features) as Tensor2D,
    posterior: (values, model) => posteriorOf(model, values),
    curvature: (values, model, { prepared }, entries) => familyCurvature(model)?.(values, entries, prepared),
    search: searchOnGraph,
    startAt: (kind, model, seed) => startedElsewhere(kind, model, seed),
    toJSON: ({ views, latentDim, latents, priors }) => ({
      model: 'latentVariableModel',
      name,
      latentDim,
      latents: latents.toJSON(),
      priors: priors.map(({ prior }) => priorToJSON(prior)),
      ...(views[0]!.name === undefined
        ? views[0]!.toJSON()
        : { views: Object.fromEntries(views.map((view) => [view.name, view.toJSON()])) }),
    }),
  });

/** Values of the latents, and of what starts at some of them. */
async function startedElsewhere(
  kind: Exclude<StartKind, 'model'>,
  { latents, observations, latentDim, views }: LatentVariableParts,
  seed: number,
): Promise<() => ParameterValues> {
  const valuesThere = await startValues(latents, kind, observations, latentDim, seed);
  return () => {
    const values = valuesThere();
    const sparse = views.filter(({ inducingAt }) => inducingAt !== undefined);
    if (sparse.length === 0) return values;
    const start = latentsOf(latents, values, observations, observations);
    return {
      ...values,
      ...Object.fromEntries(sparse.map((view) => [`${view.path}.inducing`, view.inducingAt!(start)])),
    };
  };
}

function isPart(value: unknown, kind: 'latents' | 'prior'): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}
