export type { EngineChoice, EngineName } from './dense/index.ts';
export * from './graph/index.ts';
export type { Float64Memory } from './memory.ts';
export type { NeighbourSearch } from './neighbours/index.ts';
export { startThreads, type Threads } from './threads.ts';
