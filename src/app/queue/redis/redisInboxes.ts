import type { Redis } from 'ioredis';
import type { Transport } from '../transport.ts';

/** Seconds for which unread messages are kept. */
const KEPT = 86_400;

/** Inboxes as Redis lists, each with a connection that waits for the next message. */
export function redisInboxes(redis: Redis, prefix: string): Pick<Transport, 'inbox' | 'send'> {
  const named = (name: string) => `${prefix}:inbox:${name}`;
  return {
    async send(name, bytes) {
      const { buffer, byteOffset, byteLength } = bytes;
      const message = Buffer.from(buffer, byteOffset, byteLength);
      await redis.multi().rpush(named(name), message).expire(named(name), KEPT).exec();
    },
    async inbox(name) {
      const reader = redis.duplicate();
      reader.on('error', () => undefined);
      let isClosed = false;
      return {
        async receive(seconds) {
          try {
            return (await reader.blpopBuffer(named(name), seconds))?.[1];
          } catch (error) {
            if (isClosed) return undefined;
            throw error;
          }
        },
        async close() {
          isClosed = true;
          reader.disconnect();
          await redis.del(named(name));
        },
      };
    },
  };
}
