import { InvalidInputError, type PlainError, plainError } from '../../core/errors.ts';
import { isNode, nodeModule } from '../../core/host.ts';
import { fitSteps } from '../../inference/fit/fit.ts';
import type { FitOptions } from '../../inference/fit/fitOptions.ts';
import { type ChainReply, type ChainRequest, serveChains } from '../../inference/sampling/drawInWorkers.ts';
import { type SolverJSON, solverFromJSON } from '../../inference/solvers/json.ts';
import type { Reply, Request } from '../../inference/workers/messages.ts';
import { serveRuns } from '../../inference/workers/serveRuns.ts';
import type { FitJSON, TraceEntry } from '../../model/fit.ts';
import type { Model, ModelJSON } from '../../model/model.ts';
import { modelFromJSON } from '../../models/modelFromJSON.ts';
import type { OwnParts } from '../../models/ownParts.ts';

type AnyRequest = Request | WholeRequest | ChainRequest;
type AnyReply = Reply | WholeReply | ChainReply;

interface Port {
  post(reply: AnyReply): void;
  listen(onRequest: (request: AnyRequest) => void): void;
}

/**
 * Turns the calling thread into a worker of fits: the only statement a worker's file needs.
 *
 * @param own - factories of custom models, kernels, priors and other parts, by name
 * @throws InvalidInputError unless it is called in a Web Worker or a thread of Node
 * @example
 * ```ts
 * serveFits({ kernels: { cauchy } });
 * ```
 */
export async function serveFits(own: OwnParts = {}): Promise<void> {
  await serveModels(own);
}

/** Serves fits; if the parts could not be read, every request is answered with the reason. */
export async function serveModels(own: OwnParts | Error): Promise<void> {
  const port = isNode() ? await threadPort() : webPort();
  const model = (json: Parameters<typeof modelFromJSON>[0]) => {
    if (own instanceof Error) throw own;
    return modelFromJSON(json, own);
  };
  const { post } = port;
  serveRuns({ post, listen: (on) => port.listen((request) => isOfRun(request) && on(request)) }, model);
  serveWholeFits(
    { post, listen: (on) => port.listen((request) => !isOfRun(request) && !isOfChain(request) && on(request)) },
    model,
  );
  serveChains({ post, listen: (on) => port.listen((request) => isOfChain(request) && on(request)) }, model);
}

const elsewhere = 'serveFits makes a worker out of the thread it is called in: call it in the file of a worker.';

const isOfRun = (request: AnyRequest): request is Request => ['open', 'run', 'stop'].includes(request.kind);
const isOfChain = (request: AnyRequest): request is ChainRequest => request.kind === 'chain';

async function threadPort(): Promise<Port> {
  const { parentPort } = await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', elsewhere);
  if (parentPort === null) throw new InvalidInputError(elsewhere);
  return {
    post: (reply) => parentPort.postMessage(reply),
    listen: (onRequest) => {
      parentPort.on('message', onRequest);
    },
  };
}

function webPort(): Port {
  const scope = globalThis as unknown as {
    postMessage(reply: AnyReply): void;
    addEventListener(type: 'message', listener: (event: { data: AnyRequest }) => void): void;
  };
  if (typeof document !== 'undefined') throw new InvalidInputError(elsewhere);
  return {
    post: (reply) => scope.postMessage(reply),
    listen: (onRequest) => scope.addEventListener('message', ({ data }) => onRequest(data)),
  };
}

/** Options of a fit that are sent to a worker unchanged. */
export type PlainFitOptions = Pick<
  FitOptions,
  'batchSize' | 'maxIterations' | 'maxEvaluations' | 'maxSeconds' | 'tolerance' | 'relativeDecrease' | 'seed' | 'engine'
> & { readonly restarts?: number | undefined };

/** Messages from a page to the worker of a whole fit. */
export type WholeRequest =
  | {
      readonly kind: 'fitWhole';
      /** Model as JSON text. */
      readonly model: string;
      readonly options: PlainFitOptions;
      readonly solver: SolverJSON | undefined;
    }
  | { readonly kind: 'pauseWhole' | 'resumeWhole' | 'stopWhole' | 'seenStep' };

/** Step as a message. */
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
  /** Fit as JSON text. */
  | { readonly kind: 'fitted'; readonly fit: string }
  | ({ readonly kind: 'failedWhole' } & PlainError);

/** Worker's end of the connection. */
interface WholePort {
  post(reply: WholeReply): void;
  listen(onRequest: (request: WholeRequest) => void): void;
}

/**
 * Turns this thread into a worker of whole fits. A step is posted once the page has processed the previous one, so that a slow page is not flooded;
 * the trace of the result contains all steps.
 */
function serveWholeFits(port: WholePort, modelFromJSON: (json: ModelJSON) => Model): void {
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
      run(request).catch((error: unknown) => port.post({ kind: 'failedWhole', ...plainError(error) }));
    }
  });
}
