import type { KernelCatalogue } from '../kernels/json.ts';
import type { LatentsCatalogue, MapCatalogue } from '../latents/json.ts';
import type { LikelihoodCatalogue } from '../mapping/likelihoods/index.ts';
import type { ModelFactory } from '../model/defineModel.ts';
import type { DistributionCatalogue } from '../model/distributions/index.ts';
import type { AnyModel } from '../model/model.ts';
import type { PriorCatalogue } from '../priors/json.ts';

/** Factories of the caller's own models and parts, by name: for files, workers and the command line, which meet them by their names. */
export interface OwnParts {
  /** What `defineModel` returned. */
  readonly models?: Readonly<Record<string, ModelFactory<never, AnyModel>>> | undefined;
  readonly kernels?: KernelCatalogue | undefined;
  readonly priors?: PriorCatalogue | undefined;
  readonly maps?: MapCatalogue | undefined;
  /** What `defineLatents` returned. */
  readonly latents?: LatentsCatalogue | undefined;
  readonly likelihoods?: LikelihoodCatalogue | undefined;
  /** What `defineDistribution` returned. */
  readonly distributions?: DistributionCatalogue | undefined;
}
