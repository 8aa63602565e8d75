import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { checkSaved } from '../../../core/saved.ts';
import type { RunEvent } from '../../../inference/fit/run.ts';
import type { Reply } from '../../../inference/workers/messages.ts';
import { packed, problemSchema, type RequestOf, refusing, startSchema, unpacked } from '../requests.ts';
import { keysOf, RefusedJob, type RunningJob } from '../session.ts';
import type { CellReply } from '../sweep/fitCell.ts';
import { cellOutcomeSchema, rowOf } from '../sweep/outcome.ts';
import { cellSchema } from '../sweep/spec.ts';
import { placeSchema, type ReadTable, type TablePlace } from '../sweep/sweptTable.ts';
import type { WorkerContext } from './serveQueue.ts';
import { watchOver } from './threads.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (said: string) => new TextEncoder().encode(said);

/** One fit of a sweep, resumed from the last checkpoint if another worker had begun it. */
export async function runCell(job: RunningJob, request: RequestOf<'cell'>, context: WorkerContext): Promise<void> {
  const { transport, threads } = context;
  const { blobs } = transport;
  const keys = keysOf(job.id);
  // A worker that was taken for lost may have finished it.
  if ((await blobs.get(keys.result)) !== undefined) return;
  const cell = refusing(() => checkSaved(cellSchema, unpacked(request.cell), 'cell'));
  const place = refusing(() => checkSaved(placeSchema, unpacked(request.data), 'data'));
  // By content, not by the checksum that a job names: a job must not reach another job's table.
  const content =
    place.kind === 'key' ? place.key : `${place.file} ${place.checksum} ${packed([place.options, place.labels])}`;
  if (cell.checksum !== (place.kind === 'key' ? place.key.replace(/^data\//, '') : place.checksum)) {
    throw new RefusedJob('The checksum of a fit does not match its table.');
  }
  const thread = threads.take(`table ${content}`);
  try {
    if (!thread.isOpen) thread.post({ kind: 'table', table: await tableAt(place, context) });
    thread.isOpen = true;
    const saved = await blobs.get(keys.state);
    let saving: Promise<unknown> = Promise.resolve();
    const reply = await new Promise<CellReply & { kind: 'fittedCell' }>((done, reject) => {
      const ended = watchOver(job, blobs, keys.cancel, thread, reject, () => undefined);
      thread.listener = (message) => {
        const said = message as CellReply | Error;
        if (!(said instanceof Error) && said.kind === 'checkpoint') {
          saving = saving.then(() => blobs.put(keys.state, bytes(said.text)));
          saving.catch(() => undefined);
          return;
        }
        ended();
        if (said instanceof Error) reject(said);
        else if (said.kind === 'fittedCell') done(said);
        else reject(said.isRefusal ? new RefusedJob(said.message) : new Error(said.message));
      };
      thread.post({ kind: 'cell', cell, resume: saved && text(saved) });
    });
    await saving;
    await blobs.put(keys.result, bytes(JSON.stringify({ outcome: reply.outcome, fit: reply.fit })));
    await blobs.remove(keys.state);
    await job.advance();
    threads.giveBack(thread);
  } catch (error) {
    threads.drop(thread);
    throw error;
  }
}

/** Mean over the folds of a row, its children, for readers of the queue without a coordinator. */
export async function runRow(
  job: RunningJob,
  { cells }: RequestOf<'row'>,
  { transport: { blobs }, maxBytes }: WorkerContext,
): Promise<void> {
  const outcomes = [];
  for (const id of cells) {
    const found = await blobs.get(keysOf(id).result, maxBytes);
    if (found === undefined) throw new RefusedJob('A fit of this line has failed.');
    const { outcome } = JSON.parse(text(found)) as { outcome: unknown };
    outcomes.push(refusing(() => checkSaved(cellOutcomeSchema, outcome, 'outcome')));
  }
  const names = Object.keys(outcomes[0]?.scores ?? {});
  const { scores, objective, statuses } = rowOf({ model: '', options: {}, seed: 0, cells }, names, outcomes);
  await blobs.put(keysOf(job.id).result, bytes(packed({ scores, objective, statuses })));
}

/** Reads a table only from the folders and address prefixes that the worker was started with; links are resolved first. */
async function tableAt(place: TablePlace, { data, readable }: WorkerContext): Promise<ReadTable> {
  if (place.kind === 'key') return { kind: 'bytes', bytes: await data(place.key) };
  const file = isUrl(place.file) ? addressOf(place.file) : await realpath(place.file).catch(() => undefined);
  for (const allowed of file === undefined ? [] : readable) {
    if (isUrl(allowed) !== isUrl(place.file)) continue;
    const root = isAnyHost(allowed)
      ? allowed
      : isUrl(allowed)
        ? addressOf(allowed)
        : await realpath(allowed).catch(() => undefined);
    const end = isUrl(allowed) ? '/' : sep;
    if (root !== undefined && `${file}${end}`.startsWith(root.endsWith(end) ? root : `${root}${end}`)) {
      return { ...place, file: file! };
    }
  }
  throw new RefusedJob(
    `This worker may not read '${place.file}'. Start it with \`allow\` and the folder, or the beginning of the address, that it may read.`,
  );
}

/** All addresses with this scheme, as a sweep on one machine allows. */
const isAnyHost = (allowed: string) => /^https?:\/\/$/.test(allowed);
const isUrl = (file: string) => /^https?:/.test(file);

/** Normalized address; undefined if it has an encoded dot, slash or backslash, which a server may resolve to another location. */
function addressOf(address: string): string | undefined {
  if (!URL.canParse(address) || /%(2e|2f|5c)/i.test(address)) return undefined;
  const { origin, pathname, search } = new URL(address);
  return `${origin}${pathname}${search}`;
}

/** Seconds between states that another worker could continue. */
const STATE_INTERVAL = 5;
/** Milliseconds of collecting events before they are sent. */
const GATHERED = 100;

/** Fit from one start: the counterpart of `serveRuns` in a thread of the same machine, with its events sent in batches. */
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

/** Sends events in order, in short batches. */
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
