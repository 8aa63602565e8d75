import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ServeQueueOptions } from '../../src/queue/index.ts';
import { bundled } from '../bundled.ts';

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

export async function startWorker(connection: string, options: ServeQueueOptions = {}): Promise<WorkerProcess> {
  const [program, thread] = await Promise.all([
    bundled('test/queue/workerProcess.ts'),
    bundled('src/queue/queueThread.ts'),
  ]);
  const args = [fileURLToPath(program), connection, thread.href, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  // Whatever becomes of a test, its workers do not outlive it.
  child.unref();
  process.on('exit', () => child.kill('SIGKILL'));
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
  const thread = await bundled('src/queue/queueThread.ts');
  return () => new Worker(thread);
}
