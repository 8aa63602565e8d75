import { Matrix } from 'latentfield';
import type { Background, Place } from './background.ts';
import type { Dataset } from './data/dataset.ts';
import type { FitAnswers, FitReply, FitRequest, FitSignal, FitStep, FitSummary } from './fit.worker.ts';
import type { Settings } from './settings.ts';
import { plainMatrix } from './tasks.ts';

/** A fit that stays in its worker. */
export interface Fitted extends Omit<FitSummary, 'latents'> {
  readonly latents: Matrix;
  /** Expected rows and their variances, noise included. */
  predict(X: readonly (readonly number[])[]): Promise<{ readonly mean: Matrix; readonly variance: Matrix }>;
  /** Latents of new rows. */
  project(Y: Matrix): Promise<Matrix>;
  background(place: Place): Promise<Background | undefined>;
  /** The text of its JSON. */
  json(): Promise<string>;
}

/** The worker of one fit. */
export class FitWorker {
  private readonly worker = new Worker(new URL('./fit.worker.ts', import.meta.url), { type: 'module' });
  private readonly waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  private count = 0;

  constructor(onStep: (step: FitStep) => void = () => {}) {
    this.worker.addEventListener('message', ({ data }: MessageEvent<FitReply>) => {
      if ('step' in data) {
        onStep(data.step);
        this.tell('seen');
        return;
      }
      const { resolve, reject } = this.waiting.get(data.id)!;
      this.waiting.delete(data.id);
      if ('error' in data) reject(new Error(data.error));
      else resolve(data.value as never);
    });
    this.worker.addEventListener('error', () => {
      this.fail(
        'The worker of the fit was lost, most often for want of memory. Fit fewer rows, or with inducing inputs.',
      );
    });
  }

  async fit(settings: Settings, { observations, labels }: Dataset): Promise<Fitted> {
    return this.fitted(await this.ask({ kind: 'fit', settings, observations: plainMatrix(observations), labels }));
  }

  /** A fit that was saved, and the rows that it was fitted to. */
  async open(text: string): Promise<{ fit: Fitted; observations: Matrix | undefined }> {
    const { observations, ...summary } = await this.ask({ kind: 'open', text });
    return { fit: this.fitted(summary), observations: observations && matrixOf(observations) };
  }

  tell(signal: FitSignal['signal']): void {
    this.worker.postMessage({ signal } satisfies FitSignal);
  }

  /** Ends it, and its fit with it. */
  end(): void {
    this.worker.terminate();
    this.fail('Another fit has taken the place of this one.');
  }

  private fitted(summary: FitSummary): Fitted {
    return {
      ...summary,
      latents: matrixOf(summary.latents),
      predict: async (X) => {
        const { mean, variance } = await this.ask({ kind: 'predict', X: plainMatrix(Matrix.from(X)) });
        return { mean: matrixOf(mean), variance: matrixOf(variance) };
      },
      project: async (Y) => matrixOf(await this.ask({ kind: 'project', Y: plainMatrix(Y) })),
      background: (place) => this.ask({ kind: 'background', place }),
      json: () => this.ask({ kind: 'json' }),
    };
  }

  private ask<K extends keyof FitAnswers>(request: Extract<FitRequest, { kind: K }>): Promise<FitAnswers[K]> {
    const id = this.count++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, request });
    });
  }

  private fail(message: string): void {
    for (const { reject } of this.waiting.values()) reject(new Error(message));
    this.waiting.clear();
  }
}

const matrixOf = ({ data, rows, columns }: FitSummary['latents']) => new Matrix(data, rows, columns);
