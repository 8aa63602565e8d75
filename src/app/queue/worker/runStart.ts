import { checkSaved } from '../../../core/saved.ts';
import type { RunEvent } from '../../../inference/fit/run.ts';
import type { Reply } from '../../../inference/workers/messages.ts';
import { keysOf } from '../keys.ts';
import { packed, unpacked } from '../packed.ts';
import { problemSchema, type RequestOf, refusing, startSchema } from '../requests.ts';
import type { RunningJob } from '../transport.ts';
import type { WorkerContext } from './serveQueue.ts';
import { watchOver } from './threads.ts';

/** Seconds between states from which another worker could continue. */
const STATE_INTERVAL = 5;
/** Milliseconds for which events are collected before they are sent. */
const GATHERED = 100;

/** The fit from one start: what `serveRuns` does in a thread of the same machine, with its events sent in batches. */
export async function runStart(
  job: RunningJob,
  request: RequestOf<'start'>,
  { transport: { blobs }, data, threads }: WorkerContext,
): Promise<void> {
  const keys = keysOf(job.id);
  const text = async (key: string) => new TextDecoder().decode(await data(key));
  const [problem, start] = [await text(request.problem), await text(request.start)];
  const opened = refusing(() => checkSaved(problemSchema, unpacked(problem), 'problem'));
  const begun = refusing(() => checkSaved(startSchema, unpacked(start), 'start'));
  const { stateInterval } = opened.settings;
  const settings = { ...opened.settings, stateInterval: Math.min(stateInterval ?? STATE_INTERVAL, STATE_INTERVAL) };
  const saved = await blobs.get(keys.state);
  const state = saved === undefined ? begun.state : unpacked(new TextDecoder().decode(saved));
  const sink = eventSink(job, blobs, keys.events);
  if ((await blobs.parts(keys.events, 0)).length > 0) {
    sink.add({ kind: 'again', start: begun.number, why: 'it gave no sign of life, or was shut down' });
  }

  // A stopped thread stays stopped, and then only serves stopped starts.
  const stopped = `${request.problem} stopped`;
  const isStopped = (await blobs.get(keys.cancel)) !== undefined;
  const thread = threads.take(isStopped ? stopped : request.problem);
  try {
    await new Promise<void>((resolve, reject) => {
      const ended = watchOver(job, blobs, keys.cancel, thread, reject, () => {
        thread.holds = stopped;
      });
      thread.listener = (message) => {
        if (message instanceof Error) {
          ended();
          reject(message);
          return;
        }
        const event = message as Reply;
        if (event.kind === 'state') {
          sink.then(() => blobs.put(keys.state, new TextEncoder().encode(packed(event.state))));
          if (stateInterval === undefined) return;
        }
        sink.add(event);
        if (event.kind !== 'end' && event.kind !== 'failed') return;
        ended();
        resolve();
      };
      if (!thread.isOpen) thread.post({ kind: 'open', job: { ...opened, settings } });
      thread.isOpen = true;
      thread.post({ kind: 'run', start: { ...begun, ...(state !== undefined && { state }) } });
    });
    await sink.flush();
    threads.giveBack(thread);
  } catch (error) {
    threads.drop(thread);
    throw error;
  }
}

/** Sends events in order, collected for a moment. */
function eventSink(job: RunningJob, blobs: WorkerContext['transport']['blobs'], key: string) {
  let gathered: (RunEvent | Reply)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  const then = (next: () => Promise<unknown>) => {
    send();
    sending = sending.then(next);
    // The caller of `flush` gets the error.
    sending.catch(() => undefined);
  };
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered.length === 0) return;
    const part = new TextEncoder().encode(packed(gathered));
    gathered = [];
    then(async () => {
      await blobs.append(key, part);
      await job.advance();
    });
  };
  return {
    add(event: RunEvent | Reply) {
      gathered.push(event);
      timer ??= setTimeout(send, GATHERED);
    },
    /** Runs a function after everything added so far has been sent. */
    then,
    flush() {
      send();
      return sending;
    },
  };
}
