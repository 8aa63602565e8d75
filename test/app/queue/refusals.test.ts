import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { localTransport, queuePool, redisTransport, serveQueue } from '../../../src/app/queue/index.ts';
import { VERSION } from '../../../src/app/queue/session.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { fit } from '../../../src/inference/index.ts';
import { gplvm } from '../../../src/models/index.ts';
import { latentfield } from '../cli/latentfield.ts';
import { describeWithRedis, type RedisServer, startRedis } from './redisServer.ts';
import { startWorker } from './workers.ts';

const { observations } = pipeFlow({ points: 20, seed: 1 });
const model = () => gplvm(observations, { latentDim: 1 });
const options = { maxIterations: 3, restarts: 1, seed: 1 };
const SECRET = 'not-to-be-shown';

describe('a connection', () => {
  it('is refused without being repeated', async () => {
    const wrong = redisTransport({ connection: `http://me:${SECRET}@host` });
    await expect(wrong).rejects.toThrow(/not of the form redis:\/\/user:password@host:6379\/0/);
    await expect(wrong).rejects.not.toThrow(SECRET);
    expect(() => queuePool({})).toThrow(/either a connection/);
    const encoded = redisTransport({ connection: `redis://me:${SECRET}%zz@127.0.0.1:1` });
    await expect(encoded).rejects.toThrow(InvalidInputError);
    await expect(encoded).rejects.toThrow(/Write %25 for it/);
    await expect(encoded).rejects.not.toThrow(SECRET);
  });

  it('to a server that is not there is an error at once', async () => {
    const ran = await latentfield(['worker', '--redis', `redis://:${SECRET}@127.0.0.1:1`]);
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toBe(
      'error: Redis at 127.0.0.1:1 cannot be reached (ECONNREFUSED). Is it running, and is the address right?\n',
    );
  });
});

describeWithRedis('a queue', {}, () => {
  let redis: RedisServer;
  let guarded: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
    guarded = await startRedis('--requirepass', 'right');
  });
  afterAll(async () => {
    await redis.stop();
    await guarded.stop();
  });

  it.each([
    [`redis://:${SECRET}@127.0.0.1`, 'refused the user name or password. Check those in the connection string.'],
    ['redis://127.0.0.1', 'asks for a password. Give it in the connection string: redis://:password@host.'],
  ])('reports for %s what is wrong with the password, within 5 seconds', async (address, what) => {
    const connection = `${address}:${guarded.port}`;
    const began = performance.now();
    const ran = await latentfield(['worker', '--redis', connection]);
    expect(ran).toMatchObject({ exitCode: 1, stderr: `error: Redis at 127.0.0.1:${guarded.port} ${what}\n` });
    await expect(fit(model(), { ...options, workers: queuePool({ connection }) })).rejects.toThrow(what);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it('takes a password, and gives up where no worker serves it', { tags: 'long' }, async () => {
    const connection = `redis://:right@127.0.0.1:${guarded.port}`;
    const workers = queuePool({ connection, patience: 2 });
    await expect(fit(model(), { ...options, workers })).rejects.toThrow(
      "No worker has served the queue 'fits' for 2 seconds. Start one: latentfield worker --redis URL.",
    );
  });

  it('refuses jobs that are malformed, too large or foreign, and continues', async () => {
    const worker = await startWorker(redis.connection, { maxBytes: 100_000 });
    const queue = new Queue('fits', { connection: { port: redis.port }, prefix: 'latentfield' });
    const raw = new Redis(redis.port);
    const missing = `data/${'0'.repeat(64)}`;
    const key = `data/${'1'.repeat(64)}`;
    await raw.set(`latentfield:blobs:${key}`, 'x'.repeat(100_001));
    const damaged = `data/${'2'.repeat(64)}`;
    await raw.set(`latentfield:blobs:${damaged}`, 'damaged');
    const version = VERSION;
    const bodies: [unknown, RegExp][] = [
      [{ url: 'http://elsewhere' }, /This is not a job of latentfield/],
      [{ body: 'process.exit(1)' }, /This is not JSON/],
      [{ body: 'x'.repeat(70_000) }, /at most 65536 characters, but this one has 70000/],
      [{ body: JSON.stringify({ kind: 'shell', version, command: 'ls' }) }, /job\.kind/],
      [{ body: JSON.stringify({ kind: 'start', version, problem: '../../../etc', start: key }) }, /job\.problem/],
      [{ body: JSON.stringify({ kind: 'start', version, problem: missing, start: key }) }, /There is nothing under/],
      [{ body: JSON.stringify({ kind: 'start', version, problem: damaged, start: key }) }, /its checksum differs/],
      [
        { body: JSON.stringify({ kind: 'start', version, problem: key, start: key }) },
        /has 100001 bytes, but this worker/,
      ],
    ];
    for (const [data, reason] of bodies) {
      const job = await queue.add('job', data);
      await worker.hears(`Job ${job.id} was refused`);
      expect(worker.said().split('\n').at(-2)).toMatch(reason);
      await vi.waitFor(async () => expect(await job.getState()).toBe('failed'));
    }
    await queue.close();
    raw.disconnect();
    const alone = await fit(model(), options);
    const after = await fit(model(), { ...options, workers: queuePool({ connection: redis.connection }) });
    expect(after.latents).toEqual(alone.latents);
    worker.process.kill('SIGKILL');
  });

  it('is returned by a worker of another version, which keeps running, and fitted by one of the right version', {
    tags: 'long',
  }, async () => {
    const older = await startWorker(redis.connection, { version: '0.0.9' });
    const alone = await fit(model(), options);
    const running = fit(model(), { ...options, workers: queuePool({ connection: redis.connection }) });
    await older.hears("was given back by a worker of version 0.0.9. Start workers of the coordinator's version.");
    const right = await startWorker(redis.connection);
    expect((await running).latents).toEqual(alone.latents);
    expect(older.process.exitCode).toBe(null);
    for (const { process } of [older, right]) process.kill('SIGKILL');
  });

  it('of another version than all workers is refused after a bounded number of returns, and the worker continues', async () => {
    const transport = localTransport();
    const messages: string[] = [];
    const worker = await serveQueue(transport, { version: '0.0.9', onMessage: (message) => messages.push(message) });
    const key = `data/${'0'.repeat(64)}`;
    await transport.add('fits', [
      { id: 'other', body: JSON.stringify({ kind: 'start', version: VERSION, problem: key, start: key }) },
    ]);
    await vi.waitFor(async () => expect((await transport.stateOf('fits', 'other')).kind).toBe('failed'), 20_000);
    expect(messages).toHaveLength(2);
    expect(messages[1]).toMatch(/^Job other was refused: .* It was given back 200 times\.$/);
    await transport.add('fits', [{ id: 'next', body: '' }]);
    await vi.waitFor(async () => expect((await transport.stateOf('fits', 'next')).kind).toBe('failed'));
    await worker.close();
  });
});
