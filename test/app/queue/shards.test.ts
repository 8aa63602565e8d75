import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import {
  localTransport,
  type QueueShardsOptions,
  queueShards,
  redisTransport,
  serveQueue,
} from '../../../src/app/queue/index.ts';
import { framed } from '../../../src/app/queue/shards/messages.ts';
import { openShards } from '../../../src/app/queue/shards/shardCalls.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { lazily } from '../../../src/core/progressiveWork.ts';
import * as op from '../../../src/engine/tensors/ops.ts';
import { fit } from '../../../src/inference/index.ts';
import { add, bias, linear, matern52, rbf } from '../../../src/kernels/index.ts';
import { kernelToJSON } from '../../../src/kernels/kernelToJson.ts';
import { evaluate } from '../../../src/model/open.ts';
import { type BayesianGplvmOptions, bayesianGplvm } from '../../../src/models/index.ts';
import {
  bernoulli,
  defineLikelihood,
  gaussian,
  ordinal,
  poisson,
  type ShardPoint,
} from '../../../src/processes/index.ts';
import { bundled } from '../../bundled.ts';
import { describeWithRedis, type RedisServer, startRedis } from './redisServer.ts';
import { startWorker, threadStarter, type WorkerProcess } from './workers.ts';

const { observations } = pipeFlow({ points: 61, seed: 1 });
const options: BayesianGplvmOptions = { latentDim: 2, inducing: 7 };

