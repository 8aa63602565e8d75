import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ServeQueueOptions } from '../../../src/app/queue/index.ts';
import { bundled, bundledTogether } from '../../bundled.ts';

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly process: ChildProcess;
  /** Its lines so far. */
  said(): string;
  /** Resolves to its exit code. */
  readonly exit: Promise<number | null>;
  /** Resolves once it has said something. */
  hears(text: string): Promise<void>;
}

/** Beside the options of the worker: a file of parts for its threads, from the root of the repository, and variables of its environment. */
interface WorkerSetting {
  readonly parts?: string | undefined;
  readonly env?: Record<string, string>;
}

const children: { readonly child: ChildProcess; readonly port: string }[] = [];

/** Ends the workers that tests have left behind; with a port, those of the server there. */
export function killWorkers(port?: number): void {
  for (const one of children) if (port === undefined || one.port === String(port)) one.child.kill('SIGKILL');
}

export async function startWorker(
  connection: string,
  options: ServeQueueOptions = {},
  { parts, env }: WorkerSetting = {},
): Promise<WorkerProcess> {
  const program = await bundled('test/app/queue/workerProcess.ts');
  // Parts are of the same library as the thread that loads them, as those of users are.
  const [thread, own] =
    parts === undefined
      ? [await bundled('src/app/queue/queueThread.ts')]
      : await bundledTogether('src/app/queue/queueThread.ts', parts);
  const args = [fileURLToPath(program), connection, thread!.href, JSON.stringify(options)];
  if (own !== undefined) args.push(fileURLToPath(own));
  const child = spawn(process.execPath, args, {
    ...{ stdio: ['ignore', 'pipe', 'inherit'] },
    env: { ...process.env, ...env },
  });
  // Whatever becomes of a test, its workers outlive neither it nor their server.
  child.unref();
  if (children.length === 0) process.on('exit', () => killWorkers());
  children.push({ child, port: new URL(connection).port });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  const hears = async (wanted: string) => {
    const over = exit.then(() => 'over');
    while (!text.includes(wanted)) {
      if ((await Promise.race([once(child.stdout, 'data'), over])) !== 'over') continue;
      if (!text.includes(wanted)) throw new Error(`The worker ended and said: ${text}`);
    }
  };
  await Promise.race([hears('serving'), exit]);
  return { process: child, said: () => text, exit, hears };
}

/** Starts a thread of a worker inside this process. */
export async function threadStarter(): Promise<() => Worker> {
  const thread = await bundled('src/app/queue/queueThread.ts');
  return () => new Worker(thread);
}
