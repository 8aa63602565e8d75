export { type ElementaryFunctions, wasmElementaryFunctions } from './elementaryFunctions.ts';
export type { ExpectationOperations, GaussianPoints, Kept, PointWeights, RbfSlopes } from './expectationOperations.ts';
export type { FusedOperations, RadialSum } from './fusedOperations.ts';
export {
  kernelsOn,
  kernelsRefusal,
  type LinkedKernels,
  shareableMultiplications,
  supportsKernels,
} from './instance.ts';
export type { PairQuadratic, PairSteps } from './quadraticOperations.ts';
export type { CompiledProfile, RadialProfile } from './radialOperations.ts';
export { alone, startTeam, type Threads } from './team.ts';
export { typescriptElementaryFunctions } from './typescript/elementaryFunctions.ts';
export { typescriptFusedOperations } from './typescript/fusedOperations.ts';
export { wasmEngine } from './wasmEngine.ts';
export { expectationsOn } from './wasmExpectations.ts';
export { wasmFusedOperations } from './wasmFusedOperations.ts';
