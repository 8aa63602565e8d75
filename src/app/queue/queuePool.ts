import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { checkOptions, integerFromOne, type OptionsIn } from '../../core/options.ts';
import type { NodeThread, WorkerPool } from '../../inference/index.ts';
import type { Job, Reply, Request } from '../../inference/workers/messages.ts';
import { redisTransport } from './redis/redisTransport.ts';
import { packed, unpacked } from './requests.ts';
import { dataKey, FITS, keysOf, openSession, type Session, type Transport, VERSION } from './session.ts';

/** Options of {@link queuePool}: a connection, or a transport. */
export interface QueuePoolOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** redis://user:password@host:port/database, or rediss:// for TLS. It is never printed. */
  connection: v.optional(v.string()),
  /** Transport instead of a connection, which the caller closes. */
  transport: v.optional(
    v.custom<Transport>((value) => typeof value === 'object' && value !== null && 'blobs' in value, 'a transport'),
  ),
  /** Prefix of all keys; default 'latentfield'. */
  prefix: v.optional(v.pipe(v.string(), v.minLength(1))),
  /** Name of the queue; default 'fits'. */
  queue: v.optional(v.pipe(v.string(), v.regex(/^[\w-]+$/, 'letters, digits, _ and -')), FITS),
  /** Seconds without any worker before the fit gives up; default 60. */
  patience: v.optional(v.pipe(v.number('a number from 1'), v.minValue(1, 'a number from 1')), 60),
  /** Maximum number of starts in the queue at a time; default 1000. */
  count: v.optional(integerFromOne, 1000),
});

/**
 * Workers of a queue for the option `workers` of `fit`: its starts are spread over all machines that run `latentfield worker`, and the result has the
 * bits of a fit on one machine. A start whose worker is lost continues on another one from its last state.
 *
 * @param options - see {@link QueuePoolOptions}
 * @returns a worker pool for `workers`; it connects when a fit begins and disconnects when it ends
 * @throws InvalidInputError for an unknown option, or neither a connection nor a transport. The fit rejects with InvalidInputError if BullMQ is not
 *   installed, and with LatentFieldError if the server cannot be reached or no worker serves the queue
 * @example
 * ```ts
 * const workers = queuePool({ connection: 'redis://127.0.0.1:6379' });
 * await fit(gplvm(Y, { latentDim: 2 }), { restarts: 23, workers });
 * ```
 */
export function queuePool(options: QueuePoolOptions): WorkerPool {
  const { count, queue, patience, ...where } = checkOptions(schema, options, 'queuePool');
  if ((where.connection === undefined) === (where.transport === undefined)) {
    throw new InvalidInputError(
      "queuePool takes either a connection, such as 'redis://127.0.0.1:6379', or a transport.",
    );
  }
  let opened: Promise<Session> | undefined;
  let users = 0;
  const open = async () => {
    const { connection, prefix } = where;
    const transport = options.transport ?? (await redisTransport({ connection: connection!, prefix }));
    return openSession({ queue, patience }, transport);
  };
  const take = () => {
    opened ??= open();
    return opened;
  };
  const release = async () => {
    if (--users > 0 || opened === undefined) return;
    const last = opened;
    opened = undefined;
    const session = await last.catch(() => undefined);
    await session?.close();
    if (options.transport === undefined) await session?.transport.close();
  };
  const start = () => {
    users++;
    return remoteWorker(queue, take, release);
  };
  return { count, start };
}

const problems = new WeakMap<Job, Promise<string>>();

/** Worker, as `fit` sees it, whose starts are jobs in a queue. */
function remoteWorker(queue: string, take: () => Promise<Session>, release: () => Promise<void>): NodeThread {
  let emit: (reply: Reply) => void = () => undefined;
  let problem: Job | undefined;
  let stopped: string | undefined;
  let running: string | undefined;
  let isOver = false;
  const fail = ({ name, message }: Error) => {
    if (!isOver) emit({ kind: 'failed', stage: 'run', name, message });
  };
  const cancel = async ({ transport }: Session, said: string) => {
    if (running !== undefined) await put(transport, keysOf(running).cancel, said);
  };

  const handle = async (request: Request) => {
    if (request.kind === 'open') problem = request.job;
    else if (request.kind === 'stop') {
      stopped = request.by;
      if (running !== undefined) await cancel(await take(), stopped);
    } else {
      const session = await take();
      const { transport } = session;
      const id = randomUUID();
      const body = packed({
        ...{ kind: 'start', version: VERSION, problem: await problemKey(problem!, session) },
        start: await putData(session, packed(request.start)),
      });
      running = id;
      if (stopped !== undefined) await cancel(session, stopped);
      await session.add([{ id, body }], [id], () => ({ look: looking(transport, id), fail }));
    }
  };

  /** Forwards the events since the last poll. */
  const looking = (transport: Transport, id: string) => {
    const { events } = keysOf(id);
    let seen = 0;
    return async () => {
      const parts = await transport.blobs.parts(events, seen);
      seen += parts.length;
      for (const reply of parts.flatMap((part) => unpacked(new TextDecoder().decode(part)) as Reply[])) {
        const ends = reply.kind === 'end' || reply.kind === 'failed';
        if (ends) {
          running = undefined;
          await forget(transport, id);
        }
        if (isOver) return true;
        emit(reply);
        if (ends) return true;
      }
      return isOver;
    };
  };

  let last: Promise<unknown> = Promise.resolve();
  return {
    postMessage(request) {
      last = last.then(() => handle(request as Request)).catch(fail);
    },
    async terminate() {
      isOver = true;
      try {
        await last;
        if (running === undefined) return;
        const session = await take();
        session.leave(running);
        await cancel(session, 'drop');
        await session.transport.withdraw(queue, running);
      } catch {
        // The server is gone, and so are the jobs to be canceled.
      } finally {
        await release();
      }
    },
    on(event: string, listener: (message: never) => void) {
      if (event === 'message') emit = listener as (reply: Reply) => void;
    },
  };
}

/** Removes the remaining blobs of a job. */
async function forget({ blobs }: Transport, id: string): Promise<void> {
  const { events, state, cancel } = keysOf(id);
  await blobs.remove(events, state, cancel);
}

/** Key of a fit's problem, which is stored once for all starts. */
async function problemKey(job: Job, session: Session): Promise<string> {
  const known = problems.get(job) ?? putData(session, packed(job));
  problems.set(job, known);
  const key = await known;
  session.keep(key);
  return key;
}

async function putData({ transport, keep }: Session, text: string): Promise<string> {
  const key = dataKey(new TextEncoder().encode(text));
  await put(transport, key, text);
  keep(key);
  return key;
}

const put = ({ blobs }: Transport, key: string, text: string) => blobs.put(key, new TextEncoder().encode(text));
