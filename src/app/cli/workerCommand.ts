import { type Command, InvalidArgumentError, Option } from 'commander';
import { InvalidInputError } from '../../index.ts';
import { redisTransport, serveQueue } from '../queue/index.ts';
import { wholeFrom } from './flags.ts';
import { PARTS_FLAG, type PartsArguments, partsOf } from './ownParts.ts';
import type { Context } from './streams.ts';

/** Environment variable with the address of the server, unless `--redis` gives it: all users of a machine can see a password on a command line. */
const VARIABLE = 'LATENTFIELD_REDIS';

export const redisFlag = (): Option =>
  new Option(
    '--redis <url>',
    `redis://user:password@host:port/database, or rediss:// for TLS (default: the variable ${VARIABLE})`,
  ).env(VARIABLE);
export const prefixFlag = (): Option =>
  new Option('--prefix <name>', "prefix of all keys on the server (default: 'latentfield')");

/** The server's address, which the command requires. */
export function checkedServer(redis: string | undefined, command: string): string {
  if (redis !== undefined) return redis;
  throw new InvalidInputError(`${command} takes --redis redis://host:6379, or the variable ${VARIABLE}.`);
}

/** Checks the name of a queue. */
export function queueName(text: string): string {
  if (/^[\w-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be of letters, digits, _ and -.');
}

/** Text from a queue with control characters, which a terminal may execute, replaced by �. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '\ufffd');

const several = (value: string, previous: string[] = []) => [...previous, value];

interface WorkerArguments extends PartsArguments {
  readonly redis?: string;
  readonly prefix?: string;
  readonly queue?: string;
  readonly threads?: number;
  readonly lockSeconds?: number;
  readonly mostBytes?: number;
  readonly data?: string[];
}

/** `worker` */
export function defineWorker(command: Command, context: Context): void {
  command
    .addOption(redisFlag())
    .option('--threads <n>', 'fits that run at the same time (default: 1)', wholeFrom(1))
    .option('--queue <name>', "the queue's name (default: fits)", queueName)
    .addOption(prefixFlag())
    .option(
      '--lock-seconds <s>',
      'seconds without a heartbeat after which a worker counts as lost (default: 10)',
      wholeFrom(1),
    )
    .option('--most-bytes <n>', 'bytes to fetch for one fit at most (default: 256 MB)', wholeFrom(1))
    .option('--data <folder|url>', 'where tables of sweeps may be read, beside the queue; may be repeated', several)
    .option(...PARTS_FLAG)
    .action((given: WorkerArguments) => work(given, context));
}

async function work(
  { redis, prefix, lockSeconds, parts, queue, threads, mostBytes, data }: WorkerArguments,
  { stderr, signal }: Context,
): Promise<void> {
  const connection = checkedServer(redis, 'worker');
  // Errors in the parts are reported here once, and not by each thread.
  await partsOf(parts);
  const say = (message: string) => stderr.write(`${printable(message)}\n`);
  const transport = await redisTransport({ connection, prefix, lockSeconds });
  const worker = await serveQueue(transport, { queue, threads, mostBytes, data, parts, onMessage: say });
  say(
    `Serving '${queue ?? 'fits'}' with ${threads ?? 1} thread${(threads ?? 1) === 1 ? '' : 's'}. Stop it with Ctrl-C or SIGTERM.`,
  );
  const close = () => {
    void worker.close();
  };
  signal?.addEventListener('abort', close);
  try {
    await worker.ended;
    say('Stopped. Unfinished fits are back in the queue.');
  } finally {
    signal?.removeEventListener('abort', close);
    await worker.close();
    await transport.close();
  }
}
