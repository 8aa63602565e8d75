/** The worker of the page, from a file of its own. */
export const startWorker = (): Worker => new Worker(new URL('./page.worker.ts', import.meta.url), { type: 'module' });

/** Starts the worker in which chains draw: one of its own, so that the fit still answers. */
export const startSamplingWorker = () =>
  new Worker(new URL('./sampling.worker.ts', import.meta.url), { type: 'module' });
