import { fitSteps } from '../../inference/fit/fit.ts';
import type { FitOptions } from '../../inference/fit/fitOptions.ts';
import { type SolverJSON, solverFromJSON } from '../../inference/solvers/json.ts';
import type { FitJSON, TraceEntry } from '../../model/fit.ts';
import type { Model, ModelJSON } from '../../model/model.ts';

/** Options of a fit that go to a worker unchanged. */
export type PlainFitOptions = Pick<
  FitOptions,
  'batchSize' | 'maxIterations' | 'maxEvaluations' | 'maxSeconds' | 'tolerance' | 'relativeDecrease' | 'seed' | 'engine'
> & { readonly restarts?: number | undefined };

/** Messages from a page to the worker of a whole fit. */
export type WholeRequest =
  | {
      readonly kind: 'fitWhole';
      /** JSON text of the model. */
      readonly model: string;
      readonly options: PlainFitOptions;
      readonly solver: SolverJSON | undefined;
    }
  | { readonly kind: 'pauseWhole' | 'resumeWhole' | 'stopWhole' | 'seenStep' };

/** A step as a message. */
export interface StepMessage extends TraceEntry {
  readonly kind: 'step';
  readonly start: number;
  readonly latents: Float64Array;
  readonly rows: number;
  readonly columns: number;
}

/** Messages from the worker to the page. */
export type WholeReply =
  | StepMessage
  /** JSON text of the fit. */
  | { readonly kind: 'fitted'; readonly fit: string }
  | { readonly kind: 'failedWhole'; readonly name: string; readonly message: string };

/** A worker's end of the connection. */
interface WholePort {
  post(reply: WholeReply): void;
  listen(onRequest: (request: WholeRequest) => void): void;
}

/**
 * Turns this thread into a worker of whole fits. A step is posted once the page has seen the previous one, so that a slow page is not flooded; the
 * trace of the result holds all steps.
 */
export function serveWholeFits(port: WholePort, modelFromJSON: (json: ModelJSON) => Model): void {
  const stop = new AbortController();
  let isSeen = true;
  let resume: (() => void) | undefined;
  let paused: Promise<void> | undefined;
  const goOn = () => {
    resume?.();
    paused = undefined;
  };

  const run = async ({ model, options, solver }: WholeRequest & { kind: 'fitWhole' }) => {
    const steps = fitSteps(modelFromJSON(JSON.parse(model) as ModelJSON), {
      ...options,
      ...(solver && { solver: solverFromJSON(solver) }),
      signal: stop.signal,
    });
    for (;;) {
      const { done, value } = await steps.next();
      if (done) {
        port.post({ kind: 'fitted', fit: JSON.stringify((value as { toJSON(): FitJSON }).toJSON()) });
        return;
      }
      if (isSeen) {
        const { start, iteration, evaluations, objective, gradientNorm, latents } = value;
        const { data, rows, columns } = latents;
        isSeen = false;
        port.post({
          kind: 'step',
          start,
          iteration,
          evaluations,
          objective,
          gradientNorm,
          latents: data,
          rows,
          columns,
        });
      }
      // Messages arrive between steps, when control returns to the event loop.
      await new Promise<void>((resolve) => setTimeout(resolve));
      await paused;
    }
  };

  port.listen((request) => {
    if (request.kind === 'seenStep') isSeen = true;
    else if (request.kind === 'pauseWhole') {
      paused ??= new Promise((resolve) => {
        resume = resolve;
      });
    } else if (request.kind === 'resumeWhole') goOn();
    else if (request.kind === 'stopWhole') {
      stop.abort('stop()');
      goOn();
    } else if (request.kind === 'fitWhole') {
      run(request).catch((error: unknown) => {
        const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
        port.post({ kind: 'failedWhole', name, message });
      });
    }
  });
}
