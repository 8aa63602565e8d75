/** exp, log, powers, trigonometric and hyperbolic functions of a number with the same bits on every machine, for custom components. */
export * as elementary from '../core/elementary/index.ts';
export { type Eigenpairs, type SymmetricOperator, symmetricEigenpairs, topEigenpairs } from './dense/eigenpairs.ts';
export type { EngineChoice, EngineName } from './dense/index.ts';
export * from './graph/index.ts';
export type { Float64Memory } from './memory.ts';
export type { Metric, NeighborSearch, Neighbors } from './neighbors/index.ts';
export { sparseNeighbors } from './neighbors/sparseNeighbors.ts';
export { type SparseComponents, sparsePrincipalComponents } from './sparse/sparsePrincipalComponents.ts';
export { startThreads, type Threads } from './threads.ts';
