export { type AdamOptions, adam } from './adam.ts';
export { type LbfgsOptions, lbfgs, type PairOptions } from './lbfgs.ts';
export { lbfgsb } from './lbfgsb.ts';
export { type ScgOptions, scg } from './scg.ts';
export type { Solver } from './solver.ts';
