/** The worker of the page, from a file of its own. */
export const startWorker = (): Worker => new Worker(new URL('./page.worker.ts', import.meta.url), { type: 'module' });
