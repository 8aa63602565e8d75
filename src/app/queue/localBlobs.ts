import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../../core/errors.ts';
import { writeAtomically } from '../io/index.ts';
import type { Blobs } from './transport.ts';

/** Blobs in the memory of this process. */
export function localBlobs(): Blobs {
  const blobs = new Map<string, Uint8Array>();
  const lists = new Map<string, Uint8Array[]>();
  return {
    seconds: Number.POSITIVE_INFINITY,
    renew: async () => undefined,
    async put(key, bytes) {
      blobs.set(key, bytes);
    },
    async get(key, most = Number.POSITIVE_INFINITY) {
      const bytes = blobs.get(key);
      if (bytes !== undefined && bytes.length > most) throw tooLarge(key, bytes.length, most);
      return bytes;
    },
    async append(key, bytes) {
      const list = lists.get(key) ?? [];
      list.push(bytes);
      lists.set(key, list);
    },
    parts: async (key, from) => lists.get(key)?.slice(from) ?? [],
    async remove(...keys) {
      for (const key of keys) {
        blobs.delete(key);
        lists.delete(key);
      }
    },
  };
}

export function tooLarge(key: string, bytes: number, most: number): InvalidInputError {
  return new InvalidInputError(
    `What lies under '${key}' has ${bytes} bytes, but this worker takes at most ${most}. Give it --most-bytes, or send less.`,
  );
}

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
