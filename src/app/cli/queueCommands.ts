import { dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '../../core/index.ts';
import { InvalidInputError } from '../../index.ts';
import { lockPath, makeFolder } from '../io/index.ts';
import {
  type DeadJob,
  FITS,
  keysOf,
  redisTransport,
  SHARDS,
  type Sweep,
  type SweepSpec,
  serveQueue,
  sweep,
  type Transport,
} from '../queue/index.ts';
import { addFlags, type Given, JSON_OUTPUT, PARTS, partsOf, several, wholeFrom } from './flags.ts';
import { readJsonFile } from './jsonOptions.ts';
import { type Context, checkOutputs, exitCodeOf } from './streams.ts';

/** Environment variable with the address of the server, as an alternative to `--redis`: all users of a machine can see a password on a command line. */
const VARIABLE = 'LATENTFIELD_REDIS';

const REDIS = [
  '--redis <url>',
  `redis://user:password@host:port/database, or rediss:// for TLS (default: the variable ${VARIABLE})`,
] as const;
const PREFIX = ['--prefix <name>', "prefix of all keys on the server (default: 'latentfield')"] as const;
const AT_ONCE = ['--workers <n>', 'fits that run at the same time on this machine (default: 1)', wholeFrom(1)] as const;

const serverOf = ({ redis = process.env[VARIABLE] }: { readonly redis?: string }) => redis;

/** Address of the server, which the command requires. */
function checkedServer(given: { readonly redis?: string }, command: string): string {
  const server = serverOf(given);
  if (server !== undefined) return server;
  throw new InvalidInputError(`${command} takes --redis redis://host:6379, or the variable ${VARIABLE}.`);
}

/** Checks the name of a queue. */
function queueName(text: string): string {
  if (/^[\w-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be of letters, digits, _ and -.');
}

/** Text from a queue with control characters, which a terminal may execute, replaced by �. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, '\ufffd');

const WORKER_FLAGS = [
  REDIS,
  AT_ONCE,
  ['--queue <name>', "the queue's name (default: fits)", queueName],
  PREFIX,
  ['--lock-seconds <s>', 'seconds without a heartbeat after which a worker counts as lost (default: 10)', wholeFrom(1)],
  ['--max-job-bytes <n>', 'limit on the bytes that one fit fetches from the queue (default: 256 MB)', wholeFrom(1)],
  ['--allow <folder|url>', 'folder or address below which tables of sweeps may be read; may be repeated', several],
  PARTS,
] as const;
type WorkerArguments = Given<typeof WORKER_FLAGS>;

/** `worker` */
export const defineWorker = (command: Command, context: Context): Command =>
  addFlags(command, ...WORKER_FLAGS).action((given: WorkerArguments) => work(given, context));

async function work(given: WorkerArguments, { stderr, signal, heeding }: Context): Promise<void> {
  const { prefix, lockSeconds, parts, queue, workers: threads, maxJobBytes: maxBytes, allow } = given;
  const connection = checkedServer(given, 'worker');
  // Errors in the parts are reported here once, and not by each thread.
  await partsOf(parts);
  const say = (message: string) => stderr.write(`${printable(message)}\n`);
  const transport = await redisTransport({ connection, prefix, lockSeconds });
  const worker = await serveQueue(transport, { queue, threads, parts, onMessage: say, maxBytes, allow });
  say(`Serving '${queue ?? 'fits'}' with ${counted(threads ?? 1, 'thread')}. Stop it with Ctrl-C or SIGTERM.`);
  const close = () => {
    void worker.close();
  };
  signal?.addEventListener('abort', close);
  try {
    await heeding(() => worker.ended);
    say('Stopped. Unfinished fits are back in the queue.');
  } finally {
    signal?.removeEventListener('abort', close);
    await worker.close();
    await transport.close();
  }
}

const QUEUE_FLAGS = [
  REDIS,
  PREFIX,
  ['--queue <name>', `the queue's name (default: both ${FITS} and ${SHARDS})`, queueName],
  ['--clear [ids...]', 'remove failed jobs: all of them, or the listed ids'],
  JSON_OUTPUT,
] as const;
type QueueArguments = Given<typeof QUEUE_FLAGS>;

/** State of one queue. */
interface Queue {
  readonly queue: string;
  readonly workers: number;
  readonly waiting: number;
  readonly dead: readonly DeadJob[];
}

/** `queue` */
export const defineQueue = (command: Command, context: Context): Command =>
  addFlags(command, ...QUEUE_FLAGS).action((given: QueueArguments) => showQueues(given, context));

async function showQueues(given: QueueArguments, { stdout }: Context): Promise<void> {
  const { prefix, queue, clear, json } = given;
  const transport = await redisTransport({ connection: checkedServer(given, 'queue'), prefix });
  try {
    const names = queue === undefined ? [FITS, SHARDS] : [queue];
    const queues = await Promise.all(names.map((name) => stateOf(transport, name)));
    const cleared = clear === undefined ? undefined : await clearedOf(transport, queues, clear);
    if (json) stdout.write(`${JSON.stringify({ queues, ...(cleared && { cleared }) })}\n`);
    else
      stdout.write(
        queues.map(sentences).join('') + (cleared === undefined ? '' : `${counted(cleared.length, 'job')} cleared\n`),
      );
  } finally {
    await transport.close();
  }
}

const stateOf = async (transport: Transport, queue: string): Promise<Queue> => ({
  queue,
  workers: await transport.workers(queue),
  waiting: await transport.waiting(queue),
  dead: await transport.dead(queue),
});

/**
 * Removes failed jobs with all stored data, and returns their ids.
 *
 * @throws InvalidInputError for an id that is not among the failed jobs, without removing anything
 */
async function clearedOf(transport: Transport, queues: readonly Queue[], which: true | string[]): Promise<string[]> {
  const all = queues.flatMap(({ queue, dead }) => dead.map(({ id }) => ({ queue, id })));
  const unknown = which === true ? undefined : which.find((id) => all.every((job) => job.id !== id));
  if (unknown !== undefined) {
    throw new InvalidInputError(`No job '${unknown}' was given up. 'latentfield queue' lists those that were.`);
  }
  const chosen = all.filter(({ id }) => which === true || which.includes(id));
  for (const { queue, id } of chosen) {
    await transport.withdraw(queue, id);
    await transport.blobs.remove(...Object.values(keysOf(id)));
  }
  return chosen.map(({ id }) => id);
}

function sentences({ queue, workers, waiting, dead }: Queue): string {
  const head = `${queue}: ${counted(workers, 'worker')}, ${counted(waiting, 'job')} waiting, ${counted(dead.length, 'job')} given up\n`;
  return (
    head +
    dead.map(({ id, reason, at }) => `  ${new Date(at).toISOString()}  ${printable(`${id}  ${reason}`)}\n`).join('')
  );
}

const SWEEP_FLAGS = [
  ['-o, --out <dir>', '(required) folder for results and table.csv, which fills during the run'],
  REDIS,
  PREFIX,
  AT_ONCE,
  ['--patience <s>', 'seconds to wait for a first worker (default: 60)', wholeFrom(1)],
  PARTS,
  JSON_OUTPUT,
] as const;

/** `sweep SPEC` */
export const defineSweep = (command: Command, context: Context): Command =>
  addFlags(
    command.argument(
      '<spec>',
      'a JSON file: {"data": "table.csv", "models": [{"model": "gplvm", "grid": {"latentDim": [1, 2]}}], "seeds": [0], "folds": 5, "scores": ["density"]}',
    ),
    ...SWEEP_FLAGS,
  ).action((spec: string, given: Given<typeof SWEEP_FLAGS>) => runSweep(spec, given, context));

async function runSweep(
  file: string,
  given: Given<typeof SWEEP_FLAGS>,
  { stdout, stderr, signal, heeding, exit }: Context,
): Promise<void> {
  const { prefix, workers: threads, patience, parts, json } = given;
  const redis = serverOf(given);
  if (redis !== undefined && threads !== undefined) {
    throw new InvalidInputError(
      '--workers is for a sweep on this machine only. With --redis, start more workers, or start them with it.',
    );
  }
  if (redis !== undefined && parts !== undefined) {
    throw new InvalidInputError('With --redis, --parts belongs to the workers: start them with it.');
  }
  await partsOf(given.parts);
  const spec = await specOf(file);
  const out = given.out!;
  const tableFile = join(out, 'table.csv');
  checkOutputs([tableFile], true, [file, ...(typeof spec.data === 'string' ? [spec.data] : [])]);
  await makeFolder(out);
  const lock = await lockPath(tableFile);
  if (lock.note !== undefined) stderr.write(`note: ${lock.note}\n`);
  let shown: string | undefined;
  const swept: Promise<Sweep> = sweep(spec, {
    ...(redis === undefined ? { parts, threads } : { connection: redis }),
    ...{ prefix, patience, out, signal },
    onProgress({ done, total, kept }) {
      // While the table is read, which no signal could interrupt, signals end the process.
      if (shown === undefined) void heeding(() => swept.catch(() => undefined));
      const line = `${done} of ${total} fits${kept > 0 ? `, ${kept} of them kept from before` : ''}\n`;
      if (!json && line !== shown) stderr.write(line);
      shown = line;
    },
  });
  const result = await swept.finally(() => lock.release());
  const { table, status, text, kept } = result;
  stdout.write(json ? `${JSON.stringify({ status, kept, table, file: tableFile })}\n` : text);
  if (status === 'stopped') exit(exitCodeOf(signal?.reason));
}

/** Reads a spec, whose paths are relative to its file. */
async function specOf(file: string): Promise<SweepSpec> {
  const spec = (await readJsonFile(file, 'sweep')) as SweepSpec;
  if (typeof spec?.data !== 'string' || /^https?:/.test(spec.data)) return spec;
  return { ...spec, data: resolve(dirname(file), spec.data) };
}
