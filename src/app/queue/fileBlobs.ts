import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../io/index.ts';
import { localBlobs } from './localBlobs.ts';
import type { Blobs } from './transport.ts';

/**
 * Blobs that keep the states of fits as files in a folder, so that they outlive the process, and all others in memory.
 *
 * @param folder - created if necessary
 */
export async function fileBlobs(folder: string): Promise<Blobs> {
  await mkdir(folder, { recursive: true });
  const memory = localBlobs();
  const fileOf = (key: string) => {
    const id = /^state\/([\w-]+)$/.exec(key)?.[1];
    return id === undefined ? undefined : join(folder, `${id}.json`);
  };
  return {
    ...memory,
    async put(key, bytes) {
      const file = fileOf(key);
      if (file === undefined) await memory.put(key, bytes);
      else await writeAtomically(file, bytes);
    },
    async get(key, most) {
      const file = fileOf(key);
      if (file === undefined) return memory.get(key, most);
      return readFile(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
    },
    async remove(...keys) {
      await memory.remove(...keys);
      for (const file of keys.map(fileOf)) if (file !== undefined) await rm(file, { force: true });
    },
  };
}
