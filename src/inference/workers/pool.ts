import { InvalidInputError } from '../../core/errors.ts';
import { atMostProcessors, isNode, nodeModule, threadOptions } from '../../core/host.ts';
import { describe } from '../../core/matrix.ts';

/**
 * Custom workers for the starts of a fit, for models with custom kernels, priors or other parts, or for bundlers that need to see the worker's file.
 * The file calls `serveFits` of `latentfield/workers`.
 *
 * @example
 * ```ts
 * // worker.js
 * import { serveFits } from 'latentfield/workers';
 * import { cauchy } from './cauchy.js';
 * serveFits({ kernels: { cauchy } });
 *
 * // page.js
 * const start = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
 * await fit(model, { restarts: 7, workers: { count: 4, start } });
 * ```
 */
export interface WorkerPool {
  /** Number of workers, at least 1. */
  readonly count: number;
  /** Starts a worker: a `Worker` of the browser, or of node:worker_threads. */
  readonly start: () => WorkerLike;
  /** Address of its file, for error messages if it could not be loaded. */
  readonly url?: string | undefined;
}

/**
 * Built-in workers with custom parts, in Node: threads that load the module that exports these parts.
 *
 * @example
 * ```ts
 * // kernels.js has `export const kernels = { cauchy };`
 * await fit(model, { restarts: 7, workers: { count: 4, parts: new URL('./kernels.js', import.meta.url) } });
 * ```
 */
export interface WorkersWithParts {
  /** Number of workers, at least 1. */
  readonly count: number;
  /** Path or address of a module that exports `models`, `kernels`, `priors` or other parts, each an object of factories by name, as for `loadFit`. */
  readonly parts: string | URL;
}

/** Number of built-in workers, or a worker pool. */
export type Workers = number | WorkerPool | WorkersWithParts;

/** Members of a Web Worker or Node thread that the library uses. */
export type WorkerLike = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'> | NodeThread;

/** Members of a node:worker_threads thread that the library uses. */
export interface NodeThread {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  terminate(): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
}

/** Receiver of a worker's messages. */
export interface Listener {
  message(data: unknown): void;
  /** Called if the worker could not start, or ended unexpectedly. */
  lost(reason: string): void;
}

/**
 * Worker pool of the caller, or the requested number of built-in workers, at most one per processor.
 *
 * @throws InvalidInputError for an object without a function that starts workers or a module of parts, and for a module of parts in a page
 */
export async function poolOf(workers: Workers): Promise<WorkerPool> {
  const given: { readonly count: number; readonly start?: unknown; readonly parts?: unknown } =
    typeof workers === 'number' ? { count: workers } : workers;
  const { start, parts } = given;
  if (typeof start === 'function') return workers as WorkerPool;
  if (typeof workers !== 'number' && typeof parts !== 'string' && !(parts instanceof URL)) {
    throw new InvalidInputError(
      'Workers of your own are { count, start } with a function that starts one, or { count, parts } with the path or address of a module, ' +
        `but start is ${describe(start)} and parts ${describe(parts)}.`,
    );
  }
  const count = await atMostProcessors(given.count);
  const here = import.meta.url;
  if (!isNode()) {
    if (parts !== undefined) {
      throw new InvalidInputError(
        'Workers of a page do not load custom parts automatically. Give { count, start }, workers whose file calls serveFits with them.',
      );
    }
    return {
      count,
      // Bundlers search for exactly this expression, and copy the file to its URL.
      start: () => new Worker(new URL('../../app/workers/fitWorker.js', import.meta.url), { type: 'module' }),
      url: new URL(FILE, here).href,
    };
  }
  const threads = await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', 'Not in Node.');
  // A thread cannot read TypeScript: run from its sources, the library starts the worker that was built from them.
  const file = new URL(here.endsWith('.ts') ? '../../../dist/node/app-workers-fitWorker.js' : FILE, here);
  const workerData = parts === undefined ? undefined : { parts: String(parts) };
  return { count, start: () => new threads.Worker(file, { workerData, ...threadOptions() }), url: file.href };
}

const FILE = '../../app/workers/fitWorker.js';

/**
 * Listens to a worker of either kind.
 *
 * @param url - address of its file, if known
 */
export function listen(worker: WorkerLike, { message, lost }: Listener, url?: string): void {
  if ('on' in worker) {
    worker.on('message', message);
    worker.on('error', (error) => lost(isMissing(error) ? `${error.message}. ${movedInNode}` : error.message));
    worker.on('exit', (code) => lost(`it ended with exit code ${code}`));
    return;
  }
  // Browsers do not report why a worker has not started, unless a policy forbids it: then the page receives a separate event.
  let forbidden: SecurityPolicyViolationEvent | undefined;
  const violated = (event: SecurityPolicyViolationEvent) => {
    if (/^(worker|child|script|default)-src/.test(event.effectiveDirective)) forbidden = event;
  };
  const page = globalThis as unknown as Partial<Window>;
  page.addEventListener?.('securitypolicyviolation', violated);
  const done = () => page.removeEventListener?.('securitypolicyviolation', violated);
  worker.addEventListener('message', ({ data }) => {
    done();
    message(data);
  });
  worker.addEventListener('error', ({ message: reason }) => {
    // Which of the two events comes first, browsers may choose.
    setTimeout(() => {
      done();
      lost(reason || (forbidden === undefined ? notLoaded(url) : forbiddenBy(forbidden)));
    });
  });
  worker.addEventListener('messageerror', () => lost('a message of it could not be read'));
}

const own = (url: string) => `start workers of your own, () => new Worker(${url})`;
const inPages = own("url, { type: 'module' }");

const notLoaded = (url: string | undefined) =>
  `its file${url === undefined ? '' : `, ${url},`} could not be loaded: it does not exist, or is not a script. ` +
  `Serve latentfield/worker.js, one file for all workers, and ${inPages} with its address`;

const forbiddenBy = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) =>
  `the content security policy forbids its file, ${blockedURI}, by ${effectiveDirective}. Allow it there, such as by worker-src 'self'`;

const isMissing = (error: Error) => /MODULE_NOT_FOUND$/.test((error as { readonly code?: string }).code ?? '');

const movedInNode =
  'Where a bundler has moved the package, leave it out of the bundle (external), or ' +
  own("new URL(import.meta.resolve('latentfield/worker.js'))");
