/** Starts the page's worker, from a separate file. */
export const startWorker = (): Worker => new Worker(new URL('./page.worker.ts', import.meta.url), { type: 'module' });

/** Starts a separate worker for sampling, so that the fit still answers requests. */
export const startSamplingWorker = () =>
  new Worker(new URL('./sampling.worker.ts', import.meta.url), { type: 'module' });
