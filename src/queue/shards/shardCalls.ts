import { randomUUID } from 'node:crypto';
import { Matrix } from '../../core/matrix.ts';
import type { KernelJSON } from '../../kernels/json.ts';
import type { PlainTensor, ShardPoint } from '../../mapping/variational/shards.ts';
import { dataKey, keysOf, SHARDS } from '../keys.ts';
import { packed } from '../packed.ts';
import { openSession, type Session } from '../session.ts';
import type { Transport } from '../transport.ts';
import { VERSION } from '../version.ts';
import { answerFrom, type Evaluation, evaluationBytes } from './evaluation.ts';

/** Milliseconds between two signs of life to the workers. */
const ALIVE = 10_000;

/** A fit whose rows are spread over shards, each with a queue of its own. */
export interface ShardCalls {
  /** What the shards answer, added in the order of the shards. */
  evaluate(evaluation: Evaluation): Promise<Float64Array[]>;
  close(): Promise<void>;
}

interface Shard {
  readonly queue: string;
  readonly job: string;
  /** The first of its rows, and the first of the next one's. */
  readonly from: number;
  readonly to: number;
  readonly session: Session;
}

/** Hands out the rows, and waits for workers to take them when it is asked for sums. */
export async function openShards(
  transport: Transport,
  rows: Matrix,
  kernel: KernelJSON,
  { count, patience }: { count: number; patience: number },
): Promise<ShardCalls> {
  const { blobs } = transport;
  const id = randomUUID();
  const text = (said: string) => new TextEncoder().encode(said);
  const shards: Shard[] = [];
  for (let k = 0; k < count; k++) {
    const [from, to] = [k, k + 1].map((part) => Math.round((part * rows.rows) / count)) as [number, number];
    const own = new Matrix(rows.data.slice(from * rows.columns, to * rows.columns), to - from, rows.columns);
    const bytes = text(packed({ kernel, rows: own }));
    const key = dataKey(bytes);
    await blobs.put(key, bytes);
    const queue = `shard-${id}-${k}`;
    const job = `${id}-${k}`;
    const body = packed({ kind: 'shard', version: VERSION, rows: key, queue });
    await blobs.put(`alive/${queue}`, text('0'));
    await transport.add(SHARDS, [{ id: job, body }]);
    shards.push({ queue, job, from, to, session: await openSession({ queue, patience }, transport) });
  }
  let beat = 0;
  const timer = setInterval(() => {
    beat++;
    for (const { queue } of shards) blobs.put(`alive/${queue}`, text(String(beat))).catch(() => undefined);
  }, ALIVE);
  let evaluations = 0;

  const ask = async ({ queue, from, to, session }: Shard, number: number, { at, slopes }: Evaluation) => {
    const name = `${queue}-${number}`;
    const key = `at/${name}`;
    await blobs.put(
      key,
      evaluationBytes({ at: at.map((tensor, i) => (i < 2 ? part(tensor, from, to) : tensor)), slopes }),
    );
    const { result } = keysOf(name);
    const bytes = await new Promise<Uint8Array>((resolve, reject) => {
      const look = async () => {
        const found = await blobs.get(result);
        if (found !== undefined) resolve(found);
        return found !== undefined;
      };
      const body = packed({ kind: 'evaluation', version: VERSION, at: key });
      session.add([{ id: name, body }], [name], () => ({ look, fail: reject })).catch(reject);
    });
    await blobs.remove(key, result);
    return answerFrom(bytes);
  };

  return {
    async evaluate(evaluation) {
      const number = evaluations++;
      const answers = await Promise.all(shards.map((shard) => ask(shard, number, evaluation)));
      return evaluation.slopes === undefined
        ? [summed(answers.map(([sums]) => sums!))]
        : gathered(answers, evaluation.at);
    },
    async close() {
      clearInterval(timer);
      for (const { job, queue, session } of shards) {
        await blobs.put(keysOf(job).cancel, text('drop'));
        await transport.withdraw(SHARDS, job);
        await session.close();
        await blobs.remove(`alive/${queue}`);
        await transport.forget(queue).catch(() => undefined);
      }
    },
  };
}

/** The rows of a tensor from one to before another. */
function part({ shape, data }: PlainTensor, from: number, to: number): PlainTensor {
  const q = shape[1]!;
  return { shape: [to - from, q], data: data.slice(from * q, to * q) };
}

/** In the order of the shards, whoever came first, so that the bits are always the same. */
function summed(parts: readonly Float64Array[]): Float64Array {
  const total = Float64Array.from(parts[0]!);
  for (const one of parts.slice(1))
    one.forEach((value, i) => {
      total[i]! += value;
    });
  return total;
}

/** Gradients in the latents' moments are those of each shard one after another; all others are sums. */
function gathered(answers: readonly (readonly Float64Array[])[], at: ShardPoint): Float64Array[] {
  return at.map(({ data }, i) => {
    const parts = answers.map((answer) => answer[i]!);
    if (i >= 2) return summed(parts);
    const whole = new Float64Array(data.length);
    let from = 0;
    for (const one of parts) {
      whole.set(one, from);
      from += one.length;
    }
    return whole;
  });
}
