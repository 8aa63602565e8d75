export { type LbfgsOptions, lbfgs } from './lbfgs.ts';
export type { Solver } from './solver.ts';
