import type { Redis } from 'ioredis';
import { tooLarge } from '../localBlobs.ts';
import type { Blobs } from '../transport.ts';

/** Blobs under Redis keys: inside of a job they would be JSON, five times as large. */
export function redisBlobs(redis: Redis, prefix: string, seconds: number): Blobs {
  const named = (key: string) => `${prefix}:blobs:${key}`;
  return {
    seconds,
    async put(key, bytes) {
      await redis.set(named(key), Buffer.from(bytes), 'EX', seconds);
    },
    async get(key, most = Number.POSITIVE_INFINITY) {
      const length = await redis.strlen(named(key));
      if (length > most) throw tooLarge(key, length, most);
      return (await redis.getBuffer(named(key))) ?? undefined;
    },
    async append(key, bytes) {
      await redis.multi().rpush(named(key), Buffer.from(bytes)).expire(named(key), seconds).exec();
    },
    parts: (key, from) => redis.lrangeBuffer(named(key), from, -1),
    async renew(...keys) {
      await Promise.all(keys.map((key) => redis.expire(named(key), seconds)));
    },
    async remove(...keys) {
      if (keys.length > 0) await redis.del(...keys.map(named));
    },
  };
}
