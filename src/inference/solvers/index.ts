export { type LbfgsOptions, lbfgs } from './lbfgs.ts';
export { lbfgsb } from './lbfgsb.ts';
export type { Solver } from './solver.ts';
