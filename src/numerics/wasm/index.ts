export { type ElementaryFunctions, wasmElementaryFunctions } from './elementaryFunctions.ts';
export type { FusedOperations, RbfParameters } from './fusedOperations.ts';
export { supportsKernels } from './instance.ts';
export type { CompiledProfile, RadialProfile } from './radialOperations.ts';
export { alone, startTeam, type Threads } from './team.ts';
export { typescriptElementaryFunctions } from './twins/elementaryFunctions.ts';
export { typescriptFusedOperations } from './twins/fusedOperations.ts';
export { wasmEngine } from './wasmEngine.ts';
export { wasmFusedOperations } from './wasmFusedOperations.ts';
