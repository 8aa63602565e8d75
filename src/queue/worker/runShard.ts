import * as v from 'valibot';
import { Matrix } from '../../core/matrix.ts';
import { checkSaved } from '../../core/saved.ts';
import type { KernelJSON } from '../../kernels/json.ts';
import { keysOf } from '../keys.ts';
import { unpacked } from '../packed.ts';
import { type RequestOf, refusing, requestOf } from '../requests.ts';
import { answerBytes, evaluationFrom } from '../shards/evaluation.ts';
import type { ShardReply, ShardRequest } from '../shards/serveShards.ts';
import { RefusedJob, type RunningJob, type Serving } from '../transport.ts';
import type { WorkerContext } from './serveQueue.ts';
import type { HeldThread } from './threads.ts';
import { CancelledJob, watchOver } from './watchOver.ts';

const rowsSchema = v.strictObject({
  kernel: v.custom<KernelJSON>((value) => typeof value === 'object' && value !== null, 'a kernel'),
  rows: v.instance(Matrix),
});
/** Milliseconds without a sign of the coordinator after which a shard is let go, and between two looks. */
const ABANDONED = 60_000;
const LOOK = 5000;

/** Keeps a shard, and serves its queue until the coordinator has no more use for it. */
export async function runShard(job: RunningJob, request: RequestOf<'shard'>, context: WorkerContext): Promise<void> {
  const { transport, data, threads } = context;
  const { blobs } = transport;
  const text = new TextDecoder().decode(await data(request.rows));
  const { kernel, rows } = refusing(() => checkSaved(rowsSchema, unpacked(text), 'shard'));
  const thread = threads.take(`shard ${job.id}`);
  let serving: Serving | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    thread.post({ kind: 'rows', kernel, rows } satisfies ShardRequest);
    await new Promise<void>((_, reject) => {
      const ended = watchOver(job, blobs, keysOf(job.id).cancel, thread, reject, () => undefined);
      thread.listener = (message) => {
        if (message instanceof Error) reject(message);
      };
      timer = watchCoordinator(blobs, request.queue, () => {
        ended();
        reject(new CancelledJob());
      });
      const run = (evaluation: RunningJob) => evaluate(evaluation, thread, context, reject);
      transport
        .serve(request.queue, { concurrency: 1, run, problem: () => undefined })
        .then((served) => {
          serving = served;
        })
        .catch(reject);
    });
  } finally {
    clearInterval(timer);
    threads.drop(thread);
    await serving?.close();
  }
}

/** A coordinator that is gone without a word leaves its shards to nobody. */
function watchCoordinator(blobs: WorkerContext['transport']['blobs'], queue: string, gone: () => void) {
  let last = '';
  let since = performance.now();
  return setInterval(async () => {
    const said = new TextDecoder().decode(await blobs.get(`alive/${queue}`).catch(() => undefined));
    if (said !== last) since = performance.now();
    last = said;
    if (performance.now() - since > ABANDONED) gone();
  }, LOOK);
}

async function evaluate(
  job: RunningJob,
  thread: HeldThread,
  { transport: { blobs }, mostBytes }: WorkerContext,
  broken: (error: Error) => void,
): Promise<void> {
  const request = requestOf(job.body);
  if (request.kind !== 'evaluation') throw new RefusedJob('The queue of a shard has evaluations only.');
  const bytes = await blobs.get(request.at, mostBytes);
  if (bytes === undefined) throw new RefusedJob('Nobody waits for this evaluation any longer.');
  const { at, slopes } = refusing(() => evaluationFrom(bytes));
  const reply = await new Promise<ShardReply>((resolve, reject) => {
    thread.listener = (message) => {
      if (message instanceof Error) {
        broken(message);
        reject(message);
      } else resolve(message as ShardReply);
    };
    thread.post({ kind: 'evaluate', at, slopes } satisfies ShardRequest);
  });
  if (reply.kind === 'failedShard') throw new RefusedJob(`${reply.name}: ${reply.message}`);
  await blobs.put(keysOf(job.id).result, answerBytes(reply.values));
}
