import type { Fit, Matrix, Prediction, Projection } from 'latentfield';
import { type FitInWorker, fitInWorker } from 'latentfield/workers';
import { useRef, useState } from 'preact/hooks';
import type { Dataset } from './data/dataset.ts';
import { modelOf } from './model.ts';
import type { Settings } from './settings.ts';

/** A fit with what it can do; which of it is there depends on the model. */
export type AnyFit = Fit & {
  predict?(X: Matrix | readonly (readonly number[])[], options?: { noise?: boolean }): Prediction;
  project?(Y: Matrix): Promise<Projection>;
};

export interface Fitting {
  readonly status: 'idle' | 'running' | 'paused' | 'done' | 'failed';
  /** What to tell the visitor. */
  readonly message: string;
  readonly latents: Matrix | undefined;
  /** Iterations, and the objective after each. */
  readonly trace: readonly [readonly number[], readonly number[]];
  readonly fit: AnyFit | undefined;
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

const traceOf = ({ trace }: AnyFit) =>
  [trace.map(({ iteration }) => iteration), trace.map(({ objective }) => objective)] as const;

/** The fit of the page: at most one runs, in a worker. */
export function useFitting() {
  const [fitting, setFitting] = useState<Fitting>(IDLE);
  const running = useRef<FitInWorker<AnyFit> | undefined>(undefined);

  /** Shows the newest step of each frame. */
  const frames = (of: Fitting['of']) => {
    const [iterations, objectives]: [number[], number[]] = [[], []];
    let newest: Matrix | undefined;
    let isWaiting = false;
    return (step: { readonly iteration: number; readonly objective: number; readonly latents: Matrix }) => {
      iterations.push(step.iteration);
      objectives.push(step.objective);
      newest = step.latents;
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
    running.current?.stop();
    const of = { settings, dataset };
    setFitting({
      ...IDLE,
      status: 'running',
      message: `Fitting ${settings.model} to ${dataset.observations.rows} rows.`,
      of,
    });
    const change = (to: Partial<Fitting>) => setFitting((now) => (now.of === of ? { ...now, ...to } : now));
    // The page shows that it has begun before the model is made.
    await new Promise((resolve) => setTimeout(resolve));
    try {
      const { maxIterations, seed } = settings;
      const run = fitInWorker(modelOf(settings, dataset).model, { maxIterations, seed, onStep: frames(of) });
      running.current = run as FitInWorker<AnyFit>;
      const fit = (await run.result) as AnyFit;
      const message = `${fit.status}: ${fit.message}`;
      change({ status: 'done', message, latents: fit.latents, trace: traceOf(fit), fit });
    } catch (error) {
      change({ status: 'failed', message: (error as Error).message });
    }
  }

  const told = (status: 'running' | 'paused') => setFitting((now) => ({ ...now, status }));
  return {
    fitting,
    start,
    pause() {
      running.current?.pause();
      told('paused');
    },
    resume() {
      running.current?.resume();
      told('running');
    },
    stop() {
      running.current?.resume();
      running.current?.stop();
    },
    /** Shows a fit that comes from a file. */
    show(fit: AnyFit, of: Fitting['of'], message: string) {
      running.current?.stop();
      setFitting({ status: 'done', message, latents: fit.latents, trace: traceOf(fit), fit, of });
    },
    fail: (message: string) =>
      setFitting((now) => ({ ...now, status: now.fit === undefined ? 'failed' : now.status, message })),
  };
}
