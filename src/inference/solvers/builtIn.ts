// All solvers of the library, by the name that a worker rebuilds them from: one line exports and registers a solver.
export { adam } from './adam.ts';
export { lbfgs } from './lbfgs.ts';
export { lbfgsb } from './lbfgsb.ts';
export { newton } from './newton.ts';
export { scg } from './scg.ts';
