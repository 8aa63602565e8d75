import type { Matrix } from 'latentfield/core';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Dataset } from './data/dataset.ts';
import type { Shown } from './fitting.ts';
import type { Scores } from './page.worker.ts';
import { type Fitted, PageWorker } from './pageWorker.ts';
import { DEFAULTS } from './settings.ts';

/** The same rows in another map. */
export interface OtherMap {
  readonly method: string;
  readonly status: 'absent' | 'running' | 'done' | 'failed';
  readonly latents?: Matrix | undefined;
  readonly scores?: Scores | undefined;
  /** Progress, or the reason of a failure. */
  readonly message: string;
}

/** Other methods, by their names in the library. */
export const METHODS: Readonly<Record<string, string>> = { pca: 'PCA', tsne: 't-SNE', umap: 'UMAP', isomap: 'Isomap' };

const NONE: Readonly<Record<string, OtherMap>> = {};

/** Maximum number of rows for automatic PCA. */
const MOST_UNASKED = 3000;

/** Fitted rows in the units of the comparison, with missing entries filled in. */
export type ComparedRows = NonNullable<Awaited<ReturnType<Fitted['compared']>>>;

export type Maps = ReturnType<typeof useMaps>;

/** Maps of a fit's rows by other methods, each computed in a separate worker, and the scores of all. */
export function useMaps(shown: Shown | undefined, dataset: Dataset | undefined) {
  const [of, setOf] = useState<Shown['fit']>();
  const [scores, setScores] = useState<Scores>();
  const [compared, setCompared] = useState<ComparedRows>();
  const [maps, setMaps] = useState<Readonly<Record<string, OtherMap>>>({});
  const workers = useRef(new Map<string, PageWorker>());
  const change = (method: string, to: Partial<OtherMap>) =>
    setMaps((now) => ({ ...now, [method]: { ...{ method, status: 'absent', message: '' }, ...now[method], ...to } }));

  function cancel(method: string): void {
    workers.current.get(method)?.end('Canceled.');
    workers.current.delete(method);
    change(method, { status: 'absent', message: '' });
  }

  async function make(method: string): Promise<void> {
    if (dataset === undefined || shown === undefined) return;
    const worker = new PageWorker();
    workers.current.set(method, worker);
    const since = performance.now();
    const seconds = () => `${Math.round((performance.now() - since) / 1000)} s`;
    let doing = 'reading the rows';
    const isCurrent = () => workers.current.get(method) === worker;
    const timer = setInterval(() => isCurrent() && change(method, { message: `${doing}, ${seconds()}` }), 500);
    worker.onStep = ({ iteration, latents: { data, rows, columns } }) => {
      doing = `step ${iteration}`;
      if (data.length === rows * columns && isCurrent()) change(method, { message: `${doing}, ${seconds()}` });
    };
    change(method, { status: 'running', message: 'starting' });
    try {
      // In the units of the fit, and without holes.
      const rows = (await shown.fit.compared())?.rows;
      const settings = { ...DEFAULTS, model: method, options: { latentDim: 2 }, maxIterations: 1000 };
      const { latents } = await worker.fit(settings, { ...dataset, observations: rows ?? dataset.observations });
      doing = 'counting neighbors';
      const found = await worker.scores(rows, latents, dataset.labels);
      if (isCurrent()) change(method, { status: 'done', latents, scores: found, message: '' });
    } catch (error) {
      if (isCurrent()) change(method, { status: 'failed', message: (error as Error).message });
    } finally {
      clearInterval(timer);
      worker.end();
      if (isCurrent()) workers.current.delete(method);
    }
  }

  const score = async (signal: AbortSignal) => {
    const worker = new PageWorker();
    signal.addEventListener('abort', () => worker.end('Another fit is shown.'));
    try {
      const rows = await shown!.fit.compared();
      if (signal.aborted) return false;
      setCompared(rows);
      const found = await worker.scores(rows?.rows, shown!.fit.latents, dataset!.labels);
      if (!signal.aborted) setScores(found);
      return rows !== undefined;
    } catch {
      // Requests for a fit that is no longer shown are dropped.
      return false;
    } finally {
      worker.end();
    }
  };

  useEffect(() => {
    setOf(shown?.fit);
    setScores(undefined);
    setCompared(undefined);
    setMaps({});
    const ended = new AbortController();
    if (shown === undefined || dataset === undefined) return;
    // After the terrain, which is requested first.
    const later = setTimeout(async () => {
      const isComplete = await score(ended.signal);
      if (isComplete && !ended.signal.aborted && shown.fit.model !== 'pca' && dataset.observations.rows <= MOST_UNASKED)
        make('pca');
    }, 900);
    ended.signal.addEventListener('abort', () => clearTimeout(later));
    return () => {
      ended.abort();
      for (const worker of workers.current.values()) worker.end('Another fit is shown.');
      workers.current.clear();
    };
  }, [shown?.fit]);
  // Empty until the maps of another fit are gone.
  const isCurrent = of === shown?.fit;
  return {
    scores: isCurrent ? scores : undefined,
    compared: isCurrent ? compared : undefined,
    maps: isCurrent ? maps : NONE,
    ...{ make, cancel },
  };
}
