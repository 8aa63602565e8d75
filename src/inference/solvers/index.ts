export type { Box, Ending, Iterate, Solver, SolverMemory, SolverRun, Step, Steps } from '../../model/solver.ts';
export type { AdamOptions } from './adam.ts';
export * from './builtIn.ts';
export type { LbfgsOptions, PairOptions } from './lbfgs.ts';
export type { NewtonOptions } from './newton.ts';
export type { ScgOptions } from './scg.ts';