let programs: NonNullable<Parameters<typeof queueShards>[1]>;
beforeAll(async () => {
  const [shardThread, queueThread] = await Promise.all([
    bundled('src/app/queue/shards/shardThread.ts'),
    bundled('src/app/queue/queueThread.ts'),
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

/** Away from where q(u) starts under Gaussian noise: that is its optimum, where the gradients are rounding alone. */
const elsewhere = ({ bound, likelihood }: Partial<BayesianGplvmOptions>) =>
  bound === undefined || likelihood !== undefined ? {} : { 'mapping.noise': 0.3 };

describe('a bound whose rows are in shards', () => {
  const isUnsharded = async (
    _: string,
    { wide, counts = [3], ...more }: { wide?: boolean; counts?: number[] } & Partial<BayesianGplvmOptions>,
  ) => {
    const Y = wide ? pipeFlow({ points: 9, seed: 2 }).observations : observations;
    const alone = await evaluate(bayesianGplvm(Y, { ...options, ...more }));
    for (const count of counts) {
      const spread = await evaluate(bayesianGplvm(Y, { ...options, ...more, shards: shardsOf({ count }) }));
      expect(difference(spread, alone)).toBeLessThan(1e-9);
    }
  };
  const title = 'equals the unsharded one, gradients included: %s';
  it.each([['a sum with a linear one', { kernel: add(rbf({ lengthscale: [1, 2] }), linear(), bias()) }]])(
    title,
    isUnsharded,
  );
  it.each([
    ['noise of each column', { noise: Array.from({ length: observations.columns }, (_, j) => 0.1 * (1 + j)) }],
    ['the default kernel', { counts: [1, 3] }],
    ['more columns than rows', { inducing: 3, wide: true }],
  ])(title, { tags: 'long' }, isUnsharded);

  const counts = Array.from({ length: 41 }, (_, i) => [i % 4, (i * i) % 3, i % 2]);
  const labels = counts.map((row) => row.map((count) => count % 2));
  const isUncollapsed = async (_: string, Y: number[][], more: Partial<BayesianGplvmOptions>) => {
    const values = elsewhere(more);
    const alone = await evaluate(bayesianGplvm(Y, { ...options, ...more }), values);
    expect(Object.keys(alone.gradients)).toContain('mapping.variational.mean');
    const sharded = bayesianGplvm(Y, { ...options, ...more, shards: shardsOf({ count: 3 }) });
    expect(difference(await evaluate(sharded, values), alone)).toBeLessThan(1e-9);
  };
  const notCollapsed = 'equals the unsharded one that is not collapsed, gradients included: %s';
  it.each<[string, number[][], Partial<BayesianGplvmOptions>]>([
    ['bernoulli and a kernel without closed forms', labels, { likelihood: bernoulli(), kernel: matern52() }],
  ])(notCollapsed, isUncollapsed);
  it.each<[string, number[][], Partial<BayesianGplvmOptions>]>([
    ['gaussian, one variance', observations.toArrays(), { bound: 'uncollapsed' }],
    ['gaussian, one per column', counts, { likelihood: gaussian({ variance: [0.5, 1, 2] }), bound: 'uncollapsed' }],
    ['poisson', counts, { likelihood: poisson() }],
    ['ordinal', counts, { likelihood: ordinal({ levels: 4 }) }],
  ])(notCollapsed, { tags: 'long' }, isUncollapsed);

  it.each<[string, Partial<BayesianGplvmOptions>]>([
    ['collapsed', {}],
    ['uncollapsed', { bound: 'uncollapsed' }],
  ])(
    'has the bits of one process where each shard has whole blocks, in all gradients: %s',
    { tags: 'long' },
    async (_, more) => {
      // Four blocks.
      const { observations: many } = pipeFlow({ points: 16_400, seed: 1 });
      const alone = await evaluate(bayesianGplvm(many, { ...options, ...more }));
      expect(Object.keys(alone.gradients)).toContain('latents.variance');
      for (const count of [2, 3]) {
        const spread = await evaluate(bayesianGplvm(many, { ...options, ...more, shards: shardsOf({ count }) }));
        expect([spread.objective, spread.gradients]).toEqual([alone.objective, alone.gradients]);
      }
    },
  );

  it('lists what cannot be summed by shards', async () => {
    const shards = shardsOf({ count: 2 });
    const refused = (Y: number[][], more: Partial<BayesianGplvmOptions>) => () =>
      bayesianGplvm(Y, { ...options, ...more, shards });
    const variance = counts.map(() => 1);
    const perRow = refused(counts, { likelihood: gaussian({ variance, per: 'row' }) });
    expect(perRow).toThrow(InvalidInputError);
    expect(perRow).toThrow(/shards do not share a variance per row/);
    const drawn = fit(refused(counts, { latentDim: 3, likelihood: poisson() })());
    await expect(drawn).rejects.toThrow(InvalidInputError);
    await expect(drawn).rejects.toThrow(/in 3 dimensions takes draws/);
    const batches = fit(refused(counts, {})(), { batchSize: 5 });
    await expect(batches).rejects.toThrow(/A fit in batches does not support shards/);
    expect(refused(counts, { rowWeights: counts.map(() => 1) })).toThrow(/does not support rowWeights with shards/);
  });

  it('reports a likelihood that a worker does not know', async () => {
    const foreign = defineLikelihood({ name: 'foreign', parameters: {}, logDensity: (_, f, y) => op.mul(f, y) });
    const shards = shardsOf({ count: 2 });
    const asked = fit(bayesianGplvm(counts, { ...options, likelihood: foreign(), shards }), { maxIterations: 1 });
    await expect(asked).rejects.toThrow(/--parts FILE\) has no likelihood 'foreign'/);
  });

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

const at: ShardPoint = [
  { shape: [6, 1], data: Float64Array.from([0, 1, 2, 3, 4, 5]) },
  { shape: [6, 1], data: new Float64Array(6).fill(0.5) },
  { shape: [2, 1], data: Float64Array.of(1, 4) },
  ...[1, 2].map((value) => ({ shape: [], data: Float64Array.of(value) })),
];
const rows = new Matrix(
  Float64Array.from({ length: 12 }, (_, i) => i % 5),
  6,
  2,
);

describe('a shard', () => {
  const slopes = Float64Array.from({ length: 9 }, (_, i) => i - 4);
  /** Sums and gradients over a transport that does with a message what `deliver` says; what workers reported. */
  async function evaluated(
    deliver: (name: string, bytes: Uint8Array, send: (bytes?: Uint8Array) => Promise<void>) => Promise<void>,
  ) {
    const reported: string[] = [];
    const local = localTransport();
    const transport = {
      ...local,
      send: (name: string, bytes: Uint8Array) => deliver(name, bytes, (other = bytes) => local.send(name, other)),
    };
    const worker = await serveQueue(transport, {
      ...{ threads: 2, start: await threadStarter() },
      onMessage: (message) => reported.push(message),
    });
    const open = await openShards(transport, rows, { kernel: kernelToJSON(rbf()) }, { count: 2, patience: 60 });
    const [sums] = await open.sums(at);
    const gradients = await open.gradients(slopes);
    const again = await open.gradients(slopes);
    await open.close();
    await worker.close();
    return { values: [sums, ...gradients, ...again], reported };
  }

  const undisturbed = lazily(() => evaluated((_, __, send) => send()));

  it('with lost questions and answers is requested again, with the same bits', { tags: 'long' }, async () => {
    const whole = await undisturbed();
    const kinds = ['"evaluate"', '"answer"', '"slopes"'];
    const spread = await evaluated(async (_, bytes, send) => {
      const header = new TextDecoder().decode(bytes.subarray(0, 120));
      const lost = kinds.findIndex((kind) => header.includes(kind));
      if (lost >= 0) kinds.splice(lost, 1);
      else await send();
    });
    expect(kinds).toEqual([]);
    expect(spread.values).toEqual(whole.values);
    expect(whole.values[0]).toHaveLength(9);
  });

  it('reports messages that are not questions, and continues', async () => {
    const whole = await undisturbed();
    const foreign = [
      new Uint8Array(3),
      framed({ kind: 'shell', command: 'ls' }),
      framed({ kind: 'slopes', number: 1 }),
    ];
    const spread = await evaluated(async (name, _, send) => {
      if (name.startsWith('shard-')) for (const message of foreign.splice(0)) await send(message);
      await send();
    });
    expect(spread.values).toEqual(whole.values);
    expect(spread.reported).toHaveLength(3);
    for (const message of spread.reported) expect(message).toMatch(/^A message to a shard was refused: /);
  });
});

describeWithRedis('shards on Redis', { tags: 'long' }, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  /** So that the test after this one finds no worker. */
  const stopped = async (workers: readonly WorkerProcess[]) => {
    for (const worker of workers) worker.process.kill('SIGKILL');
    await Promise.all(workers.map(({ exit }) => exit));
  };

  it('continue with a fit, bit for bit, when a worker is lost', async () => {
    const { connection } = redis;
    const limits = { maxIterations: 30 };
    const whole = await fit(bayesianGplvm(observations, { ...options, shards: shardsOf({ count: 2 }) }), limits);
    const workers = await Promise.all([startWorker(connection), startWorker(connection)]);
    onTestFinished(() => stopped(workers));
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
  });

  it.each<[string, Partial<BayesianGplvmOptions>]>([
    ['collapsed', {}],
    ['gaussian, not collapsed', { bound: 'uncollapsed' }],
    ['bernoulli', { likelihood: bernoulli() }],
  ])('give the bound and gradients of one process: %s', async (_, more) => {
    const { connection } = redis;
    const Y = more.likelihood ? observations.toArrays().map((row) => row.map((y) => Number(y > 1))) : observations;
    const workers = await Promise.all([startWorker(connection), startWorker(connection)]);
    onTestFinished(() => stopped(workers));
    const values = elsewhere(more);
    const alone = await evaluate(bayesianGplvm(Y, { ...options, ...more }), values);
    const shards = shardsOf({ connection, count: 2 });
    const spread = await evaluate(bayesianGplvm(Y, { ...options, ...more, shards }), values);
    expect(difference(spread, alone)).toBeLessThan(1e-9);
  });

  it('fit as one process does, bit for bit', async () => {
    const { connection } = redis;
    // Four blocks.
    const { observations: many } = pipeFlow({ points: 16_400, seed: 1 });
    const workers = await Promise.all([startWorker(connection), startWorker(connection)]);
    onTestFinished(() => stopped(workers));
    const fitted = async (more: Partial<BayesianGplvmOptions>) => {
      const model = bayesianGplvm(many, { ...options, ...more });
      const { objective, latents, parameters, trace } = await fit(model, { maxIterations: 3 });
      return [objective, latents, parameters, trace];
    };
    const shards = shardsOf({ connection, count: 2 });
    expect(await fitted({ shards })).toEqual(await fitted({}));
  });

  it('keep the rows for as long as the fit, and remove them at its end', async () => {
    const { connection } = redis;
    const prefix = 'kept';
    const transport = await redisTransport({ connection, prefix, keptSeconds: 3 });
    onTestFinished(() => transport.close());
    const served = async () => {
      const own = await redisTransport({ connection, prefix, lockSeconds: 1 });
      const worker = await serveQueue(own, { threads: 2, start: await threadStarter() });
      return async () => {
        await worker.close();
        await own.close();
      };
    };
    const endFirst = await served();
    const open = await openShards(transport, rows, { kernel: kernelToJSON(rbf()) }, { count: 2, patience: 60 });
    const [sums] = await open.sums(at);
    await endFirst();
    await new Promise((resolve) => setTimeout(resolve, 7000));
    // Who takes the shards over fetches their rows once more.
    const endSecond = await served();
    expect(await open.sums(at)).toEqual([sums]);
    const client = new Redis(connection);
    onTestFinished(() => client.disconnect());
    expect(await client.keys(`${prefix}:blobs:data/*`)).toHaveLength(2);
    await open.close();
    expect(await client.keys(`${prefix}:blobs:data/*`)).toEqual([]);
    await endSecond();
  });

  it('report that no worker accepts them', async () => {
    const shards = shardsOf({ connection: redis.connection, count: 2, patience: 2 });
    const asked = fit(bayesianGplvm(observations, { ...options, shards }), { maxIterations: 1 });
    await expect(asked).rejects.toThrow(/No worker has served/);
  });
});
