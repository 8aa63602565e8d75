import { createHash } from 'node:crypto';

/** Keys of what belongs to a job. */
export const keysOf = (id: string) => ({
  /** What came of it so far, part by part. */
  events: `events/${id}`,
  /** Where it can be taken up again. */
  state: `state/${id}`,
  /** Its result. */
  result: `result/${id}`,
  /** A part each time that a worker of another version gave it back. */
  returns: `returns/${id}`,
  /** Set by the coordinator: 'stop' and by whom, or 'drop'. */
  cancel: `cancel/${id}`,
});

/** The last refusal of a worker, for a coordinator that waits in vain. */
export const refusalKey = (queue: string) => `refusal/${queue}`;

/** The key of data by their SHA-256, so that what comes back can be checked. */
export function dataKey(bytes: Uint8Array): string {
  return `data/${checksumOf(bytes)}`;
}

export function checksumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The queue of fits and sweeps, unless another one is named. */
export const FITS = 'fits';

/** The queue of shards, each of which stays with its worker for as long as a fit lasts. */
export const SHARDS = 'shards';
