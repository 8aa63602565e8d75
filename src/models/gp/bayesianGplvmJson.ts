import { type KernelJSON, kernelFromJSON } from '../../kernels/json.ts';
import { latentDistributionFromJSON } from '../../latents/json.ts';
import type { LatentsJSON } from '../../latents/latents.ts';
import { likelihoodFromJSON } from '../../mapping/likelihoods/json.ts';
import type { LikelihoodJSON } from '../../mapping/likelihoods/likelihood.ts';
import type { Model, ModelJSON } from '../../model/model.ts';
import type { OwnParts } from '../ownParts.ts';
import { bayesianGplvm } from './bayesianGplvm.ts';

/** What a Bayesian GPLVM writes about itself. */
interface SavedModel {
  /** Missing entries are null. */
  readonly observations: (number | null)[][];
  readonly latentDim: number;
  readonly latents: LatentsJSON;
  readonly inducing: number | number[][];
  readonly kernel: KernelJSON;
  readonly likelihood: LikelihoodJSON;
  readonly missing?: 'ignore';
  readonly centre: boolean;
  readonly scale: boolean;
  readonly jitter: number;
}

/** The Bayesian GPLVM that its `toJSON` wrote. */
export function bayesianGplvmFromJSON(json: ModelJSON, own: OwnParts): Model {
  const { observations, latents, kernel, likelihood, ...rest } = json as unknown as SavedModel & { model: string };
  const { model: _, ...options } = rest;
  return bayesianGplvm(
    observations.map((row) => row.map((entry) => entry ?? Number.NaN)),
    {
      ...options,
      latents: latentDistributionFromJSON(latents, own.maps),
      kernel: kernelFromJSON(kernel, own.kernels, own.distributions),
      likelihood: likelihoodFromJSON(likelihood, own.likelihoods, own.distributions),
    },
  );
}
