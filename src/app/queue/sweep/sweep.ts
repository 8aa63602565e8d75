import { join } from 'node:path';
import * as v from 'valibot';
import { InvalidInputError, LatentFieldError } from '../../../core/errors.ts';
import { checkOptions, functionOf, type OptionsIn, signalOption } from '../../../core/options.ts';
import { checkSaved } from '../../../core/saved.ts';
import type { NodeThread } from '../../../inference/index.ts';
import { fileBlobs, localTransport } from '../localTransport.ts';
import { redisTransport } from '../redis/redisTransport.ts';
import { packed } from '../requests.ts';
import { FITS, keysOf, openSession, type Session, type Transport, VERSION } from '../session.ts';
import { serveQueue } from '../worker/serveQueue.ts';
import {
  type CellOutcome,
  cellOutcomeSchema,
  type Kept,
  keptIn,
  NOTHING_KEPT,
  rowOf,
  type SweepRow,
  tableText,
} from './outcome.ts';
import { type CheckedSpec, linesOf, type SweepLine, type SweepSpec, specSchema } from './spec.ts';
import { placedTable, type TablePlace } from './sweptTable.ts';

/** Options of {@link sweep}: where it runs; without a connection or a transport, only on this machine. */
export interface SweepOptions extends OptionsIn<typeof optionsSchema> {}

/** Progress of a sweep. */
export interface SweepProgress {
  /** Number of completed fits, including fits of an earlier run, and of all fits. */
  readonly done: number;
  readonly total: number;
  /** Number of fits completed by an earlier run. */
  readonly kept: number;
  /** Table so far. */
  readonly table: readonly SweepRow[];
}

