import type { Command } from 'commander';
import { InvalidInputError } from '../../index.ts';
import { type DeadJob, FITS, keysOf, redisTransport, SHARDS, type Transport } from '../queue/index.ts';
import type { Context } from './streams.ts';
import { checkedServer, prefixFlag, printable, queueName, redisFlag } from './workerCommand.ts';

interface QueueArguments {
  readonly redis?: string;
  readonly prefix?: string;
  readonly queue?: string;
  readonly clear?: true | string[];
  readonly json?: boolean;
}

/** State of one queue. */
interface Queue {
  readonly queue: string;
  readonly workers: number;
  readonly waiting: number;
  readonly dead: readonly DeadJob[];
}

/** `queue` */
export function defineQueue(command: Command, context: Context): void {
  command
    .addOption(redisFlag())
    .addOption(prefixFlag())
    .option('--queue <name>', `the queue's name (default: both ${FITS} and ${SHARDS})`, queueName)
    .option('--clear [ids...]', 'forget the jobs that were given up: all of them, or those of these ids')
    .option('--json', 'print one JSON object')
    .action((given: QueueArguments) => showQueues(given, context));
}

async function showQueues({ redis, prefix, queue, clear, json }: QueueArguments, { stdout }: Context): Promise<void> {
  const transport = await redisTransport({ connection: checkedServer(redis, 'queue'), prefix });
  try {
    const names = queue === undefined ? [FITS, SHARDS] : [queue];
    const queues = await Promise.all(names.map((name) => stateOf(transport, name)));
    const cleared = clear === undefined ? undefined : await clearedOf(transport, queues, clear);
    if (json) stdout.write(`${JSON.stringify({ queues, ...(cleared && { cleared }) })}\n`);
    else
      stdout.write(
        queues.map(sentences).join('') + (cleared === undefined ? '' : `${counted(cleared.length)} cleared\n`),
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
 * Removes failed jobs with all they stored, and returns their ids.
 *
 * @throws InvalidInputError for an id that is not among the failed jobs; nothing is removed then
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
  const head = `${queue}: ${workers} worker${workers === 1 ? '' : 's'}, ${counted(waiting)} waiting, ${counted(dead.length)} given up\n`;
  return (
    head +
    dead.map(({ id, reason, at }) => `  ${new Date(at).toISOString()}  ${printable(`${id}  ${reason}`)}\n`).join('')
  );
}

const counted = (jobs: number) => `${jobs} job${jobs === 1 ? '' : 's'}`;
