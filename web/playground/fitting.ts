import { Matrix } from 'latentfield/core';
import { useRef, useState } from 'preact/hooks';
import { type Dataset, rowView } from './data/dataset.ts';
import type { Example } from './example.ts';
import type { Trace } from './fitSummary.ts';
import type { FitStep } from './page.worker.ts';
import { type Fitted, PageWorker } from './pageWorker.ts';
import type { Settings } from './settings.ts';

/** Input of a fit, which the controls may no longer show. */
export interface Subject {
  /** Settings; undefined for a fit that the page did not make. */
  readonly settings: Settings | undefined;
  readonly dataset: Dataset;
}

type Fittable = Subject & { readonly settings: Settings };

/** Finished fit, with the worker that keeps it. */
export interface Shown {
  readonly fit: Fitted;
  readonly of: Subject | undefined;
  readonly name: string;
  readonly worker: PageWorker;
}

/** Fit in progress. */
export interface Run {
  readonly of: Subject;
  readonly isPaused: boolean;
  readonly latents: Matrix | undefined;
  readonly trace: Trace;
  readonly since: number;
  /** Maximum number of iterations at the end of the fit, including earlier rounds. */
  readonly most: number;
}

export interface Fitting {
  readonly shown: Shown | undefined;
  readonly run: Run | undefined;
  /** Reason why the last fit failed, and its input. */
  readonly problem: string;
  readonly failed?: Subject | undefined;
}

/** Fit whose map the page shows. */
export interface Pictured {
  readonly name: string;
  /** Data set; undefined for a file that does not contain its rows. */
  readonly dataset: Dataset | undefined;
  readonly latents: Matrix;
  /** Fit that answers requests; undefined while it is in progress. */
  readonly fit: Fitted | undefined;
  readonly model: string | undefined;
  /** Fit in progress. */
  readonly run?: Run;
}

/** The fit in progress as soon as its rows have positions, otherwise the finished one: heading and map both refer to it. */
export function pictured({ shown, run }: Fitting): Pictured | undefined {
  if (run?.latents !== undefined && run.latents.data.length > 0) {
    const { dataset, settings } = run.of;
    return { name: dataset.name, dataset, latents: run.latents, fit: undefined, model: settings?.model, run };
  }
  return (
    shown && {
      ...{ name: shown.name, dataset: shown.of?.dataset },
      ...{ latents: shown.fit.latents, fit: shown.fit, model: shown.fit.model },
    }
  );
}

/** Number of rows whose drawing takes longer than a frame, and milliseconds between two pictures of them, so that the page stays responsive. */
const MANY = 20_000;
const PAUSE = 1000;

function afterFrame(milliseconds: number, show: () => void): void {
  if (milliseconds === 0) requestAnimationFrame(show);
  else setTimeout(() => requestAnimationFrame(show), milliseconds);
}

