/**
 * The file of a worker that takes part in fits with restarts: see the option `workers` of `fit`.
 *
 * @module
 */
export { serveFits } from './serveFits.ts';
