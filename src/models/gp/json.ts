import * as v from 'valibot';
import { scaleOption } from '../../core/observations.ts';
import type { SampledRows } from '../../core/rowMatrices.ts';
import { checkSaved, readingAt } from '../../core/saved.ts';
import { kernelFromJSON } from '../../kernels/json.ts';
import { posteriorFromJSON } from '../../latents/json.ts';
import type { DistributedRows, PointRows } from '../../model/language/variable.ts';
import type { AnyModel, Model, ModelJSON } from '../../model/model.ts';
import { likelihoodFromJSON } from '../../model/parameterJson.ts';
import { dataFromPlain } from '../../model/plainData.ts';
import { priorFromJSON } from '../../priors/json.ts';
import { type BasisOptions, basis, inducing } from '../../processes/approximations.ts';
import { heldMap } from '../maps/decoder.ts';
import { tsneMap } from '../maps/tsneMap.ts';
import { umap } from '../maps/umap.ts';
import type { OwnParts } from '../ownParts.ts';
import { builtInPriors } from '../priorCatalog.ts';
import { anyStart, savedLatents, savedRows } from '../savedFit.ts';
import { type BayesianGplvmOptions, bayesianGplvm } from './bayesianGplvm.ts';
import { covariates } from './covariates.ts';
import { type DistributedViewsOptions, latentModel } from './latentVariableModel.ts';

/** True for rows that were read from a source and are kept as a sample. */
const isKept = (json: unknown) => typeof json === 'object' && json !== null && '~rows' in json;
const readKept = (json: object) => dataFromPlain(json) as SampledRows;

/** Covariates of the fitted rows. */
const savedGiven = v.optional(v.array(v.array(v.number())));

const schema = v.strictObject({
  model: v.literal('bayesianGplvm'),
  observations: v.union([savedRows, v.pipe(v.custom<object>(isKept), v.transform(readKept))]),
  latentDim: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1e6)),
  latents: savedLatents,
  inducing: v.union([v.number(), v.array(v.array(v.number()))]),
  kernel: v.unknown(),
  likelihood: v.unknown(),
  bound: v.optional(v.picklist(['collapsed', 'uncollapsed'])),
  given: savedGiven,
  offset: v.optional(v.array(v.number())),
  missing: v.optional(v.literal('ignore')),
  center: v.boolean(),
  scale: scaleOption,
  jitter: v.optional(v.number()),
  rowWeights: v.optional(v.array(v.number())),
});

/** Restores a Bayesian GPLVM from its `toJSON`. */
export function bayesianGplvmFromJSON(json: ModelJSON, own: OwnParts, isFitted: boolean): Model {
  const { model: _, observations, latents, kernel, likelihood, given, ...rest } = checkSaved(schema, json, 'model');
  const restored = posteriorFromJSON(latents, own.maps) as DistributedRows;
  const rows = 'sample' in observations ? observations.sample.rows : observations.length;
  return bayesianGplvm(observations, {
    ...(rest as Pick<BayesianGplvmOptions, 'latentDim' | 'inducing'>),
    posterior: isFitted ? restored.from(anyStart(rows, rest.latentDim)) : restored,
    given: given && covariates(given),
    kernel: kernelFromJSON(kernel, own.kernels, own.distributions, 'model.kernel'),
    likelihood: likelihoodFromJSON(likelihood, own.likelihoods, own.distributions, 'model.likelihood'),
  });
}

const view = {
  observations: savedRows,
  kernel: v.unknown(),
  likelihood: v.unknown(),
  missing: v.optional(v.literal('ignore')),
  center: v.boolean(),
  scale: scaleOption,
  inducing: v.optional(v.union([v.number(), v.array(v.array(v.number()))])),
  jitter: v.optional(v.union([v.number(), v.literal('relative')])),
  basis: v.optional(v.looseObject({ functions: v.number() })),
  rowWeights: v.optional(v.array(v.number())),
  offset: v.optional(v.array(v.number())),
};
const viewSchema = v.strictObject(view);
const model = {
  model: v.literal('latentVariableModel'),
  name: v.string(),
  latentDim: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1e6)),
  latents: savedLatents,
  priors: v.array(v.unknown()),
  given: savedGiven,
};
const onlySchema = v.strictObject({ ...model, ...view });
const viewsSchema = v.strictObject({ ...model, views: v.record(v.string(), viewSchema) });

