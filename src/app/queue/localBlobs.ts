import { InvalidInputError } from '../../core/errors.ts';
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
