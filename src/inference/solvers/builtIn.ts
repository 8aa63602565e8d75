// Every solver that comes with the library, under the name by which a worker makes it again: one line makes one public and known.
export { adam } from './adam.ts';
export { lbfgs } from './lbfgs.ts';
export { lbfgsb } from './lbfgsb.ts';
export { newton } from './newton.ts';
export { scg } from './scg.ts';
