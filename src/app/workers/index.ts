/**
 * Fits in workers: `fitInWorker` for pages, `serveFits` for the file of a custom worker, also for the option `workers` of `fit`, and modules with custom parts.
 *
 * @module
 */
export { type FitInWorker, type FitInWorkerOptions, fitInWorker, type WorkerStep } from './fitInWorker.ts';
export { readParts } from './readParts.ts';
export { type PlainFitOptions, serveFits } from './serveFits.ts';
