import { type MessagePort, Worker, workerData } from 'node:worker_threads';
import { plainError } from '../../../core/errors.ts';
import { threadOptions } from '../../../core/host.ts';
import { Matrix } from '../../../core/matrix.ts';
import { localTransport } from '../localTransport.ts';
import { redisTransport } from '../redis/redisTransport.ts';
import type { Transport } from '../session.ts';
import { type QueueServer, serveQueue } from '../worker/serveQueue.ts';
import { openShards, type ShardCall, type ShardCalls, type ShardThreadData } from './shardCalls.ts';

// The thread that talks to the queue while the thread of the fit waits for an answer.
const { port, flag, connection, prefix, count, patience, thread } = workerData as ShardThreadData & {
  port: MessagePort;
};
let transport: Transport | undefined;
let server: QueueServer | undefined;
let open: ShardCalls | undefined;

async function connected(): Promise<Transport> {
  if (connection !== undefined) return redisTransport({ connection, prefix });
  const local = localTransport();
  const start = thread === undefined ? undefined : () => new Worker(new URL(thread), threadOptions());
  server = await serveQueue(local, { threads: count, ...(start && { start }) });
  return local;
}

async function answer(call: ShardCall): Promise<unknown> {
  if (call.kind === 'open') {
    transport ??= await connected();
    const { data, rows, columns } = call.rows;
    open = await openShards(transport, new Matrix(data, rows, columns), call.made, { count, patience });
    return undefined;
  }
  if (call.kind === 'sums') return open!.sums(call.at);
  if (call.kind === 'gradients') return open!.gradients(call.slopes);
  await open?.close();
  await server?.close();
  await transport?.close();
  return undefined;
}

port.on('message', async (call: ShardCall) => {
  try {
    const value = await answer(call);
    const lists = Array.isArray(value) ? (value as Float64Array[]) : [];
    port.postMessage({ value }, [...new Set(lists.map(({ buffer }) => buffer as ArrayBuffer))]);
  } catch (error) {
    port.postMessage({ error: plainError(error) });
  }
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  if (call.kind === 'close') port.close();
});
