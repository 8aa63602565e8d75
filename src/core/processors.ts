import { isNode, nodeModule } from './nodeModule.ts';

/** Threads or workers that a count comes to: at most one for each processor, and two where there is one. */
export async function atMostProcessors(count: number): Promise<number> {
  return Math.min(count, Math.max(2, await processors()));
}

/** How many processors this process may use. */
export async function processors(): Promise<number> {
  if (!isNode()) return globalThis.navigator?.hardwareConcurrency ?? 1;
  const { availableParallelism } = await nodeModule<typeof import('node:os')>('node:os', 'Not in Node.');
  return availableParallelism();
}
