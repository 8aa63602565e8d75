import { randomUUID } from 'node:crypto';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { errorFrom, InvalidInputError, LatentFieldError, type PlainError } from '../../../core/errors.ts';
import { threadOptions } from '../../../core/host.ts';
import { Matrix } from '../../../core/matrix.ts';
import { checkOptions, integerFromOne, type OptionsIn } from '../../../core/options.ts';
import { kernelToJSON } from '../../../kernels/kernelToJson.ts';
import {
  type Branch,
  blocksOfShards,
  branchesWithin,
  rowsOf,
  type ShardPoint,
  type Shards,
  sumOverTree,
} from '../../../processes/variational/shards.ts';
import { packed } from '../requests.ts';
import { dataKey, keysOf, openSession, SHARDS, type Transport, VERSION } from '../session.ts';
import { type Answer, answerFrom, type HeldRows, questionBytes, rowsBytes } from './messages.ts';

/** Options of {@link queueShards}: the destination of the rows; threads of this process without a connection. */
export interface QueueShardsOptions extends OptionsIn<typeof schema> {}

/** Thread programs, for tests that run from sources. */
interface Programs {
  readonly shardThread?: string;
  readonly queueThread?: string;
}

/** Data with which the thread of the queue is started. */
export interface ShardThreadData extends Omit<QueueShardsOptions, 'patience'> {
  readonly patience: number;
  readonly flag: Int32Array;
  readonly thread: string | undefined;
}

/** Calls from the fit to the thread of the queue. */
export type ShardCall =
  | {
      readonly kind: 'open';
      readonly rows: Pick<Matrix, 'data' | 'rows' | 'columns'>;
      readonly made: Omit<HeldRows, 'rows' | 'branches'>;
    }
  | { readonly kind: 'sums'; readonly at: ShardPoint }
  | { readonly kind: 'gradients'; readonly slopes: Float64Array }
  | { readonly kind: 'close' };

const schema = v.strictObject({
  /** redis://user:password@host:port/database, or rediss:// for TLS. It is never printed. */
  connection: v.optional(v.string()),
  /** Prefix of all keys; default 'latentfield'. */
  prefix: v.optional(v.string()),
  /** Number of shards. With at least 8192 rows per shard, the result has the same bits as in a single process. */
  count: integerFromOne,
  /** Seconds without a worker for a shard before the fit fails; default 60. */
  patience: v.optional(v.pipe(v.number('a number from 1'), v.minValue(1, 'a number from 1')), 60),
});

/**
 * Shards for the option `shards` of `bayesianGplvm`: the workers of a queue keep the rows and compute the sums of a bound over them, Ψ₁ᵀY, Ψ₂ and ψ₀
 * of the collapsed bound and Σ E[log p(y|f)] of the uncollapsed one, with their gradients. The sums are added in the order of one tree of blocks of
 * at most 8192 rows, as without shards: with at least that many rows per shard the bits are the same, with fewer they depend only on the number of
 * shards. If a worker is lost, its shard is assigned to another one, and the fit continues.
 * The thread of the fit waits for each evaluation and is free in between.
 *
 * @param options - see {@link QueueShardsOptions}
 * @throws InvalidInputError for an unknown option. The fit rejects with LatentFieldError if the server cannot be reached or no worker accepts a shard
 * @example
 * ```ts
 * const shards = queueShards({ count: 2 });
 * await fit(bayesianGplvm(Y, { latentDim: 2, shards }), { maxIterations: 100 });
 * ```
 */
export function queueShards(options: QueueShardsOptions, programs: Programs = {}): Shards {
  const given = checkOptions(schema, options, 'queueShards');
  return {
    open(rows, kernel, likelihood) {
      if (rows.rows < given.count) {
        throw new InvalidInputError(`${rows.rows} rows cannot be divided into ${given.count} shards. Ask for fewer.`);
      }
      const call = blockingThread({ ...given, thread: programs.queueThread }, programs.shardThread);
      const { data, rows: N, columns } = rows;
      const made = { kernel: kernelToJSON(kernel), ...(likelihood && { likelihood: likelihood.toJSON() }) };
      call({ kind: 'open', rows: { data, rows: N, columns }, made });
      let last: ShardPoint | undefined;
      const sums = (at: ShardPoint) => {
        last = at;
        return (call({ kind: 'sums', at }) as Float64Array[])[0]!;
      };
      return {
        sums,
        gradients: (at, slopes) => {
          // The workers have the point of the last sums, which is this one unless other sums were requested in between.
          if (at !== last) sums(at);
          return call({ kind: 'gradients', slopes }) as Float64Array[];
        },
        close: () => {
          call({ kind: 'close' });
        },
      };
    },
  };
}

