import { type KernelJSON, kernelFromJSON } from '../../kernels/json.ts';
import { latentsFromJSON } from '../../latents/json.ts';
import type { LatentsJSON } from '../../latents/latents.ts';
import { type LikelihoodJSON, likelihoodFromJSON } from '../../mapping/likelihoods/index.ts';
import type { ModelJSON } from '../../model/model.ts';
import { type ParameterJSON, parameterFromJSON } from '../../model/parameter.ts';
import { type PriorJSON, priorFromJSON } from '../../priors/json.ts';
import type { OwnParts } from '../ownParts.ts';
import { builtInPriors } from '../priorCatalogue.ts';
import type { MappedModel } from './gpModel.ts';
import { namedModel } from './latentVariableModel.ts';

/** What a latent variable model writes about itself. */
interface SavedModel {
  readonly name: string;
  /** Missing entries are null. */
  readonly observations: (number | null)[][];
  readonly latentDim: number;
  readonly latents?: LatentsJSON;
  readonly kernel: KernelJSON;
  readonly likelihood?: LikelihoodJSON;
  /** Of a Gaussian likelihood, in fits saved before there were others. */
  readonly noise?: ParameterJSON;
  readonly priors: readonly PriorJSON[];
  readonly missing?: 'ignore';
  readonly centre: boolean;
  readonly scale: boolean;
}

/** The latent variable model that its `toJSON` wrote. */
export function latentVariableModelFromJSON(model: ModelJSON, own: OwnParts): MappedModel {
  const saved = model as unknown as SavedModel;
  return namedModel(saved.name, {
    observations: saved.observations.map((row) => row.map((entry) => entry ?? Number.NaN)),
    latentDim: saved.latentDim,
    latents: latentsFromJSON(saved.latents, own.maps),
    kernel: kernelFromJSON(saved.kernel, own.kernels),
    ...(saved.noise === undefined
      ? { likelihood: likelihoodFromJSON(saved.likelihood, own.likelihoods) }
      : { noise: parameterFromJSON(saved.noise) }),
    priors: saved.priors.map((prior) => priorFromJSON(prior, { ...builtInPriors, ...own.priors }, own.kernels)),
    ...(saved.missing === undefined ? {} : { missing: saved.missing }),
    centre: saved.centre,
    scale: saved.scale,
  });
}