type SavedView = v.InferOutput<typeof viewSchema>;

/** Restores a latent variable model from its `toJSON`: the common part, and its single view or several named ones. */
export function latentVariableModelFromJSON(json: ModelJSON, own: OwnParts, isFitted: boolean): AnyModel {
  const place = 'model';
  const saved = 'views' in json ? checkSaved(viewsSchema, json, place) : checkSaved(onlySchema, json, place);
  const { name, latentDim, latents, priors } = saved;
  const given = saved.given && covariates(saved.given);
  const views = 'views' in saved ? Object.entries(saved.views) : undefined;
  const mapped =
    views === undefined
      ? viewFromJSON(saved as SavedView, own, place)
      : {
          views: Object.fromEntries(
            views.map(([key, given]) => [key, viewFromJSON(given, own, `${place}.views.${key}`)]),
          ),
        };
  const { length } = (views === undefined ? (saved as SavedView) : views[0]?.[1])?.observations ?? [];
  const start = anyStart(length, latentDim);
  if (views !== undefined && latents !== undefined && ['gaussian', 'encoded'].includes(latents.name)) {
    const rows = posteriorFromJSON(latents, own.maps) as DistributedRows;
    return latentModel(name, {
      ...{ latentDim, given },
      posterior: isFitted ? rows.from(start) : rows,
      views: (mapped as { views: DistributedViewsOptions['views'] }).views,
    });
  }
  const plain = posteriorFromJSON(latents, own.maps) as 'point' | PointRows;
  const restored = 'observations' in saved ? onMap(plain, latents?.map, saved.observations) : plain;
  const at = restored === 'point' ? { init: start } : { posterior: restored.from(start) };
  return latentModel(name, {
    ...{ latentDim, given },
    ...(isFitted ? at : { posterior: restored }),
    priors: priors.map((prior, i) =>
      priorFromJSON(prior, { ...builtInPriors, ...own.priors }, own.kernels, own.distributions, `${place}.priors.${i}`),
    ),
    ...mapped,
  });
}

type BasisJSON = BasisOptions & { readonly functions: number };

const mapSchema = v.strictObject({ model: v.picklist(['tsne', 'umap']), options: v.record(v.string(), v.unknown()) });

/** Fixed latents with their map, if it was saved with them. */
function onMap(held: 'point' | PointRows, map: unknown, observations: number[][]): 'point' | PointRows {
  if (held === 'point' || held.name !== 'fixedAt' || map === undefined) return held;
  const place = 'model.latents.map';
  const { model: name, options } = checkSaved(mapSchema, map, place);
  return readingAt(place, () =>
    heldMap(held, name === 'tsne' ? tsneMap(observations, options) : umap(observations, options)),
  );
}

function viewFromJSON(saved: SavedView, own: OwnParts, place: string) {
  const {
    observations,
    kernel,
    likelihood,
    missing,
    center,
    scale,
    inducing: points,
    jitter,
    rowWeights,
    offset,
  } = saved;
  const { functions, ...domain } = (saved.basis && (dataFromPlain(saved.basis) as BasisJSON)) ?? {};
  return {
    observations,
    kernel: kernelFromJSON(kernel, own.kernels, own.distributions, `${place}.kernel`),
    likelihood: likelihoodFromJSON(likelihood, own.likelihoods, own.distributions, `${place}.likelihood`),
    missing,
    center,
    scale,
    ...{ rowWeights, offset },
    ...(points !== undefined && { approximation: inducing(points, typeof jitter === 'number' ? { jitter } : {}) }),
    ...(functions !== undefined && { approximation: basis(functions, domain) }),
  };
}
