import type { Matrix } from 'latentfield';
import type { Reply, Task, TaskResults } from './tasks.worker.ts';

const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
let worker: Worker | undefined;
let count = 0;

/** Has the worker of the page do something long: reading a file, scores, UMAP. */
export function inWorker<K extends keyof TaskResults>(task: Extract<Task, { kind: K }>): Promise<TaskResults[K]> {
  worker ??= started();
  const id = count++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker!.postMessage({ id, task });
  });
}

function started(): Worker {
  const made = new Worker(new URL('./tasks.worker.ts', import.meta.url), { type: 'module' });
  made.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
    const { resolve, reject } = waiting.get(data.id)!;
    waiting.delete(data.id);
    if ('error' in data) reject(new Error(data.error));
    else resolve(data.value as never);
  });
  made.addEventListener('error', () => {
    for (const { reject } of waiting.values())
      reject(new Error('The worker of this page was lost. Load the page again.'));
    waiting.clear();
    worker = undefined;
  });
  return made;
}

/** A matrix as it goes to the worker. */
export const plainMatrix = ({ data, rows, columns }: Matrix) => ({ data, rows, columns });
