import { kernelFromJSON } from '../../kernels/json.ts';
import { latentsFromJSON } from '../../latents/json.ts';
import type { LatentsJSON } from '../../latents/latents.ts';
import { type LikelihoodJSON, likelihoodFromJSON } from '../../mapping/likelihoods/index.ts';
import type { AnyModel, ModelJSON } from '../../model/model.ts';
import { type ParameterJSON, parameterFromJSON } from '../../model/parameterJson.ts';
import { type PriorJSON, priorFromJSON } from '../../priors/json.ts';
import type { OwnParts } from '../ownParts.ts';
import { builtInPriors } from '../priorCatalogue.ts';
import { namedModel } from './latentVariableModel.ts';
import type { ViewJSON } from './views.ts';

/** What a latent variable model writes about itself: beside these, its only view, or several by name. */
interface SavedModel extends Partial<SavedView> {
  readonly name: string;
  readonly latentDim: number;
  readonly latents?: LatentsJSON;
  readonly priors: readonly PriorJSON[];
  readonly views?: Readonly<Record<string, SavedView>>;
}

interface SavedView extends Omit<ViewJSON, 'likelihood'> {
  readonly likelihood?: LikelihoodJSON;
  /** Variance of a Gaussian likelihood, in fits saved before there were others. */
  readonly noise?: ParameterJSON;
}

/** The latent variable model that its `toJSON` wrote. */
export function latentVariableModelFromJSON(model: ModelJSON, own: OwnParts): AnyModel {
  const { name, latentDim, latents, priors, views, ...only } = model as unknown as SavedModel;
  const mapped =
    views === undefined
      ? viewFromJSON(only as SavedView, own)
      : { views: Object.fromEntries(Object.entries(views).map(([view, json]) => [view, viewFromJSON(json, own)])) };
  return namedModel(name, {
    latentDim,
    latents: latentsFromJSON(latents, own.maps, own.latents),
    priors: priors.map((prior) =>
      priorFromJSON(prior, { ...builtInPriors, ...own.priors }, own.kernels, own.distributions),
    ),
    ...mapped,
  });
}

function viewFromJSON(
  { observations, kernel, likelihood, noise, missing, centre, scale, inducing }: SavedView,
  own: OwnParts,
) {
  return {
    observations: observations.map((row) => row.map((entry) => entry ?? Number.NaN)),
    kernel: kernelFromJSON(kernel, own.kernels, own.distributions),
    ...(noise === undefined
      ? { likelihood: likelihoodFromJSON(likelihood, own.likelihoods, own.distributions) }
      : { noise: parameterFromJSON(noise, own.distributions) }),
    missing,
    centre,
    scale,
    inducing,
  };
}
