import { randomUUID } from 'node:crypto';
import { LatentFieldError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { type Branch, blocksOfShards, branchesWithin, sumOverTree } from '../../../processes/variational/rowBlocks.ts';
import { rowsOf, type ShardPoint } from '../../../processes/variational/shards.ts';
import { dataKey, keysOf, SHARDS, VERSION } from '../keys.ts';
import { packed } from '../packed.ts';
import { openSession } from '../session.ts';
import type { Transport } from '../transport.ts';
import { type Answer, answerFrom, type HeldRows, questionBytes, rowsBytes } from './messages.ts';

/** Milliseconds between signs of life to the workers. */
const ALIVE = 10_000;
/** Milliseconds without an answer after which it is asked for again. */
const QUIET = 5000;

/** A fit whose rows are spread over shards, each of which stays with a worker. */
export interface ShardCalls {
  /** Sums over all rows at a point, added in the order of the tree of blocks. */
  sums(at: ShardPoint): Promise<Float64Array[]>;
  /** Gradients at the point of the last sums, given those in the sums. */
  gradients(slopes: Float64Array): Promise<Float64Array[]>;
  close(): Promise<void>;
}

interface Shard {
  /** Its first row, and the first row of the next shard. */
  readonly from: number;
  readonly to: number;
  /** Its part of the tree of blocks. */
  readonly branches: readonly Branch[];
  readonly job: string;
  /** Key of the rows, for a worker that takes them over. */
  readonly key: string;
  /** Inbox of its worker, if there is one. */
  inbox?: string;
  /** Inbox of the worker that answered last, which has the point of the last sums. */
  answered?: string;
  waiting?: {
    readonly number: number;
    /** Time at which it was sent or asked for again. */
    since: number;
    /** The complete question, for a worker that does not know the previous one. */
    readonly whole: () => Uint8Array;
    resolve(values: readonly Float64Array[]): void;
    reject(error: Error): void;
  };
}

/** Distributes the rows, and waits for workers to take them when sums are needed. */
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

  /** Handles an answer; one that nobody waits for is a duplicate. */
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

  /** Added in the order of the tree, whichever shard answered first, so that the bits are always the same. */
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