/** Thread whose answers are awaited synchronously, because a model is evaluated synchronously. */
function blockingThread(data: Omit<ShardThreadData, 'flag'>, program: string | undefined) {
  const { port1, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  // A thread cannot run TypeScript: when run from its sources, the library starts the built thread.
  const built = import.meta.url.endsWith('.ts')
    ? '../../../../dist/app/queue/shards/shardThread.js'
    : './shardThread.js';
  const worker = new Worker(new URL(program ?? built, import.meta.url), {
    workerData: { ...data, flag, port: port2 },
    transferList: [port2],
    ...threadOptions(),
  });
  worker.unref();
  port1.unref();
  return (call: ShardCall) => asked(port1, flag, call);
}

function asked(port: MessagePort, flag: Int32Array, call: ShardCall): unknown {
  Atomics.store(flag, 0, 0);
  port.postMessage(call);
  Atomics.wait(flag, 0, 0);
  const { message } = receiveMessageOnPort(port) as { message: { value?: unknown; error?: PlainError } };
  if (message.error === undefined) return message.value;
  throw errorFrom(message.error, 'The thread of the shards');
}

/** Milliseconds between signs of life to the workers. */
const ALIVE = 10_000;
/** Milliseconds without an answer after which it is requested again. */
const QUIET = 5000;

/** Fit whose rows are spread over shards. Each shard stays with one worker. */
export interface ShardCalls {
  /** Sums over all rows at a point, added in the order of the tree of blocks. */
  sums(at: ShardPoint): Promise<Float64Array[]>;
  /** Gradients at the point of the last sums, from the gradients in the sums. */
  gradients(slopes: Float64Array): Promise<Float64Array[]>;
  close(): Promise<void>;
}

interface Shard {
  /** First row of the shard, and of the next one. */
  readonly from: number;
  readonly to: number;
  /** Part of the tree of blocks. */
  readonly branches: readonly Branch[];
  readonly job: string;
  /** Key of the rows, for a worker that replaces another. */
  readonly key: string;
  /** Inbox of its worker, if there is one. */
  inbox?: string;
  /** Inbox of the worker that answered last, which has the point of the last sums. */
  answered?: string;
  waiting?: {
    readonly number: number;
    /** Time at which it was sent or requested again. */
    since: number;
    /** Complete question, for a worker that does not know the previous one. */
    readonly whole: () => Uint8Array;
    resolve(values: readonly Float64Array[]): void;
    reject(error: Error): void;
  };
}

/** Distributes the rows, and waits for workers to accept them when sums are needed. */
export async function openShards(
  transport: Transport,
  rows: Matrix,
  made: Omit<HeldRows, 'rows' | 'branches'>,
  { count, patience }: { count: number; patience: number },
): Promise<ShardCalls> {
  const { blobs } = transport;
  const id = randomUUID();
  const [answers, alive] = [`answers-${id}`, `alive/${id}`];
  const inbox = await transport.inbox(answers);
  const session = await openSession({ queue: SHARDS, patience }, transport);
  const beat = (number: number) => blobs.put(alive, new TextEncoder().encode(String(number)));
  await beat(0);
  let beats = 0;
  const timer = setInterval(() => void beat(++beats).catch(() => undefined), ALIVE);

  let lost: Error | undefined;
  let isClosed = false;
  const lose = (error: Error) => {
    lost ??= error;
    for (const { waiting } of shards) waiting?.reject(lost);
  };
  const shards: Shard[] = [];
  const divided = blocksOfShards(rows.rows, count);
  const blocks = divided.flat();
  for (let k = 0; k < count; k++) {
    const before = divided.slice(0, k).flat();
    const from = rowsIn(before);
    const to = from + rowsIn(divided[k]!);
    const branches = branchesWithin(blocks.length, { from: before.length, to: before.length + divided[k]!.length });
    const own = new Matrix(rows.data.slice(from * rows.columns, to * rows.columns), to - from, rows.columns);
    const sizes = branches.map((branch) => blocks.slice(branch.from, branch.to));
    const bytes = rowsBytes({ ...made, rows: own, branches: sizes }, id);
    const key = dataKey(bytes);
    await blobs.put(key, bytes);
    session.keep(key);
    const job = `${id}-${k}`;
    shards.push({ from, to, branches, job, key });
    const body = packed({ kind: 'shard', version: VERSION, rows: key, shard: k, answers, alive });
    await session.add([{ id: job, body }], [job], () => ({ look: async () => false, fail: lose }));
  }

  /** Handles an answer; an unexpected one is a duplicate. */
  const take = async (answer: Answer) => {
    const shard = shards[answer.shard];
    if (shard === undefined) return;
    const { waiting } = shard;
    if (answer.kind === 'ready') {
      if (shard.inbox === answer.inbox) return;
      shard.inbox = answer.inbox;
      if (waiting !== undefined) await transport.send(shard.inbox, waiting.whole());
      return;
    }
    if (waiting?.number !== answer.number) return;
    if (answer.kind === 'missing') {
      if (shard.inbox === answer.inbox) await transport.send(answer.inbox, waiting.whole());
      return;
    }
    shard.answered = answer.inbox;
    delete shard.waiting;
    if (answer.kind === 'answer') waiting.resolve(answer.values);
    else waiting.reject(Object.assign(new LatentFieldError(answer.message), { name: answer.name }));
  };
  const read = async () => {
    while (!isClosed) {
      const bytes = await inbox.receive(QUIET / 1000);
      const answer = bytes && readOr(undefined, () => answerFrom(bytes));
      if (answer !== undefined) await take(answer);
      for (const { waiting, inbox: asked } of shards) {
        if (waiting === undefined || asked === undefined || performance.now() - waiting.since < QUIET) continue;
        waiting.since = performance.now();
        await transport.send(asked, questionBytes({ kind: 'again', number: waiting.number }));
      }
    }
  };
  read().catch((error: Error) =>
    lose(new LatentFieldError(`The queue was lost: ${error.message}`, { code: 'queueLost' })),
  );

  const ask = (shard: Shard, number: number, whole: () => Uint8Array, short?: Uint8Array) =>
    new Promise<readonly Float64Array[]>((resolve, reject) => {
      if (lost !== undefined) return reject(lost);
      shard.waiting = { number, since: performance.now(), whole, resolve, reject };
      if (shard.inbox === undefined) return;
      const isKnown = short !== undefined && shard.answered === shard.inbox;
      transport.send(shard.inbox, isKnown ? short : whole()).catch(reject);
    });

  /** Adds in the order of the tree, independent of the order of answers, so that the bits are always the same. */
  const summed = (parts: readonly Float64Array[]) => {
    const branches = shards.flatMap(({ branches }) => branches);
    const whole = ({ from, to }: Branch) => parts[branches.findIndex((own) => own.from === from && own.to === to)];
    return Float64Array.from(
      sumOverTree(blocks.length, whole, (left, right) => left.map((value, i) => value + right[i]!)),
    );
  };
  /** Gradients in the latents' moments are concatenated over branches; all others are summed. */
  const gathered = (found: readonly Float64Array[]) =>
    last.map((_, i) => {
      const parts = found.filter((__, k) => k % last.length === i);
      return i < 2 ? joined(parts) : summed(parts);
    });

  let number = 0;
  let last: ShardPoint = [];
  const partOf = ({ from, to }: Shard) => last.map((tensor, i) => (i < 2 ? rowsOf(tensor, from, to) : tensor));
  return {
    async sums(at) {
      last = at;
      number++;
      const own = number;
      const found = shards.map((shard) =>
        ask(shard, own, () => questionBytes({ kind: 'evaluate', number: own, at: partOf(shard) })),
      );
      return [summed((await Promise.all(found)).flat())];
    },
    async gradients(slopes) {
      number++;
      const own = number;
      const short = questionBytes({ kind: 'slopes', number: own, slopes });
      const found = shards.map((shard) =>
        ask(shard, own, () => questionBytes({ kind: 'evaluate', number: own, at: partOf(shard), slopes }), short),
      );
      return gathered((await Promise.all(found)).flat());
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await Promise.all(
        shards.map(async ({ job }) => {
          session.leave(job);
          await blobs.put(keysOf(job).cancel, new TextEncoder().encode('drop'));
          await transport.withdraw(SHARDS, job);
        }),
      );
      await session.close();
      await inbox.close();
      await blobs.remove(alive, ...shards.map(({ key }) => key));
    },
  };
}

function readOr<T>(other: T, read: () => T): T {
  try {
    return read();
  } catch {
    return other;
  }
}

const rowsIn = (blocks: readonly number[]) => blocks.reduce((sum, rows) => sum + rows, 0);

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const part of parts) {
    whole.set(part, from);
    from += part.length;
  }
  return whole;
}
