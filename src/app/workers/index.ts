/**
 * Fits in workers: `fitInWorker` for pages, and the file of a worker of your own, for it and for the option `workers` of `fit`.
 *
 * @module
 */
export { type FitInWorker, type FitInWorkerOptions, fitInWorker, type WorkerStep } from './fitInWorker.ts';
export { serveFits } from './serveFits.ts';
export type { PlainFitOptions } from './wholeFits.ts';
