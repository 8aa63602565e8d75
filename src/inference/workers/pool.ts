import { InvalidInputError } from '../../core/errors.ts';
import { atMostProcessors, isNode, nodeModule, threadOptions } from '../../core/host.ts';
import { describe } from '../../core/matrix.ts';

/**
 * Workers of your own for the starts of a fit: for models with kernels, priors or other parts of your own, or where a bundler
 * needs to see the worker's file. The file calls `serveFits` of `latentfield/workers`.
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
  /** Starts one: a `Worker` of the browser, or of node:worker_threads. */
  readonly start: () => WorkerLike;
  /** The address of its file, which an error names when it could not be loaded. */
  readonly url?: string | undefined;
}

/**
 * Workers of the library that know parts of your own, in Node: threads that load the module in which these are.
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
  /** Path or address of a module that exports `models`, `kernels`, `priors` or other parts, each an object of factories by name: what `loadFit` takes too. */
  readonly parts: string | URL;
}

/** How many workers of the library, or which. */
export type Workers = number | WorkerPool | WorkersWithParts;

/** Members of a Web Worker, or of a thread of Node, that are used. */
export type WorkerLike = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'> | NodeThread;

/** Members of a thread of node:worker_threads that are used. */
export interface NodeThread {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  terminate(): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
}

/** Who gets the messages of a worker. */
export interface Listener {
  message(data: unknown): void;
  /** Called when the worker could not start, or came to an end by itself. */
  lost(reason: string): void;
}

/**
 * Workers of the caller; or as many of the library as asked for, one for each processor at most.
 *
 * @throws InvalidInputError for neither a function that starts workers nor a module of parts, and for a module in a page
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
        'Workers of a page do not load parts by themselves. Give { count, start }, workers whose file calls serveFits with them.',
      );
    }
    return {
      count,
      // Bundlers look for this, as it is written, and put the file where it is found.
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
 * @param url - of its file, where it is known
 */
export function listen(worker: WorkerLike, { message, lost }: Listener, url?: string): void {
  if ('on' in worker) {
    worker.on('message', message);
    worker.on('error', (error) => lost(isMissing(error) ? `${error.message}. ${movedInNode}` : error.message));
    worker.on('exit', (code) => lost(`it ended with exit code ${code}`));
    return;
  }
  // Browsers do not say why a worker has not begun, unless a policy forbids it: that they tell the page, in an event of its own.
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
  `its file${url === undefined ? '' : `, ${url},`} could not be loaded: it is not there, or is no script. ` +
  `Serve latentfield/worker.js, one file for all workers, and ${inPages} with its address`;

const forbiddenBy = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) =>
  `the content security policy forbids its file, ${blockedURI}, by ${effectiveDirective}. Allow it there, such as by worker-src 'self'`;

const isMissing = (error: Error) => /MODULE_NOT_FOUND$/.test((error as { readonly code?: string }).code ?? '');

const movedInNode =
  'Where a bundler has moved the package, leave it out of the bundle (external), or ' +
  own("new URL(import.meta.resolve('latentfield/worker.js'))");
