import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { tableText, writeTable } from '../../../src/app/io/index.ts';
import { localTransport, type SweepSpec, serveQueue, sweep } from '../../../src/app/queue/index.ts';
import { lazily } from '../../../src/core/progressiveWork.ts';
import { fit, loadFit, selectOptions } from '../../../src/index.ts';
import { heldOutDensity } from '../../../src/inference/index.ts';
import { gplvm } from '../../../src/models/index.ts';
import { bundled } from '../../bundled.ts';
import { temporaryFolder } from '../io/folder.ts';
import { describeWithRedis, type RedisServer, startRedis } from './redisServer.ts';
import { startWorker, threadStarter } from './workers.ts';

const { observations, labels } = pipeFlow({ points: 20, seed: 1 });
const named = labels.map(String);
/** 2 models × 5 options × 2 seeds × 3 folds. */
const sixty: SweepSpec = {
  models: [
    { model: 'gplvm', options: { kernel: 'rbf + bias' }, grid: { latentDim: [1, 2], noise: [0.01, 0.1] } },
    { model: 'pca', grid: { latentDim: [1, 2, 3, 4, 5, 6] } },
  ],
  data: observations,
  labels: named,
  seeds: [0, 1],
  folds: 3,
  scores: ['nearestNeighbor', 'trustworthiness'],
  fit: { maxIterations: 3 },
};
const filesOf = (folder: string) => readdirSync(join(folder, 'outcomes')).filter((name) => name.endsWith('.json'));
const writtenAt = (folder: string) =>
  Object.fromEntries(filesOf(folder).map((name) => [name, statSync(join(folder, 'outcomes', name)).mtimeMs]));

