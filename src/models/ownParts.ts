import { checkDefinition, unknownName } from '../core/options.ts';
import type { KernelCatalog } from '../kernels/json.ts';
import type { MapCatalog } from '../latents/json.ts';
import type { ModelFactory } from '../model/computedModel.ts';
import type { DistributionCatalog } from '../model/distributions/index.ts';
import type { AnyModel } from '../model/model.ts';
import type { PriorCatalog } from '../priors/json.ts';
import type { LikelihoodCatalog } from '../processes/likelihoods/index.ts';

/** Factories of the caller's own models and parts, by name: for files, workers and the command line, which meet them by their names. */
export interface OwnParts {
  /** Result of `defineModel`. */
  readonly models?: Readonly<Record<string, ModelFactory<never, AnyModel>>> | undefined;
  readonly kernels?: KernelCatalog | undefined;
  readonly priors?: PriorCatalog | undefined;
  readonly maps?: MapCatalog | undefined;
  readonly likelihoods?: LikelihoodCatalog | undefined;
  /** Result of `defineDistribution`. */
  readonly distributions?: DistributionCatalog | undefined;
}

/** Their kinds. */
export const KINDS_OF_PARTS = Object.keys({
  models: 0,
  kernels: 0,
  priors: 0,
  maps: 0,
  likelihoods: 0,
  distributions: 0,
} satisfies Record<keyof OwnParts, 0>);

/** Throws for parts of a kind that is not known. A module may export other things beside them. */
export function checkOwnParts(own: OwnParts, caller: string): void {
  checkDefinition(own, caller, 'parts of your own, such as { kernels: { cauchy } }');
  if (Object.prototype.toString.call(own) === '[object Module]') return;
  const unknown = Object.keys(own).find((kind) => !KINDS_OF_PARTS.includes(kind));
  if (unknown !== undefined) throw unknownName('kind of parts', unknown, KINDS_OF_PARTS, caller);
}
