import { randomUUID } from 'node:crypto';
import { type RequestOf, refusing } from '../requests.ts';
import { keysOf, type RunningJob } from '../session.ts';
import { type Answer, answerBytes, type Question, questionFrom, rowsFrom } from '../shards/messages.ts';
import type { ShardReply, ShardRequest } from '../shards/serveShards.ts';
import type { WorkerContext } from './serveQueue.ts';
import { CanceledJob, type HeldThread, watchOver } from './threads.ts';

/** Milliseconds without a sign of life from the coordinator after which a shard is released, and between checks. */
const ABANDONED = 60_000;
const LOOK = 5000;
/** Seconds without a question after which a worker announces its rows again, until the first question arrives. */
const QUIET = 5;

/** Keeps a shard and answers its coordinator until it is released. */
export async function runShard(job: RunningJob, request: RequestOf<'shard'>, context: WorkerContext): Promise<void> {
  const { transport, threads } = context;
  const thread = threads.take(`shard ${job.id}`);
  const over = new AbortController();
  const name = `shard-${randomUUID()}`;
  const inbox = await transport.inbox(name);
  let timer: NodeJS.Timeout | undefined;
  try {
    const shard = await shardThread(thread, request, context);
    await new Promise<void>((_, reject) => {
      const ended = watchOver(job, transport.blobs, keysOf(job.id).cancel, thread, reject, () => undefined);
      thread.listener = (message) => {
        if (message instanceof Error) reject(message);
        else shard.replied(message as ShardReply);
      };
      timer = watchCoordinator(transport.blobs, request.alive, () => {
        ended();
        reject(new CanceledJob());
      });
      const tell = (answer: Answer) => transport.send(request.answers, answerBytes(answer));
      const next = () => inbox.receive(QUIET);
      answerQuestions({ shard: request.shard, inbox: name }, shard, { next, tell, over: over.signal }, context).catch(
        reject,
      );
    });
  } finally {
    over.abort();
    clearInterval(timer);
    threads.drop(thread);
    await inbox.close();
  }
}

/** Releases the shards of a coordinator that disappeared. */
function watchCoordinator(blobs: WorkerContext['transport']['blobs'], key: string, gone: () => void) {
  let last = '';
  let since = performance.now();
  return setInterval(async () => {
    const said = new TextDecoder().decode(await blobs.get(key).catch(() => undefined));
    if (said !== last) since = performance.now();
    last = said;
    if (performance.now() - since > ABANDONED) gone();
  }, LOOK);
}

interface ShardThread {
  /** Sends a request and returns the reply. */
  ask(request: ShardRequest): Promise<ShardReply>;
  replied(reply: ShardReply): void;
}

/** Passes the rows to the thread without keeping a copy. */
async function shardThread(
  thread: HeldThread,
  request: RequestOf<'shard'>,
  { data }: WorkerContext,
): Promise<ShardThread> {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  const post = (message: ShardRequest, transfer?: readonly ArrayBuffer[]) => {
    thread.post(message, transfer);
    Atomics.add(turn, 0, 1);
    Atomics.notify(turn, 0);
  };
  const bytes = await data(request.rows, true);
  const held = refusing(() => rowsFrom(bytes));
  post({ kind: 'rows', turn, ...held }, [held.rows.data.buffer as ArrayBuffer]);
  let resolve: (reply: ShardReply) => void = () => undefined;
  return {
    ask: (question) =>
      new Promise((done) => {
        resolve = done;
        post(question);
      }),
    replied: (reply) => resolve(reply),
  };
}

interface Exchange {
  next(): Promise<Uint8Array | undefined>;
  tell(answer: Answer): Promise<void>;
  readonly over: AbortSignal;
}

/** Answers one question after the other. The last answer is kept, because a lost one is requested again. */
async function answerQuestions(
  sender: { readonly shard: number; readonly inbox: string },
  shard: ShardThread,
  { next, tell, over }: Exchange,
  { maxBytes, problem }: WorkerContext,
): Promise<void> {
  let last: Answer | undefined;
  // The question whose sums the thread has just computed, so that it waits for their slopes.
  let held: number | undefined;
  const answered = async (question: Exclude<Question, { kind: 'again' }>): Promise<Answer> => {
    const { number } = question;
    if (question.kind === 'slopes' && held !== number - 1) return { ...sender, kind: 'missing', number };
    held = question.kind === 'evaluate' && question.slopes === undefined ? number : undefined;
    const reply = await shard.ask(
      question.kind === 'slopes' ? question : { kind: 'evaluate', at: question.at, slopes: question.slopes },
    );
    if (reply.kind === 'failedShard') held = undefined;
    if (reply.kind === 'evaluated') return { ...sender, kind: 'answer', number, values: reply.values };
    return { ...sender, kind: 'failed', number, name: reply.name, message: reply.message };
  };

  await tell({ ...sender, kind: 'ready' });
  while (!over.aborted) {
    const bytes = await next();
    if (over.aborted) return;
    if (bytes === undefined) {
      if (last === undefined) await tell({ ...sender, kind: 'ready' });
      continue;
    }
    const question = questionOf(bytes, maxBytes, problem);
    if (question === undefined) continue;
    const { kind, number } = question;
    if (kind !== 'again') last = await answered(question);
    else if (last === undefined || !('number' in last) || last.number !== number) {
      last = { ...sender, kind: 'missing', number };
    }
    if (!over.aborted) await tell(last);
  }
}

/** Parses a question: since anyone with access to the server can write to it, malformed questions are reported and get no answer. */
function questionOf(bytes: Uint8Array, most: number, problem: (message: string) => void): Question | undefined {
  try {
    if (bytes.length <= most) return questionFrom(bytes);
    problem(`A message to a shard was refused: it has ${bytes.length} bytes, but this worker accepts at most ${most}.`);
  } catch (error) {
    problem(`A message to a shard was refused: ${(error as Error).message}`);
  }
  return undefined;
}
