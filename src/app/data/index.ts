export type { ManifoldSample } from './manifolds.ts';
export {
  circle,
  distortedS,
  helix,
  type SwissRollOptions,
  swissRoll,
  type TwinPeaksOptions,
  type TwoMoons,
  twinPeaks,
  twoMoons,
} from './manifolds.ts';
export { type PipeFlow, type PipeFlowOptions, pipeFlow } from './pipeFlow.ts';
export type { SamplingOptions } from './sampling.ts';
