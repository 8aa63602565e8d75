import type { Transport } from './transport.ts';

/** Inboxes in the memory of this process. */
export function localInboxes(): Pick<Transport, 'inbox' | 'send'> {
  const lists = new Map<string, Uint8Array[]>();
  const readers = new Map<string, (message: Uint8Array | undefined) => void>();
  return {
    async send(name, bytes) {
      const reader = readers.get(name);
      if (reader !== undefined) reader(bytes);
      else lists.set(name, [...(lists.get(name) ?? []), bytes]);
    },
    inbox: async (name) => ({
      async receive(seconds) {
        const first = lists.get(name)?.shift();
        if (first !== undefined) return first;
        return new Promise((resolve) => {
          const read = (message: Uint8Array | undefined) => {
            clearTimeout(timer);
            readers.delete(name);
            resolve(message);
          };
          const timer = setTimeout(read, 1000 * seconds, undefined);
          readers.set(name, read);
        });
      },
      async close() {
        readers.get(name)?.(undefined);
        lists.delete(name);
      },
    }),
  };
}
