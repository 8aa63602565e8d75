export type { StatisticName } from './chain.ts';
export {
  essBulk,
  essMean,
  essQuantile,
  essSd,
  essTail,
  mcseMean,
  mcseQuantile,
  mcseSd,
  rHat,
} from './convergence.ts';
export { samplePosterior } from './draw.ts';
export type { DrawCheckpoint, DrawIdentity, DrawStep, SamplePosteriorOptions } from './drawOptions.ts';
export type { Divergence, DrawnProjection, Draws, DrawsJSON, DrawsPredictOptions, DrawsRecord } from './draws.ts';
export type { ChainsLike } from './givenDraws.ts';
export type { InferenceData, NestedNumbers } from './inferenceData.ts';
export type { LatentDraws, LatentMode } from './latentDraws.ts';
export {
  type AccuracyOptions,
  checkPredictive,
  compareElpd,
  type ElpdRow,
  type PredictiveCheck,
} from './leaveOneOut.ts';
export {
  type LeaveOneOut,
  loo,
  type PredictiveAccuracy,
  type PsisOptions,
  psis,
  type SmoothedWeights,
  waic,
} from './psis.ts';
export * from './samplers/builtIn.ts';
export type { HamiltonianOptions } from './samplers/hamiltonian.ts';
export type {
  Position as ChainPosition,
  SampledDensity,
  Sampler,
  SamplerMemory,
  SamplerRun,
  SamplerStart,
  Transition as ChainTransition,
  TransitionStatistics,
} from './samplers/sampler.ts';
export type { EllipticalSliceOptions, SliceSamplerOptions } from './samplers/slice.ts';
export type { HmcOptions, NutsOptions } from './samplers/trajectories.ts';
export type { DrawsSummary, SummaryRow } from './summary.ts';
