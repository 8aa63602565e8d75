export {
  circle,
  distortedS,
  helix,
  type ManifoldSample,
  type SamplingOptions,
  type SwissRollOptions,
  swissRoll,
  type TwinPeaksOptions,
  type TwoMoons,
  twinPeaks,
  twoMoons,
} from './manifolds.ts';
export { type PipeFlow, type PipeFlowOptions, pipeFlow } from './pipeFlow.ts';
