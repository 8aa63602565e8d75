import { Matrix } from 'latentfield/core';
import { useRef, useState } from 'preact/hooks';
import { type Dataset, rowView } from './data/dataset.ts';
import type { Example } from './example.ts';
import type { Trace } from './fitSummary.ts';
import type { FitStep } from './page.worker.ts';
import { type Fitted, PageWorker } from './pageWorker.ts';
import type { Settings } from './settings.ts';

/** What is fitted: the controls may have left it since. */
export interface Subject {
  /** Undefined of a fit that the page has not made. */
  readonly settings: Settings | undefined;
  readonly dataset: Dataset;
}

type Fittable = Subject & { readonly settings: Settings };

/** A finished fit, with the worker that keeps it. */
export interface Shown {
  readonly fit: Fitted;
  readonly of: Subject | undefined;
  readonly name: string;
  readonly worker: PageWorker;
}

/** A fit that is being made. */
export interface Run {
  readonly of: Subject;
  readonly isPaused: boolean;
  readonly latents: Matrix | undefined;
  readonly trace: Trace;
  readonly since: number;
  /** Iterations that it may have reached when it ends, with those of the rounds before. */
  readonly most: number;
}

export interface Fitting {
  readonly shown: Shown | undefined;
  readonly run: Run | undefined;
  /** Why the last one failed, and what it was to be. */
  readonly problem: string;
  readonly failed?: Subject | undefined;
}

/** A fit of which the page shows the map. */
export interface Pictured {
  readonly name: string;
  /** Undefined of a file that does not hold its rows. */
  readonly dataset: Dataset | undefined;
  readonly latents: Matrix;
  /** What can be asked; undefined while it is being made. */
  readonly fit: Fitted | undefined;
  readonly model: string | undefined;
  /** The fit that is being made. */
  readonly run?: Run;
}

/** The fit that is being made as soon as its rows have places, else the finished one: heading and map are both of it. */
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

/** Rows of which drawing takes longer than a frame, and milliseconds between two pictures of them: the page stays free to answer. */
const MANY = 20_000;
const PAUSE = 1000;

function afterFrame(milliseconds: number, show: () => void): void {
  if (milliseconds === 0) requestAnimationFrame(show);
  else setTimeout(() => requestAnimationFrame(show), milliseconds);
}

/** The fits of the page: the finished one that is shown, and at most one that is being made. A failed one leaves what was shown. */
export function useFitting() {
  const [fitting, setFitting] = useState<Fitting>({ shown: undefined, run: undefined, problem: '' });
  const running = useRef<PageWorker | undefined>(undefined);
  const kept = useRef<PageWorker | undefined>(undefined);

  /** Shows the newest step of each frame. */
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
  /** Keeps the worker of the fit that is shown from now on, and ends all others. */
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
    /** Shows a fit that was made before at once, while a worker opens it; it is fitted here if that fails. */
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
    /** Searches on from the fit that is shown, by as many iterations again. */
    goOn(): Promise<void> {
      const { shown } = fitting;
      const { worker, fit } = shown!;
      const of = shown!.of as Fittable;
      return search(of, worker, fit.trace, () => worker.goOn(of.settings));
    },
    pause: () => pausing(true),
    resume: () => pausing(false),
    /** Ends the search where it is; before the first step there is nothing to show, and its worker hears no signal. */
    stop: () => {
      const worker = running.current;
      if (fitting.run?.latents !== undefined || worker === kept.current) worker?.tell('stop');
      else worker?.end('Stopped before its first step: there is no map of it yet.');
    },
    dismiss: () => setFitting((now) => ({ ...now, problem: '' })),
    /** Shows a fit that was saved, or says why not. Where the file does not hold its rows, it can be looked at only. */
    async open(name: string, text: string): Promise<Shown | undefined> {
      const worker = new PageWorker();
      try {
        const { fit, rows, settings } = await worker.open(text);
        keep(worker);
        const { observations } = rows;
        const columns = rows.columns ?? Array.from({ length: observations?.columns ?? 0 }, (_, j) => `column ${j + 1}`);
        const dataset = observations && {
          ...{ name, observations, columns, labels: rows.labels, ids: rows.ids, notes: [] },
          labelColumn: rows.labelColumn ?? 'label',
          idColumn: rows.idColumn ?? 'id',
          view: rowView(columns),
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
          problem: `'${name}' is no fit of this library: ${(error as Error).message}`,
        }));
        return undefined;
      }
    },
  };
}
