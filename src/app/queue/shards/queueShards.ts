import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { InvalidInputError, LatentFieldError, NumericalError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import { checkOptions } from '../../../core/options.ts';
import { kernelToJSON } from '../../../kernels/json.ts';
import type { ShardPoint, Shards } from '../../../processes/variational/shards.ts';
import type { HeldRows } from './messages.ts';

/** Options of {@link queueShards}: where the rows go; threads of this process without a connection. */
export interface QueueShardsOptions {
  /** redis://user:password@host:port/database, or rediss:// for TLS. It is never printed. */
  readonly connection?: string | undefined;
  /** Prefix of all keys; default 'latentfield'. */
  readonly prefix?: string | undefined;
  /** Number of shards. With at least 8192 rows per shard, the bits of a fit are those of a single process. */
  readonly count: number;
  /** Seconds without a worker for a shard before the fit fails; default 60. */
  readonly patience?: number | undefined;
}

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
  connection: v.optional(v.string()),
  prefix: v.optional(v.string()),
  count: v.pipe(v.number('a whole number'), v.integer('a whole number'), v.minValue(1, 'a whole number from 1')),
  patience: v.optional(v.pipe(v.number('a number from 1'), v.minValue(1, 'a number from 1')), 60),
});

/**
 * Shards for the option `shards` of `bayesianGplvm`: the workers of a queue keep the rows and compute the sums of a bound over them, Ψ₁ᵀY, Ψ₂ and ψ₀
 * of the collapsed bound and Σ E[log p(y|f)] of the uncollapsed one, with their gradients. The sums are added in the order of one tree of blocks of
 * at most 8192 rows, as without shards: with at least as many rows per shard the bits are the same, with fewer they depend only on the number of
 * shards. The shard of a lost worker goes to another one, and the fit continues.
 * The thread of the fit waits for each evaluation and is free in between.
 *
 * @param options - see {@link QueueShardsOptions}
 * @throws InvalidInputError for an unknown option. The fit rejects with LatentFieldError if the server cannot be reached or no worker takes a shard
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
          // The workers have the point of the last sums, which is this one unless other sums were asked for in between.
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

/** A thread whose answers are waited for, because a model is evaluated synchronously. */
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
  });
  worker.unref();
  port1.unref();
  return (call: ShardCall) => asked(port1, flag, call);
}

const classes = { InvalidInputError, NumericalError, LatentFieldError };

function asked(port: MessagePort, flag: Int32Array, call: ShardCall): unknown {
  Atomics.store(flag, 0, 0);
  port.postMessage(call);
  Atomics.wait(flag, 0, 0);
  const { message } = receiveMessageOnPort(port) as { message: { value?: unknown; error?: Error } };
  if (message.error === undefined) return message.value;
  const Class = classes[message.error.name as keyof typeof classes] ?? LatentFieldError;
  throw new Class(message.error.message);
}
