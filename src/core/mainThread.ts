import { isNode, nodeModule } from './nodeModule.ts';

/** Whether this is the main thread of Node; in a browser, whatever thread it is. */
export async function isMainThread(): Promise<boolean> {
  if (!isNode()) return true;
  return (await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', 'Not in Node.')).isMainThread;
}
