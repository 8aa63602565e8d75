/**
 * Fits on several machines: workers of a queue for `fit`, sweeps, and bounds whose rows are spread.
 *
 * @module
 */

export { localTransport } from './localTransport.ts';
export { type QueuePoolOptions, queuePool } from './queuePool.ts';
export { type RedisTransportOptions, redisTransport } from './redis/redisTransport.ts';
export { serveQueueThread } from './serveQueueThread.ts';
export {
  type Blobs,
  type DeadJob,
  FITS,
  type Inbox,
  type JobState,
  keysOf,
  type ParentJob,
  type QueuedJob,
  RefusedJob,
  ReturnedJob,
  type RunningJob,
  type ServeOptions,
  type Serving,
  SHARDS,
  type Transport,
  type Watcher,
} from './session.ts';
export { type QueueShardsOptions, queueShards } from './shards/shardCalls.ts';
export type { SweepRow } from './sweep/outcome.ts';
export type { SweepScore, SweepSpec, SweptFit, SweptModel } from './sweep/spec.ts';
export { type Sweep, type SweepOptions, type SweepProgress, sweep } from './sweep/sweep.ts';
export { type QueueServer, type ServeQueueOptions, serveQueue } from './worker/serveQueue.ts';
