export * from '../model/entrywise/index.ts';
export { builtInLikelihoods, type LikelihoodCatalog, likelihoodFromJSON } from '../model/parameterJson.ts';
export {
  type BasisOptions,
  basis,
  exact,
  type InducingApproximation,
  type InducingOptions,
  inducing,
  type ProcessApproximation,
} from './approximations.ts';
export type { ObservedPattern } from './covariance/covariance.ts';
export type { FunctionMoments, MomentsAt } from './functionMoments.ts';
export {
  type ColumnScales,
  type GaussianProcess,
  type GaussianProcessOptions,
  type GivenProcess,
  gaussianProcess,
  type ProcessContext,
  type ProcessMoments,
  type ProcessPaths,
} from './gaussianProcess.ts';
export type { OpenShards, PlainTensor, ShardPoint, Shards } from './variational/shards.ts';
