/**
 * Fits in workers: `fitInWorker` for pages, the file of a worker of your own, for it and for the option `workers` of `fit`, and modules with parts of your own.
 *
 * @module
 */
export { type FitInWorker, type FitInWorkerOptions, fitInWorker, type WorkerStep } from './fitInWorker.ts';
export { readParts } from './readParts.ts';
export { type PlainFitOptions, serveFits } from './serveFits.ts';
