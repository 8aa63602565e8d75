import { errorFrom, LatentFieldError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { solverToJSON } from '../../inference/solvers/json.ts';
import { type Listener, listen, poolOf, type WorkerLike } from '../../inference/workers/pool.ts';
import type { FitOf, TraceEntry } from '../../model/fit.ts';
import type { AnyModel, Model } from '../../model/model.ts';
import type { Solver } from '../../model/solver.ts';
import { loadFit } from '../../models/loadFit.ts';
import type { OwnParts } from '../../models/ownParts.ts';
import type { PlainFitOptions, StepMessage, WholeReply, WholeRequest } from './serveFits.ts';

/** State of a fit in a worker after an iteration. */
export interface WorkerStep extends TraceEntry {
  /** Index of the start: 0 is the model's default. */
  readonly start: number;
  /** Latents, N×q. */
  readonly latents: Matrix;
}

export interface FitInWorkerOptions extends PlainFitOptions {
  /** Built-in solver; default the one that suits the model. */
  readonly solver?: Solver | undefined;
  /** Called with the latest step once the previous call has returned; the trace of the result contains all steps. */
  readonly onStep?: ((step: WorkerStep) => void) | undefined;
  /** Signal that stops the fit, which resolves to its best point so far. */
  readonly signal?: AbortSignal | undefined;
  /** Starts the worker; default the built-in one. For custom parts, its file calls `serveFits` with them. */
  readonly worker?: (() => WorkerLike) | undefined;
  /** Custom parts of the result's model, the same as in the worker. */
  readonly own?: OwnParts | undefined;
}

/** Fit that runs in a worker. */
export interface FitInWorker<F> {
  /** Fit with its predictions, on this thread; the worker has ended by then. */
  readonly result: Promise<F>;
  /** Pauses the fit after the current iteration. */
  pause(): void;
  resume(): void;
  /** Ends the fit: the result is its best point so far. */
  stop(): void;
}

/**
 * Fits a model in a worker, so that a page stays responsive: steps are reported as they are made, and the fit can be paused and stopped. The model
 * goes to the worker as JSON and the fit returns as JSON, with the bits of `fit` on the same machine.
 *
 * @param model - such as `gplvm(Y, { latentDim: 2 })`
 * @param options - see {@link FitInWorkerOptions}
 * @returns the running fit, immediately
 * @throws InvalidInputError (the result rejects) if the model or its solver cannot go to a worker, or an option is wrong; any error of `fit`;
 *   LatentFieldError if the worker is lost
 * @example
 * ```ts
 * const running = fitInWorker(gplvm(Y, { latentDim: 2 }), { seed: 1, onStep: ({ latents, objective }) => show(latents, objective) });
 * running.pause();
 * running.resume();
 * const { latents } = await running.result;
 * ```
 */
export function fitInWorker<M extends AnyModel>(model: M, options: FitInWorkerOptions = {}): FitInWorker<FitOf<M>> {
  const { solver, onStep, signal, worker: start, own, ...plain } = options;
  const waiting: WholeRequest[] = [];
  let worker: WorkerLike | undefined;
  let isOver = false;
  const send = (request: WholeRequest) => {
    if (isOver) return;
    if (worker === undefined) waiting.push(request);
    else worker.postMessage(request);
  };
  const stop = () => send({ kind: 'stopWhole' });

  const run = async (): Promise<FitOf<M>> => {
    const described = model as unknown as Model;
    const request: WholeRequest = {
      kind: 'fitWhole',
      model: JSON.stringify(described.toJSON()),
      options: plain,
      solver: solver && solverToJSON(solver),
    };
    const pool = await poolOf(start === undefined ? 1 : { count: 1, start });
    const begun = pool.start();
    try {
      return await new Promise<FitOf<M>>((resolve, reject) => {
        const listener: Listener = {
          lost: (reason) =>
            reject(new LatentFieldError(`The worker of the fit was lost: ${reason.replace(/\.$/, '')}.`)),
          message: (data) => {
            const reply = data as WholeReply;
            try {
              if (reply.kind === 'fitted') resolve(loadFit<M>(JSON.parse(reply.fit), own ?? {}));
              else if (reply.kind === 'failedWhole') reject(errorFrom(reply, 'The worker of the fit'));
              else if (reply.kind === 'step') {
                onStep?.(stepOf(reply));
                send({ kind: 'seenStep' });
              }
            } catch (error) {
              reject(error);
            }
          },
        };
        listen(begun, listener, pool.url);
        worker = begun;
        for (const message of [request, ...waiting]) begun.postMessage(message);
        if (signal?.aborted) stop();
        signal?.addEventListener('abort', stop);
      });
    } finally {
      isOver = true;
      signal?.removeEventListener('abort', stop);
      await begun.terminate();
    }
  };
  return {
    result: run(),
    pause: () => send({ kind: 'pauseWhole' }),
    resume: () => send({ kind: 'resumeWhole' }),
    stop,
  };
}

const stepOf = ({ kind: _, latents, rows, columns, ...step }: StepMessage): WorkerStep => ({
  ...step,
  latents: new Matrix(latents, rows, columns),
});
