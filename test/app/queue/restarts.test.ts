import { afterAll, beforeAll, expect, it } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { queuePool, redisTransport } from '../../../src/app/queue/index.ts';
import { type FitOptions, fit } from '../../../src/inference/index.ts';
import { add, bias, rbf } from '../../../src/kernels/index.ts';
import type { Fit } from '../../../src/model/fit.ts';
import { gplvm, isomap } from '../../../src/models/index.ts';
import { describeWithRedis, type RedisServer, startRedis } from './redisServer.ts';
import { startWorker, type WorkerProcess } from './workers.ts';

const { observations } = pipeFlow({ points: 30, seed: 1 });
const model = () => gplvm(observations, { latentDim: 2, kernel: add(rbf(), bias()) });
const options: FitOptions = { maxIterations: 15, restarts: 23, seed: 1 };
/** All but the message, which says when a start was done again. */
const bitsOf = ({ latents, parameters, objective, terms, trace, status, diagnostics }: Fit) =>
  JSON.stringify([latents, parameters, objective, terms, trace, status, diagnostics.evaluations, diagnostics.restarts]);

describeWithRedis('restarts over three workers', {}, () => {
  let redis: RedisServer;
  let workers: WorkerProcess[];
  let local: Fit;
  const pool = () => queuePool({ connection: redis.connection });
  beforeAll(async () => {
    redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
    workers = await Promise.all([1, 2, 3].map(() => startWorker(redis.connection)));
    local = await fit(model(), options);
  });
  afterAll(async () => {
    for (const { process } of workers) process.kill('SIGKILL');
    await redis.stop();
  });

  it('have the bits of restarts on this machine, in result, trace and steps', async () => {
    const steps: number[] = [];
    const result = await fit(model(), {
      ...options,
      workers: pool(),
      onProgress: ({ objective }) => steps.push(objective),
    });
    expect(bitsOf(result)).toBe(bitsOf(local));
    expect(result.message).toBe(local.message);
    expect(steps).toHaveLength(24 * 16);
  });

  it('fit a model that is computed', async () => {
    const embedding = () => isomap(observations, { latentDim: 2, neighbors: 10 });
    const alone = await fit(embedding());
    expect((await fit(embedding(), { workers: pool() })).latents).toEqual(alone.latents);
  });

  it('stop on request, with their best point so far', { tags: 'long' }, async () => {
    let best = Number.NEGATIVE_INFINITY;
    const stopped = await fit(model(), {
      ...options,
      maxIterations: 100_000,
      tolerance: 0,
      relativeDecrease: 0,
      workers: pool(),
      onProgress({ iteration, objective }) {
        best = Math.max(best, objective);
        return iteration < 30;
      },
    });
    expect(stopped.status).toBe('stopped');
    // Which of the starts came furthest by then is a matter of time.
    expect(stopped.objective).toBeGreaterThanOrEqual(best);
    const transport = await redisTransport({ connection: redis.connection });
    expect(await transport.waiting('fits')).toBe(0);
    await transport.close();
  });

  it('go back to the queue when a worker is stopped by SIGTERM', { tags: 'long' }, async () => {
    const running = fit(model(), { ...options, workers: pool() });
    await new Promise((resolve) => setTimeout(resolve, 200));
    workers[2]!.process.kill('SIGTERM');
    expect(await workers[2]!.exit).toBe(0);
    expect(workers[2]!.said()).toBe('serving\nstopped\n');
    expect(bitsOf(await running)).toBe(bitsOf(local));
    workers[2] = await startWorker(redis.connection);
  });

  it('have the same bits when a worker is killed and Redis is started again in the middle', {
    tags: 'long',
  }, async () => {
    let hasEnded = false;
    const running = fit(model(), { ...options, workers: pool() }).finally(() => {
      hasEnded = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    workers[0]!.process.kill('SIGKILL');
    const replaced = startWorker(redis.connection);
    await redis.restart();
    expect(hasEnded).toBe(false);
    workers[0] = await replaced;
    expect(bitsOf(await running)).toBe(bitsOf(local));
  });
});