/** Result of {@link sweep}. */
export interface Sweep {
  /** One row for each model, its options and seed, in the order of the grid. */
  readonly table: readonly SweepRow[];
  /** Table as CSV. */
  readonly text: string;
  readonly status: 'complete' | 'stopped';
  /** Number of fits completed by an earlier run. */
  readonly kept: number;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const optionsSchema = v.strictObject({
  /** redis://user:password@host:port/database, or rediss:// for TLS. It is never printed. */
  connection: v.optional(v.string()),
  /** Transport instead of a connection, which the caller closes and serves. */
  transport: v.optional(v.custom<Transport>(isObject, 'a transport')),
  /** Prefix of all keys; default 'latentfield'. */
  prefix: v.optional(v.string()),
  /** Folder that keeps results, checkpoints and the growing table (`table.csv`). */
  out: v.optional(v.string()),
  /** Number of simultaneous fits for a sweep on this machine only; default 1. */
  threads: v.optional(v.number()),
  /** Path or address of a module that exports custom parts, for a sweep on this machine only: see `readParts` of `latentfield/workers`. */
  parts: v.optional(v.union([v.string(), v.instance(URL)], 'the path or address of a module')),
  /** Starts a thread on this machine: its file calls `serveQueueThread`. */
  start: v.optional(functionOf<() => NodeThread>()),
  /** Seconds without any worker before it gives up; default 60. */
  patience: v.optional(v.pipe(v.number('a number from 1'), v.minValue(1, 'a number from 1')), 60),
  /** Signal that removes the remaining fits from the queue; the table contains the completed ones. */
  signal: signalOption,
  /** Called after each fit. */
  onProgress: v.optional(functionOf<(progress: SweepProgress) => void>()),
});

/**
 * Fits and scores a grid of models × options × seeds × folds, each a job of a queue. Results and checkpoints are kept, so that a sweep that is
 * restarted with the same data and folder only computes missing fits. Each fit depends only on its options and seed, so that the table does not
 * depend on the machines or the order of the fits.
 *
 * @param spec - see {@link SweepSpec}
 * @param options - see {@link SweepOptions}
 * @returns the table
 * @throws InvalidInputError for an unknown option or a table that cannot be read; LatentFieldError if the server cannot be reached or no worker
 *   serves it. A fit that fails is a row of the table.
 * @example
 * ```ts
 * const models = [{ model: 'gplvm', grid: { latentDim: [1, 2], kernel: ['rbf', 'linear'] } }];
 * const { table } = await sweep({ models, data: Y, seeds: [0, 1], folds: 5, scores: ['density'] }, { out: 'swept', threads: 2 });
 * ```
 */
export async function sweep(spec: SweepSpec, options: SweepOptions = {}): Promise<Sweep> {
  const checked = checkOptions(specSchema, spec, 'sweep');
  const { connection, prefix, out, threads, patience, signal, onProgress } = checkOptions(
    optionsSchema,
    options,
    'sweep',
  );
  if (checked.scores.includes('nearestNeighbor') && checked.labels === undefined) {
    throw new InvalidInputError('The score nearestNeighbor takes labels. Give them, or the column that contains them.');
  }
  if (connection !== undefined && options.transport !== undefined) {
    throw new InvalidInputError('sweep takes either a connection or a transport.');
  }
  const isAlone = connection === undefined && options.transport === undefined;
  const transport = isAlone
    ? localTransport(out === undefined ? undefined : await fileBlobs(join(out, 'checkpoints')))
    : (options.transport ?? (await redisTransport({ connection: connection!, prefix })));
  const { parts, start } = options;
  const server = isAlone
    ? await serveQueue(transport, {
        queue: FITS,
        threads,
        ...{ parts, ...(start && { start }) },
        allow: ['/', 'http://', 'https://'],
      })
    : undefined;
  const session = await openSession({ queue: FITS, patience }, transport);
  try {
    const kept = out === undefined ? NOTHING_KEPT : await keptIn(out);
    return await swept(checked, session, kept, { signal, onProgress });
  } finally {
    await session.close();
    await server?.close();
    if (options.transport === undefined) await transport.close();
  }
}

async function swept(
  spec: CheckedSpec,
  session: Session,
  kept: Kept,
  { signal, onProgress }: Pick<SweepOptions, 'signal' | 'onProgress'>,
): Promise<Sweep> {
  const { place, checksum } = await placedTable(spec, session.transport);
  if (place.kind === 'key') session.keep(place.key);
  const lines = linesOf(spec, checksum, VERSION);
  const total = lines.reduce((sum, { cells }) => sum + cells.length, 0);
  const ids = new Set(lines.flatMap(({ cells }) => cells.map(({ id }) => id)));
  const outcomes = new Map([...(await kept.outcomes())].filter(([id]) => ids.has(id)));
  const before = outcomes.size;
  const failures = new Map<string, CellOutcome>();
  const table = () =>
    lines.map((line) =>
      rowOf(
        line,
        spec.scores,
        line.cells.flatMap(({ id }) => outcomes.get(id) ?? failures.get(id) ?? []),
      ),
    );
  const write = throttled(() => kept.table(tableText(table(), spec.scores)));
  const report = () => onProgress?.({ done: outcomes.size + failures.size, total, kept: before, table: table() });
  const missing = lines.flatMap(({ cells }) => cells.filter(({ id }) => !outcomes.has(id)).map(({ id }) => id));
  await write.now();
  report();

  let isStopped = signal?.aborted === true;
  const waiting = new Set(missing);
  if (waiting.size > 0 && !isStopped) {
    await new Promise<void>((resolve, reject) => {
      const end = (id: string) => {
        waiting.delete(id);
        write.soon();
        report();
        if (waiting.size === 0) resolve();
      };
      const stop = () => {
        isStopped = true;
        canceled(session, lines, waiting).then(resolve, reject);
      };
      signal?.addEventListener('abort', stop, { once: true });
      const awaited = (id: string) => ({
        async look() {
          const found = await resultOf(session.transport, id);
          if (found === undefined || isStopped) return isStopped;
          const { outcome, fit } = found;
          await kept.keep(id, outcome, fit);
          await session.transport.blobs.remove(keysOf(id).state);
          outcomes.set(id, outcome);
          end(id);
          return true;
        },
        fail(error: Error) {
          if (isStopped) return;
          if (error instanceof LatentFieldError && error.code === 'queueLost') return reject(error);
          // Not kept: a restarted sweep tries it again.
          const scores = Object.fromEntries(spec.scores.map((name) => [name, null]));
          failures.set(id, {
            scores,
            objective: null,
            status: 'failed',
            iterations: null,
            seconds: null,
            failure: error.message,
          });
          end(id);
        },
      });
      queued(session, lines, waiting, place, awaited).catch(reject);
    });
  }
  await write.now();
  return {
    table: table(),
    text: tableText(table(), spec.scores),
    status: isStopped ? 'stopped' : 'complete',
    kept: before,
  };
}

/** Adds the missing jobs, each row as a parent of its fits. */
async function queued(
  session: Session,
  lines: readonly SweepLine[],
  waiting: ReadonlySet<string>,
  place: TablePlace,
  awaited: (id: string) => { look(): Promise<boolean>; fail(reason: Error): void },
): Promise<void> {
  const { transport } = session;
  const data = packed(place);
  for (const { id, cells } of lines) {
    const open = [];
    for (const cell of cells) {
      if (!waiting.has(cell.id)) continue;
      // Workers continued while there was no coordinator.
      if ((await resultOf(transport, cell.id)) !== undefined) session.wait(cell.id, awaited(cell.id));
      else open.push(cell);
    }
    if (open.length === 0) continue;
    for (const name of [id, ...open.map((cell) => cell.id)]) {
      // Failed or canceled jobs are tried again.
      await transport.blobs.remove(keysOf(name).cancel);
      const { kind } = await transport.stateOf(FITS, name);
      if (kind === 'failed' || kind === 'completed') await transport.withdraw(FITS, name);
    }
    const children = open.map(({ id: child, cell }) => ({
      id: child,
      body: packed({ kind: 'cell', version: VERSION, cell: packed(cell), data }),
    }));
    const body = packed({ kind: 'row', version: VERSION, cells: cells.map((cell) => cell.id) });
    await session.add(
      [{ id, body, children }],
      open.map((cell) => cell.id),
      awaited,
    );
  }
}

async function resultOf({ blobs }: Transport, id: string) {
  const bytes = await blobs.get(keysOf(id).result);
  if (bytes === undefined) return undefined;
  const { outcome, fit } = JSON.parse(new TextDecoder().decode(bytes)) as { outcome: unknown; fit?: string };
  return { outcome: checkSaved(cellOutcomeSchema, outcome, 'outcome'), fit };
}

/** Removes the remaining jobs from the queue and requests that running ones stop. */
async function canceled(session: Session, lines: readonly SweepLine[], waiting: ReadonlySet<string>): Promise<void> {
  const { transport } = session;
  for (const { id, cells } of lines) {
    const open = cells.filter((cell) => waiting.has(cell.id));
    if (open.length === 0) continue;
    await transport.withdraw(FITS, id);
    for (const cell of open) {
      session.leave(cell.id);
      await transport.blobs.put(keysOf(cell.id).cancel, new TextEncoder().encode('drop'));
      await transport.withdraw(FITS, cell.id);
    }
  }
}

/** Shortest interval between two tables, in milliseconds. */
const PAUSE = 200;

function throttled(write: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };
  return {
    now,
    soon() {
      timer ??= setTimeout(() => {
        now().catch(() => undefined);
      }, PAUSE);
    },
  };
}
