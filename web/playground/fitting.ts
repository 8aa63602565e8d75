import { Matrix } from 'latentfield';
import { useRef, useState } from 'preact/hooks';
import type { Dataset } from './data/dataset.ts';
import type { FitStep } from './fit.worker.ts';
import { type Fitted, FitWorker } from './fitWorker.ts';
import type { Settings } from './settings.ts';

export interface Fitting {
  readonly status: 'idle' | 'running' | 'paused' | 'done' | 'failed';
  /** What to tell the visitor. */
  readonly message: string;
  readonly latents: Matrix | undefined;
  /** Iterations, and the objective after each. */
  readonly trace: readonly [readonly number[], readonly number[]];
  readonly fit: Fitted | undefined;
  /** Settings and rows of this fit, which the controls may have left since; a fit from a file has no settings. */
  readonly of: { readonly settings: Settings | undefined; readonly dataset: Dataset } | undefined;
}

export const IDLE: Fitting = {
  status: 'idle',
  message: '',
  latents: undefined,
  trace: [[], []],
  fit: undefined,
  of: undefined,
};

/** The fit of the page: there is at most one, in a worker. */
export function useFitting() {
  const [fitting, setFitting] = useState<Fitting>(IDLE);
  const worker = useRef<FitWorker | undefined>(undefined);

  /** Shows the newest step of each frame. */
  const frames = (of: Fitting['of']) => {
    const [iterations, objectives]: [number[], number[]] = [[], []];
    let newest: Matrix | undefined;
    let isWaiting = false;
    return ({ iteration, objective, latents: { data, rows, columns } }: FitStep) => {
      iterations.push(iteration);
      objectives.push(objective);
      newest = new Matrix(data, rows, columns);
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        setFitting((now) =>
          now.of === of && now.fit === undefined && now.status !== 'failed'
            ? { ...now, latents: newest, trace: [[...iterations], [...objectives]] }
            : now,
        );
      });
    };
  };

  async function start(settings: Settings, dataset: Dataset): Promise<void> {
    worker.current?.end();
    const of = { settings, dataset };
    const message = `Fitting ${settings.model} to ${dataset.observations.rows} rows.`;
    setFitting({ ...IDLE, status: 'running', message, of });
    const change = (to: Partial<Fitting>) => setFitting((now) => (now.of === of ? { ...now, ...to } : now));
    worker.current = new FitWorker(frames(of));
    try {
      const fit = await worker.current.fit(settings, dataset);
      const { latents, trace } = fit;
      change({ status: 'done', message: `${fit.status}: ${fit.message}`, latents, trace, fit });
    } catch (error) {
      change({ status: 'failed', message: (error as Error).message });
    }
  }

  const to = (status: 'running' | 'paused') => {
    worker.current?.tell(status === 'paused' ? 'pause' : 'resume');
    setFitting((now) => ({ ...now, status }));
  };
  return {
    fitting,
    start,
    pause: () => to('paused'),
    resume: () => to('running'),
    stop: () => worker.current?.tell('stop'),
    /** Shows a fit that was saved. Where the file does not hold its rows, it can be looked at only. */
    async open(name: string, text: string, datasetOf: (observations: Matrix) => Dataset): Promise<void> {
      const opened = new FitWorker();
      try {
        const { fit, observations } = await opened.open(text);
        worker.current?.end();
        worker.current = opened;
        const of = observations && { settings: undefined, dataset: datasetOf(observations) };
        const known = of === undefined ? ', and no rows: it can be looked at only.' : '.';
        const message = `${name}: ${fit.model} of ${fit.latents.rows} rows${known} ${fit.status}: ${fit.message}`;
        setFitting({ status: 'done', message, latents: fit.latents, trace: fit.trace, fit, of });
      } catch (error) {
        opened.end();
        const message = `'${name}' is no fit of this library: ${(error as Error).message}`;
        setFitting((now) => ({ ...now, status: now.fit === undefined ? 'failed' : now.status, message }));
      }
    },
  };
}
