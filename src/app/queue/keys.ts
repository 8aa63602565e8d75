import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

/** Blob keys of a job. */
export const keysOf = (id: string) => ({
  /** Its events so far, in parts. */
  events: `events/${id}`,
  /** State from which it can be resumed. */
  state: `state/${id}`,
  /** Its result. */
  result: `result/${id}`,
  /** One part for each time that a worker of another version returned it. */
  returns: `returns/${id}`,
  /** Written by the coordinator: 'stop' with the reason, or 'drop'. */
  cancel: `cancel/${id}`,
});

/** The last refusal of a worker, for a coordinator that waits in vain. */
export const refusalKey = (queue: string) => `refusal/${queue}`;

/** Key of data: their SHA-256, by which received data can be verified. */
export function dataKey(bytes: Uint8Array): string {
  return `data/${checksumOf(bytes)}`;
}

export function checksumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Default queue of fits and sweeps. */
export const FITS = 'fits';

/** Queue of shards, each of which stays with its worker for the whole fit. */
export const SHARDS = 'shards';

/** Version of the library, and of the messages between its coordinators and workers. */
export const VERSION = (createRequire(import.meta.url)('../../../package.json') as { version: string }).version;
