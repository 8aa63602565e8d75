export { circle } from './circle.ts';
export { distortedS } from './distortedS.ts';
export { helix } from './helix.ts';
export type { ManifoldSample } from './manifold.ts';
export { type PipeFlow, type PipeFlowOptions, pipeFlow } from './pipeFlow.ts';
export type { SamplingOptions } from './sampling.ts';
export { type SwissRollOptions, swissRoll } from './swissRoll.ts';
export { type TwinPeaksOptions, twinPeaks } from './twinPeaks.ts';
export { type TwoMoons, twoMoons } from './twoMoons.ts';
