import { Matrix } from 'latentfield/core';
import type { Background, Place } from './background.ts';
import type { Dataset } from './data/dataset.ts';
import type { ExpectedTime } from './expectedTime.ts';
import type { FitSummary, FittedRows, PlainMatrix } from './fitSummary.ts';
import type { Answers, FitStep, Placed, Reply, Request, Scores, Signal } from './page.worker.ts';
import type { Rounded } from './rounded.ts';
import type { Settings } from './settings.ts';
import { startWorker } from './startWorker.ts';

/** Fit that stays in its worker. */
export interface Fitted extends Omit<FitSummary, 'latents' | 'latentVariances'> {
  readonly latents: Matrix;
  readonly latentVariances: Matrix | undefined;
  /** Expected rows and their variances, including noise. */
  predict(X: readonly (readonly number[])[]): Promise<{ readonly mean: Matrix; readonly variance: Matrix }>;
  /** Latents of new rows. */
  project(Y: Matrix): Promise<Omit<Placed, 'latents'> & { readonly latents: Matrix }>;
  /** Shortest path between two positions: its points, and its length in the units of the fit. */
  geodesic(
    from: readonly number[],
    to: readonly number[],
  ): Promise<{ readonly latents: Matrix; readonly length: number; readonly converged: boolean }>;
  background(place: Omit<Place, 'spreads'>): Promise<Background | undefined>;
  /** Rows in the units of the comparison; undefined if distances between rows are unknown. */
  compared(): Promise<{ readonly rows: Matrix; readonly unit: Float64Array } | undefined>;
  /** Text of its JSON. */
  json(): Promise<string>;
  /** Text of its JSON with rounded numbers, for a link. */
  rounded(): Promise<Rounded>;
  /** Program that refits it. */
  program(settings: Settings | undefined, dataset: Dataset): Promise<string>;
}

/** Worker of the page, which reads tables, or computes a fit and keeps it. */
export class PageWorker {
  private readonly worker = startWorker();
  private readonly waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  private count = 0;
  onStep: (step: FitStep) => void = () => {};
  /** Called with the number of rows of a text that have been read. */
  onRows: (rows: number) => void = () => {};

  constructor() {
    this.worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      if ('step' in data) {
        this.onStep(data.step);
        this.tell('seen');
        return;
      }
      if ('rows' in data) {
        this.onRows(data.rows);
        return;
      }
      const { resolve, reject } = this.waiting.get(data.id)!;
      this.waiting.delete(data.id);
      if ('error' in data) reject(new Error(data.error));
      else resolve(data.value as never);
    });
    this.worker.addEventListener('error', () => {
      this.fail('The page lost its worker, most often because memory ran out. Fit fewer rows, or use inducing inputs.');
    });
  }

  async fit(settings: Settings, dataset: Dataset): Promise<Fitted> {
    return this.fitted(await this.ask({ kind: 'fit', settings, rows: rowsOf(dataset) }));
  }

  /** Expected time of all iterations of a fit on this machine; if rough, extrapolated from some of its rows. */
  expectedTime(settings: Settings, dataset: Dataset, isRough: boolean): Promise<ExpectedTime> {
    return this.ask({ kind: 'expectedTime', settings, rows: rowsOf(dataset), isRough });
  }

  /** Continues the search of its fit. */
  async goOn(settings: Settings): Promise<Fitted> {
    return this.fitted(await this.ask({ kind: 'goOn', settings }));
  }

  /** Opens a saved fit, with the stored information about its rows. */
  async open(text: string): Promise<{
    fit: Fitted;
    rows: Omit<Partial<FittedRows>, 'observations'> & { readonly observations: Matrix | undefined };
    /** Settings that the page used. */
    settings: Settings | undefined;
  }> {
    const { rows, settings, ...summary } = await this.ask({ kind: 'open', text });
    const { observations } = rows;
    return {
      fit: this.fitted(summary),
      settings,
      rows: { ...rows, observations: observations && matrixOf(observations) },
    };
  }

  /** Opens a saved fit whose visible content is already known: requests are accepted at once, and answered when it is open. */
  openKnown(text: string, summary: FitSummary, rounds: readonly number[]): { fit: Fitted; opened: Promise<unknown> } {
    return { opened: this.ask({ kind: 'open', text, rounds }), fit: this.fitted(summary) };
  }

  scores(Y: Matrix | undefined, X: Matrix, labels: readonly string[] | undefined): Promise<Scores> {
    return this.ask({ kind: 'scores', Y: Y && plainMatrix(Y), X: plainMatrix(X), labels });
  }

  /** Gaussian process fitted at the fixed positions of another map of the rows. */
  async hold(Y: Matrix, X: Matrix, isStandardized: boolean): Promise<Fitted> {
    return this.fitted(await this.ask({ kind: 'hold', Y: plainMatrix(Y), X: plainMatrix(X), isStandardized }));
  }

  tell(signal: Signal['signal']): void {
    this.worker.postMessage({ signal } satisfies Signal);
  }

  /** Ends the worker and its fit. */
  end(reason = 'Another fit has replaced this one.'): void {
    this.worker.terminate();
    this.fail(reason);
  }

  ask<K extends keyof Answers>(request: Extract<Request, { kind: K }>): Promise<Answers[K]> {
    const id = this.count++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, request });
    });
  }

  private fitted(summary: FitSummary): Fitted {
    const { latentVariances } = summary;
    return {
      ...summary,
      latents: matrixOf(summary.latents),
      latentVariances: latentVariances && matrixOf(latentVariances),
      predict: async (X) => {
        const { mean, variance } = await this.ask({
          kind: 'predict',
          X: plainMatrix(Matrix.from(X.map((x) => [...x]))),
        });
        return { mean: matrixOf(mean), variance: matrixOf(variance) };
      },
      project: async (Y) => {
        const placed = await this.ask({ kind: 'project', Y: plainMatrix(Y) });
        return { ...placed, latents: matrixOf(placed.latents) };
      },
      geodesic: async (from, to) => {
        const found = await this.ask({ kind: 'geodesic', from, to });
        return { ...found, latents: matrixOf(found.latents) };
      },
      compared: async () => {
        const found = await this.ask({ kind: 'compared' });
        return found && { rows: matrixOf(found.rows), unit: found.unit };
      },
      background: (place) => this.ask({ kind: 'background', place }),
      json: () => this.ask({ kind: 'json' }),
      rounded: () => this.ask({ kind: 'rounded' }),
      program: (settings, dataset) => this.ask({ kind: 'program', settings, rows: rowsOf(dataset) }),
    };
  }

  private fail(message: string): void {
    for (const { reject } of this.waiting.values()) reject(new Error(message));
    this.waiting.clear();
  }
}

const plainMatrix = ({ data, rows, columns }: Matrix): PlainMatrix => ({ data, rows, columns });
const matrixOf = ({ data, rows, columns }: PlainMatrix) => new Matrix(data, rows, columns);
const rowsOf = ({ observations, columns, labels, labelColumn, ids, idColumn, beside, view }: Dataset): FittedRows => ({
  ...{ columns, labels, labelColumn, ids, idColumn, beside, view },
  observations: plainMatrix(observations),
});
