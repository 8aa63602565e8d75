import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/data/index.ts';
import { fit } from '../../src/inference/index.ts';
import { add, bias, linear, rbf } from '../../src/kernels/index.ts';
import { evaluate } from '../../src/model/evaluate.ts';
import { type BayesianGplvmOptions, bayesianGplvm } from '../../src/models/index.ts';
import { type QueueShardsOptions, queueShards } from '../../src/queue/index.ts';
import { bundled } from '../bundled.ts';
import { describeWithRedis, type RedisServer, startRedis } from './redisServer.ts';
import { startWorker } from './workers.ts';

const { observations } = pipeFlow({ points: 61, seed: 1 });
const options: BayesianGplvmOptions = { latentDim: 2, inducing: 7 };

let programs: NonNullable<Parameters<typeof queueShards>[1]>;
beforeAll(async () => {
  const [shardThread, queueThread] = await Promise.all([
    bundled('src/queue/shards/shardThread.ts'),
    bundled('src/queue/queueThread.ts'),
  ]);
  programs = { shardThread: shardThread.href, queueThread: queueThread.href };
});
const shardsOf = (given: QueueShardsOptions) => queueShards(given, programs);

type Values = Awaited<ReturnType<typeof evaluate>>;
/** Largest difference of values and gradients, relative to the largest entry of each. */
function difference(a: Values, b: Values): number {
  let worst = Math.abs(a.objective - b.objective) / Math.abs(b.objective);
  for (const [path, expected] of Object.entries(b.gradients)) {
    const numbers = (value: unknown) =>
      [value]
        .flat(2)
        .flatMap((x) => (typeof x === 'object' ? Array.from((x as { data: Float64Array }).data) : [x as number]));
    const [mine, theirs] = [numbers(a.gradients[path]), numbers(expected)];
    expect(mine).toHaveLength(theirs.length);
    const largest = Math.max(...theirs.map(Math.abs));
    theirs.forEach((value, i) => {
      worst = Math.max(worst, Math.abs(mine[i]! - value) / largest);
    });
  }
  return worst;
}

describe('a bound whose rows are in shards', () => {
  it.each([
    ['the default kernel', {}],
    ['a sum with a linear one', { kernel: add(rbf({ lengthscale: [1, 2] }), linear(), bias()) }],
    ['more columns than rows', { inducing: 3, wide: true }],
  ])(
    'equals the unsharded one, gradients included: %s',
    async (_, { wide, ...more }: { wide?: boolean } & Partial<BayesianGplvmOptions>) => {
      const Y = wide ? pipeFlow({ points: 9, seed: 2 }).observations : observations;
      const alone = await evaluate(bayesianGplvm(Y, { ...options, ...more }));
      for (const count of [1, 3]) {
        const spread = await evaluate(bayesianGplvm(Y, { ...options, ...more, shards: shardsOf({ count }) }));
        expect(difference(spread, alone)).toBeLessThan(1e-9);
      }
    },
  );

  it('predicts all columns where there are more than rows', async () => {
    const { observations: Y } = pipeFlow({ points: 9, seed: 2 });
    const { mean } = (await fit(bayesianGplvm(Y, { ...options, inducing: 3 }), { maxIterations: 1 })).predict([[0, 0]]);
    expect(mean.columns).toBe(Y.columns);
  });

  it('is refused where rows have holes, and where there are fewer than shards', async () => {
    const shards = shardsOf({ count: 100 });
    expect(() => bayesianGplvm(observations, { ...options, missing: 'ignore', shards })).toThrow(/without holes/);
    await expect(fit(bayesianGplvm(observations, { ...options, shards }))).rejects.toThrow(
      /61 rows cannot be divided into 100/,
    );
  });
});

describeWithRedis('shards on Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('go on with a fit, bit for bit, when a worker is lost', async () => {
    const { connection } = redis;
    const limits = { maxIterations: 30 };
    const whole = await fit(bayesianGplvm(observations, { ...options, shards: shardsOf({ count: 2 }) }), limits);
    const workers = await Promise.all([startWorker(connection), startWorker(connection)]);
    const shards = shardsOf({ connection, count: 2 });
    let killed = false;
    const spread = await fit(bayesianGplvm(observations, { ...options, shards }), {
      ...limits,
      onProgress({ iteration }) {
        if (iteration === 3 && !killed) killed = workers[0]!.process.kill('SIGKILL');
      },
    });
    expect(killed).toBe(true);
    expect([spread.objective, spread.latents, spread.trace]).toEqual([whole.objective, whole.latents, whole.trace]);
    const predicted = spread.predict([[0, 0]]);
    expect(predicted.mean.columns).toBe(observations.columns);
    workers[1]!.process.kill('SIGKILL');
  });

  it('say that no worker takes them', async () => {
    const shards = shardsOf({ connection: redis.connection, count: 2, patience: 2 });
    await expect(fit(bayesianGplvm(observations, { ...options, shards }))).rejects.toThrow(/No worker has served/);
  });
});
