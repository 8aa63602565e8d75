import { type Fit, fitSteps, loadFit, Matrix, type Prediction, type Projection } from 'latentfield';
import { type Background, backgroundOf, type Place } from './background.ts';
import { modelOf } from './model.ts';
import type { Settings } from './settings.ts';
import type { PlainMatrix } from './tasks.worker.ts';

/** What the page asks of the worker in which a fit is made and stays: nothing that takes long is done on the page's own thread. */
export type FitRequest =
  | {
      readonly kind: 'fit';
      readonly settings: Settings;
      readonly observations: PlainMatrix;
      readonly labels: readonly string[] | undefined;
    }
  /** The text of a fit that was saved. */
  | { readonly kind: 'open'; readonly text: string }
  | { readonly kind: 'predict'; readonly X: PlainMatrix }
  | { readonly kind: 'project'; readonly Y: PlainMatrix }
  | { readonly kind: 'background'; readonly place: Place }
  | { readonly kind: 'json' };

/** A fit as the page sees it. */
export interface FitSummary {
  readonly model: string;
  readonly latents: PlainMatrix;
  readonly objective: number;
  readonly status: string;
  readonly message: string;
  /** Iterations, and the objective after each. */
  readonly trace: readonly [readonly number[], readonly number[]];
  readonly predicts: boolean;
  readonly projects: boolean;
}

export interface FitAnswers {
  readonly fit: FitSummary;
  /** With the rows that it was fitted to, where the file has them. */
  readonly open: FitSummary & { readonly observations: PlainMatrix | undefined };
  readonly predict: { readonly mean: PlainMatrix; readonly variance: PlainMatrix };
  readonly project: PlainMatrix;
  /** undefined when another was asked for meanwhile. */
  readonly background: Background | undefined;
  readonly json: string;
}

/** What needs no answer. */
export interface FitSignal {
  readonly signal: 'pause' | 'resume' | 'stop' | 'seen';
}

export interface FitStep {
  readonly iteration: number;
  readonly objective: number;
  readonly latents: PlainMatrix;
}

export type FitReply =
  | { readonly step: FitStep }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

/** A fit with what it can do; which of it is there depends on the model. */
type AnyFit = Fit & {
  predict?(X: Matrix, options?: { noise?: boolean }): Prediction;
  project?(Y: Matrix): Promise<Projection>;
};

const matrix = ({ data, rows, columns }: PlainMatrix) => new Matrix(data, rows, columns);
const plain = ({ data, rows, columns }: Matrix): PlainMatrix => ({ data, rows, columns });

const stop = new AbortController();
let paused: Promise<void> | undefined;
let goOn = () => {};
/** Whether the page has shown the step before: a slow page is not flooded. */
let isSeen = true;
let fitted: AnyFit | undefined;
let drawing = new AbortController();

self.addEventListener('message', async ({ data }: MessageEvent<FitSignal | { id: number; request: FitRequest }>) => {
  if ('signal' in data) {
    follow(data.signal);
    return;
  }
  const { id, request } = data;
  try {
    self.postMessage({ id, value: await answer(request) } satisfies FitReply);
  } catch (error) {
    self.postMessage({ id, error: (error as Error).message } satisfies FitReply);
  }
});

function follow(signal: FitSignal['signal']): void {
  if (signal === 'seen') isSeen = true;
  else if (signal === 'pause') {
    paused ??= new Promise((resolve) => {
      goOn = resolve;
    });
  } else {
    if (signal === 'stop') stop.abort('Stop was pressed');
    goOn();
    paused = undefined;
  }
}

async function answer(request: FitRequest): Promise<FitAnswers[keyof FitAnswers]> {
  switch (request.kind) {
    case 'fit':
      fitted = await run(request);
      return summary(fitted);
    case 'open': {
      const json = JSON.parse(request.text);
      fitted = loadFit(json) as AnyFit;
      return { ...summary(fitted), observations: observationsOf(json) };
    }
    case 'predict': {
      const { mean, variance } = fitted!.predict!(matrix(request.X), { noise: true });
      return { mean: plain(mean), variance: plain(variance) };
    }
    case 'project':
      return plain((await fitted!.project!(matrix(request.Y))).latents);
    case 'background':
      drawing.abort();
      drawing = new AbortController();
      return backgroundOf((X) => fitted!.predict!(X, { noise: true }), request.place, drawing.signal);
    case 'json':
      return JSON.stringify(fitted);
  }
}

async function run({ settings, observations, labels }: FitRequest & { kind: 'fit' }): Promise<AnyFit> {
  const { model } = modelOf(settings, { observations: matrix(observations), labels });
  const { maxIterations, seed } = settings;
  const steps = fitSteps(model, { maxIterations, seed, signal: stop.signal });
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value as AnyFit;
    if (isSeen) {
      isSeen = false;
      const { iteration, objective, latents } = value;
      self.postMessage({ step: { iteration, objective, latents: plain(latents) } } satisfies FitReply);
    }
    // Signals come in between steps.
    await new Promise<void>((resolve) => setTimeout(resolve));
    await paused;
  }
}

function summary(fit: AnyFit): FitSummary {
  const { model, latents, objective, status, message, trace } = fit;
  return {
    ...{ model, latents: plain(latents), objective, status, message },
    trace: [trace.map(({ iteration }) => iteration), trace.map((entry) => entry.objective)],
    predicts: fit.predict !== undefined,
    projects: fit.project !== undefined,
  };
}

/** Rows of a saved fit, whose holes are null. */
function observationsOf(json: { readonly model: { readonly observations?: unknown } }): PlainMatrix | undefined {
  const rows = json.model.observations;
  if (!Array.isArray(rows)) return undefined;
  return plain(Matrix.from(rows.map((row: (number | null)[]) => row.map((entry) => entry ?? Number.NaN))));
}