/** Fits of the page: the finished one that is shown, and at most one in progress. A failed fit leaves the shown one unchanged. */
export function useFitting() {
  const [fitting, setFitting] = useState<Fitting>({ shown: undefined, run: undefined, problem: '' });
  const running = useRef<PageWorker | undefined>(undefined);
  const kept = useRef<PageWorker | undefined>(undefined);

  /** Shows the latest step of each frame. */
  const frames = (of: Subject, before: Trace) => {
    const [iterations, objectives] = [[...before[0]], [...before[1]]];
    const offset = iterations.at(-1) ?? 0;
    let newest: Matrix | undefined;
    let isWaiting = false;
    return ({ iteration, objective, latents: { data, rows, columns } }: FitStep) => {
      iterations.push(offset + iteration);
      objectives.push(objective);
      newest = new Matrix(data, rows, columns);
      if (isWaiting) return;
      isWaiting = true;
      afterFrame(rows > MANY ? PAUSE : 0, () => {
        isWaiting = false;
        setFitting((now) =>
          now.run?.of === of
            ? { ...now, run: { ...now.run, latents: newest, trace: [[...iterations], [...objectives]] } }
            : now,
        );
      });
    };
  };

  async function search(of: Fittable, worker: PageWorker, before: Trace, made: () => Promise<Fitted>): Promise<void> {
    const others = running.current;
    if (others !== undefined && others !== worker && others !== kept.current) others.end();
    running.current = worker;
    worker.onStep = frames(of, before);
    setFitting((now) => ({
      ...now,
      problem: '',
      run: {
        of,
        isPaused: false,
        latents: undefined,
        trace: before,
        since: performance.now(),
        most: (before[0].at(-1) ?? 0) + of.settings.maxIterations,
      },
    }));
    try {
      const found = await made();
      if (running.current !== worker) return;
      running.current = undefined;
      if (kept.current !== worker) kept.current?.end();
      kept.current = worker;
      const offset = before[0].at(-1) ?? 0;
      const trace: Trace = [
        [...before[0], ...found.trace[0].map((iteration) => offset + iteration)],
        [...before[1], ...found.trace[1]],
      ];
      const fit = { ...found, trace };
      setFitting({ shown: { fit, of, name: of.dataset.name, worker }, run: undefined, problem: '' });
    } catch (error) {
      if (running.current !== worker) return;
      running.current = undefined;
      if (kept.current !== worker) worker.end();
      setFitting((now) => ({ ...now, run: undefined, problem: (error as Error).message, failed: of }));
    }
  }

  const pausing = (isPaused: boolean) => {
    running.current?.tell(isPaused ? 'pause' : 'resume');
    setFitting((now) => ({ ...now, run: now.run && { ...now.run, isPaused } }));
  };
  /** Keeps the worker of the newly shown fit, and ends all others. */
  const keep = (worker: PageWorker) => {
    running.current?.end();
    running.current = undefined;
    kept.current?.end();
    kept.current = worker;
  };
  const start = (settings: Settings, dataset: Dataset): Promise<void> => {
    const worker = new PageWorker();
    return search({ settings, dataset }, worker, [[], []], () => worker.fit(settings, dataset));
  };
  return {
    fitting,
    start,
    /** Shows a precomputed fit at once, while a worker opens it; it is fitted here if that fails. */
    begin({ settings, dataset, summary, text }: Example): void {
      const worker = new PageWorker();
      const { fit, opened } = worker.openKnown(text, summary, [settings.maxIterations]);
      keep(worker);
      setFitting({
        shown: { fit, of: { settings, dataset }, name: dataset.name, worker },
        run: undefined,
        problem: '',
      });
      opened.catch(() => {
        if (kept.current === worker) start(settings, dataset);
      });
    },
    /** Continues the search of the shown fit, with as many iterations again. */
    goOn(): Promise<void> {
      const { shown } = fitting;
      const { worker, fit } = shown!;
      const of = shown!.of as Fittable;
      return search(of, worker, fit.trace, () => worker.goOn(of.settings));
    },
    pause: () => pausing(true),
    resume: () => pausing(false),
    /** Ends the search at its current point; before the first step there is nothing to show, and its worker cannot receive a signal. */
    stop: () => {
      const worker = running.current;
      if (fitting.run?.latents !== undefined || worker === kept.current) worker?.tell('stop');
      else worker?.end('Stopped before the first step: there is no map yet.');
    },
    dismiss: () => setFitting((now) => ({ ...now, problem: '' })),
    /** Shows a saved fit, or reports why it cannot. If the file does not contain its rows, the fit can only be viewed. */
    async open(name: string, text: string): Promise<Shown | undefined> {
      const worker = new PageWorker();
      try {
        const { fit, rows, settings } = await worker.open(text);
        keep(worker);
        const { observations } = rows;
        const columns = rows.columns ?? Array.from({ length: observations?.columns ?? 0 }, (_, j) => `column ${j + 1}`);
        const dataset = observations && {
          ...{ name, observations, columns, labels: rows.labels, ids: rows.ids, beside: rows.beside, notes: [] },
          labelColumn: rows.labelColumn ?? 'label',
          idColumn: rows.idColumn ?? 'id',
          view: rows.view ?? rowView(columns),
        };
        const of = dataset && {
          settings: settings && { ...settings, set: 'own', labels: rows.labelColumn ?? '' },
          dataset,
        };
        const shown = { fit, of, name, worker };
        setFitting({ shown, run: undefined, problem: '' });
        return shown;
      } catch (error) {
        worker.end();
        setFitting((now) => ({
          ...now,
          failed: undefined,
          problem: `'${name}' is not a fit of this library: ${(error as Error).message}`,
        }));
        return undefined;
      }
    },
  };
}
