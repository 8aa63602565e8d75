import { checkDefinition, unknownName } from '../core/options.ts';
import type { KernelCatalog } from '../kernels/json.ts';
import type { MapCatalog } from '../latents/json.ts';
import type { ModelFactory } from '../model/computedModel.ts';
import type { AnyModel } from '../model/model.ts';
import type { DistributionCatalog, LikelihoodCatalog } from '../model/parameterJson.ts';
import type { PriorCatalog } from '../priors/json.ts';

/** Result of `defineModel`, a factory of data and, with a schema of them, options. */
export type OwnModel<M extends AnyModel = AnyModel> = Pick<ModelFactory<never, M>, 'modelName' | 'restore'>;

/** Factories of custom models and parts, by the names used in files, in workers and on the command line. */
export interface OwnParts {
  /** Result of `defineModel`. */
  readonly models?: Readonly<Record<string, OwnModel>> | undefined;
  readonly kernels?: KernelCatalog | undefined;
  readonly priors?: PriorCatalog | undefined;
  readonly maps?: MapCatalog | undefined;
  readonly likelihoods?: LikelihoodCatalog | undefined;
  /** Results of `defineDensity` with `entrywise`, for priors on parameters. */
  readonly distributions?: DistributionCatalog | undefined;
}

/** Kinds of custom parts. */
export const ownKinds = {
  models: 0,
  kernels: 0,
  priors: 0,
  maps: 0,
  likelihoods: 0,
  distributions: 0,
} satisfies Record<keyof OwnParts, 0>;
export const KINDS_OF_PARTS = Object.keys(ownKinds);

/** Throws for parts of an unknown kind. A module may also export other things. */
export function checkOwnParts(own: OwnParts, caller: string): void {
  checkDefinition(own, caller, 'parts of your own, such as { kernels: { cauchy } }');
  if (Object.prototype.toString.call(own) === '[object Module]') return;
  const unknown = Object.keys(own).find((kind) => !KINDS_OF_PARTS.includes(kind));
  if (unknown !== undefined) throw unknownName('kind of parts', unknown, KINDS_OF_PARTS, caller);
}