/** Runs a sweep in a process that can be killed. */
async function sweeping(spec: string, out: string, ...more: string[]): Promise<ChildProcess> {
  const [program, thread] = await Promise.all([
    bundled('test/app/queue/sweepProcess.ts'),
    bundled('src/app/queue/queueThread.ts'),
  ]);
  return spawn(process.execPath, [fileURLToPath(program), spec, out, thread.href, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function halfway(out: string, count: number): Promise<void> {
  while (!existsSync(join(out, 'outcomes')) || filesOf(out).length < count) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

const uninterrupted = lazily(async () => sweep(sixty, { threads: 2, start: await threadStarter() }));

it('has the scores and fits of selectOptions and fit', { tags: 'long' }, async () => {
  const start = await threadStarter();
  const { path } = temporaryFolder();
  const grid = { latentDim: [1, 2] };
  const density: SweepSpec = {
    models: [{ model: 'gplvm', grid }],
    data: observations,
    folds: 2,
    scores: ['density'],
    fit: { maxIterations: 1 },
  };
  const { table } = await sweep(density, { start });
  const { table: expected } = await selectOptions(
    ({ latentDim }, { take }) => gplvm(take(observations), { latentDim }),
    grid,
    { score: heldOutDensity(observations), folds: 2, fit: { maxIterations: 1 } },
  );
  expect(table.map(({ scores }) => scores.density)).toEqual(expected.map(({ score }) => score));
  await sweep({ ...density, folds: 0, seeds: [5] }, { start, out: path });
  const fits = readdirSync(join(path, 'fits')).map((name) =>
    loadFit(JSON.parse(readFileSync(join(path, 'fits', name), 'utf8'))),
  );
  const one = fits.find(({ latents }) => latents.columns === 1)!;
  const alone = await fit(gplvm(observations, { latentDim: 1 }), { maxIterations: 1, seed: 5 });
  expect(one.latents).toEqual(alone.latents);
});

it('records a failure in its row, and leaves nothing else out', async () => {
  const { table, text, status } = await sweep(
    {
      models: [{ model: 'gplvm', grid: { latentDim: [1, 50] } }, { model: 'nothing' }],
      data: observations,
      fit: { maxIterations: 1 },
    },
    { start: await threadStarter() },
  );
  expect(status).toBe('complete');
  expect(table.map(({ done, statuses }) => [done, ...statuses])).toEqual([
    [1, 'maxIterations'],
    [1, 'failed'],
    [1, 'failed'],
  ]);
  expect(table[2]!.failure).toMatch(/'nothing'/);
  expect(text.split('\n')[0]).toBe('model,latentDim,seed,done,folds,objective,status,failure');
});

it('refuses what it cannot do before anything is fitted', async () => {
  await expect(sweep({ ...sixty, labels: undefined } as SweepSpec)).rejects.toThrow(/takes labels/);
  await expect(sweep({ ...sixty, models: [] })).rejects.toThrow(/at least one model/);
  await expect(sweep({ ...sixty, seeds: [1, 1] })).rejects.toThrow(/twice/);
  await expect(sweep({ ...sixty, data: '/nowhere.csv' })).rejects.toThrow(/no file '\/nowhere.csv'/);
  // Reading a pipe without a writer would never end, and a resumed sweep could not read it again.
  const pipe = join(temporaryFolder().path, 'pipe.csv');
  spawnSync('mkfifo', [pipe]);
  for (const through of [undefined, 'queue', 'file'] as const) {
    await expect(sweep({ ...sixty, data: pipe, through })).rejects.toThrow(/pipe or a device/);
  }
});

it('stops on request, and its table contains the finished fits', { tags: 'long' }, async () => {
  const stop = new AbortController();
  const { path } = temporaryFolder();
  const stopped = await sweep(sixty, {
    ...{ start: await threadStarter(), out: path, signal: stop.signal },
    onProgress: ({ done }) => done === 5 && stop.abort(),
  });
  expect(stopped.status).toBe('stopped');
  const done = stopped.table.reduce((sum, row) => sum + row.done, 0);
  expect(done).toBe(filesOf(path).length);
  expect(done).toBeGreaterThanOrEqual(5);
  expect(done).toBeLessThan(60);
});

it('killed halfway on one machine and started again, repeats nothing and has the same table', {
  tags: 'long',
}, async () => {
  const { path, write } = temporaryFolder();
  const spec = write('spec.json', JSON.stringify({ ...sixty, data: observations.toArrays() }));
  const out = join(path, 'out');
  const first = await sweeping(spec, out);
  await halfway(out, 30);
  await killed(first);
  const before = writtenAt(out);
  const partial = readFileSync(join(out, 'table.csv'), 'utf8').trim().split('\n');
  expect(partial).toHaveLength(21);
  const again = await sweep(sixty, { start: await threadStarter(), threads: 2, out });
  expect(again.kept).toBe(Object.keys(before).length);
  expect(writtenAt(out)).toMatchObject(before);
  expect(filesOf(out)).toHaveLength(60);
  expect(again.text).toBe((await uninterrupted()).text);
  expect(readFileSync(join(out, 'table.csv'), 'utf8')).toBe(again.text);
});

it('reads a table only where its workers may', { tags: 'long' }, async () => {
  const { path } = temporaryFolder();
  const data = join(path, 'data.csv');
  await writeTable(
    data,
    observations,
    Array.from({ length: observations.columns }, (_, d) => `y${d}`),
  );
  expect(readFileSync(data, 'utf8')).toBe(
    tableText(
      observations,
      Array.from({ length: observations.columns }, (_, d) => `y${d}`),
    ),
  );
  const spec: SweepSpec = { models: [{ model: 'pca' }], data, through: 'file' };
  const start = await threadStarter();
  const tableWith = async (allowed: string[]) => {
    const transport = localTransport();
    const worker = await serveQueue(transport, { start, allow: allowed });
    const { table } = await sweep(spec, { transport });
    await worker.close();
    return table[0]!;
  };
  expect((await tableWith([])).failure).toMatch(/This worker may not read/);
  expect((await tableWith([`${path}/other`])).failure).toMatch(/This worker may not read/);
  const { objective } = await tableWith([path]);
  expect(objective).toBe((await sweep({ ...spec, through: 'queue' }, { start })).table[0]!.objective);
});

describeWithRedis('a sweep on Redis', {}, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
  });
  afterAll(() => redis.stop());

  it('killed halfway with a worker and the server, and started again, repeats nothing and has the same table', {
    tags: 'long',
  }, async () => {
    const { path, write } = temporaryFolder();
    const spec = write('spec.json', JSON.stringify({ ...sixty, data: observations.toArrays() }));
    const out = join(path, 'out');
    const workers = await Promise.all([startWorker(redis.connection), startWorker(redis.connection)]);
    const first = await sweeping(spec, out, redis.connection);
    await halfway(out, 30);
    await killed(first);
    await killed(workers[0]!.process);
    const before = writtenAt(out);
    await redis.restart();
    const third = await startWorker(redis.connection);
    const again = await sweep(sixty, { connection: redis.connection, out });
    expect(again.text).toBe((await uninterrupted()).text);
    expect(writtenAt(out)).toMatchObject(before);
    expect(again.kept).toBe(Object.keys(before).length);
    const unneeded = await sweep(sixty, { connection: redis.connection });
    expect(unneeded.text).toBe(again.text);
    for (const { process } of [workers[1]!, third]) process.kill('SIGKILL');
  });
});
