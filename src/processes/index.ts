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
export * from './likelihoods/index.ts';
export type { OpenShards, PlainTensor, ShardPoint, Shards } from './variational/shards.ts';
