// @module-tag long
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { queuePool, redisTransport, sweep } from '../../../src/app/queue/index.ts';
import { LatentFieldError } from '../../../src/core/errors.ts';
import { fit } from '../../../src/inference/index.ts';
import { gplvm } from '../../../src/models/index.ts';
import { latentfield } from '../cli/latentfield.ts';
import { temporaryFolder } from '../io/folder.ts';
import { describeWithRedis, startRedis } from './redisServer.ts';
import { startWorker } from './workers.ts';

const { observations } = pipeFlow({ points: 20, seed: 1 });
const model = () => gplvm(observations, { latentDim: 1 });
const options = { maxIterations: 3, restarts: 1, seed: 1 };

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** What whoever connects to this server hears: an error of the library's. */
async function failureAt(port: number): Promise<LatentFieldError> {
  const error = await redisTransport({ connection: `redis://127.0.0.1:${port}` }).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(LatentFieldError);
  return error;
}

describe('a server other than Redis is an error of the library', () => {
  const replies: [string, string | Buffer, RegExp][] = [
    ['text', 'hello\r\n', /answers as no Redis server does/],
    ['bytes', Buffer.from([0, 255, 254, 13, 10]), /answers as no Redis server does/],
    ['a length that is no number', '$x\r\n', /did not answer within 4 seconds/],
    ['a length below none', '*-7\r\n', /did not answer within 4 seconds/],
    ['a bulk of a terabyte', '$1000000000000\r\nx', /did not answer within 4 seconds/],
    ['a list of lists without an end', '*1\r\n'.repeat(5000), /answers as no Redis server does/],
    ['another kind of answer', ':7\r\n'.repeat(20), /answers as no Redis server does/],
    ['an error without words', '-\r\n'.repeat(20), /failed|answers as no/],
    ['that it is loading', '-LOADING Redis is loading\r\n'.repeat(20), /is still loading its data/],
    ['nothing', '', /did not answer within 4 seconds/],
  ];
  it('which answers with something else', { timeout: 20_000 }, async () => {
    const answered = replies.map(async ([what, reply, said]) => {
      const port = await listening(createServer((socket) => socket.on('data', () => socket.write(reply))));
      expect((await failureAt(port)).message, what).toMatch(said);
    });
    await Promise.all(answered);
  });

  it('which closes at once, or speaks HTTP', async () => {
    expect((await failureAt(await listening(createServer((socket) => socket.destroy())))).message).toMatch(
      /cannot be reached|closed the connection/,
    );
    const http = createHttp((_, response) => response.end('hello'));
    expect((await failureAt(await listening(http))).message).toMatch(
      /answers as no Redis server does|closed|cannot be/,
    );
  });
});

describeWithRedis('a Redis server', {}, () => {
  it('which is gone in the middle of a sweep ends it with an error, and one that comes back without the data too', async () => {
    for (const comesBack of [false, true]) {
      const redis = await startRedis();
      const running = sweep(
        { models: [{ model: 'pca', grid: { latentDim: [1] } }], data: observations },
        {
          connection: redis.connection,
          patience: 3,
          onProgress: () => void setTimeout(() => (comesBack ? redis.restart() : redis.stop()), 800),
        },
      );
      const error = await running.catch((reason) => reason);
      expect(error).toMatchObject({ name: 'LatentFieldError', code: 'queueLost' });
      expect(error.message).toMatch(comesBack ? /started again without its data/ : /has not answered for 3 seconds/);
      if (comesBack) await redis.stop();
    }
  }, 60_000);

  it('with exhausted memory is an error that reports it, to a fit and to a worker, and the worker keeps running', async () => {
    const redis = await startRedis('--maxmemory-policy', 'noeviction');
    onTestFinished(() => redis.stop());
    const worker = await startWorker(redis.connection);
    await worker.hears('serving');
    const raw = new Redis(redis.port);
    onTestFinished(() => raw.disconnect());
    await raw.config('SET', 'maxmemory', '1');
    const running = fit(model(), { ...options, workers: queuePool({ connection: redis.connection, patience: 5 }) });
    await expect(running).rejects.toThrow(LatentFieldError);
    await expect(running).rejects.toThrow(/is out of memory \(its maxmemory\).*Raise maxmemory/);
    await raw.config('SET', 'maxmemory', '0');
    const alone = await fit(model(), options);
    const after = await fit(model(), { ...options, workers: queuePool({ connection: redis.connection }) });
    expect(after.latents).toEqual(alone.latents);
    expect(worker.process.exitCode).toBe(null);
    worker.process.kill('SIGKILL');
  });

  it('with a certificate of a private authority is reached over TLS with NODE_EXTRA_CA_CERTS, and not without', async () => {
    const { path } = temporaryFolder();
    const [key, certificate] = [join(path, 'key.pem'), join(path, 'certificate.pem')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
    ]);
    expect(made.status, String(made.stderr)).toBe(0);
    const tls = ['--tls-port', '0', '--tls-cert-file', certificate, '--tls-key-file', key, '--tls-auth-clients', 'no'];
    const redis = await startRedis(...tls);
    onTestFinished(() => redis.stop());
    const raw = new Redis(redis.port);
    const port = redis.port + 1;
    await raw.config('SET', 'tls-port', String(port));
    raw.disconnect();
    const connection = `rediss://127.0.0.1:${port}`;
    await expect(redisTransport({ connection })).rejects.toThrow(
      /shows a certificate that is not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\).*NODE_EXTRA_CA_CERTS/,
    );
    await expect(redisTransport({ connection: `rediss://127.0.0.1:${redis.port}` })).rejects.toThrow(LatentFieldError);
    await expect(redisTransport({ connection: `redis://127.0.0.1:${port}` })).rejects.toThrow(LatentFieldError);
    const trusting = await startWorker(connection, {}, { env: { NODE_EXTRA_CA_CERTS: certificate } });
    await trusting.hears('serving');
    const alone = await fit(model(), options);
    const plain = `redis://127.0.0.1:${redis.port}`;
    const spread = await fit(model(), { ...options, workers: queuePool({ connection: plain }) });
    expect(spread.latents).toEqual(alone.latents);
    trusting.process.kill('SIGKILL');
  });

  it('serves workers whose clocks are an hour off: what one of another version gives back, another one takes at once', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const shifted = (hours: number) => ({
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(
        `const now = Date.now; Date.now = () => now() + ${3.6e6 * hours};`,
      )}`,
    });
    const ahead = await startWorker(redis.connection, { version: '0.0.9' }, { env: shifted(1) });
    const alone = await fit(model(), options);
    const began = performance.now();
    const running = fit(model(), { ...options, workers: queuePool({ connection: redis.connection }) });
    await ahead.hears('was given back');
    const behind = await startWorker(redis.connection, {}, { env: shifted(-1) });
    expect((await running).latents).toEqual(alone.latents);
    expect(performance.now() - began).toBeLessThan(20_000);
    for (const { process } of [ahead, behind]) process.kill('SIGKILL');
  });

  it("lists abandoned jobs with 'latentfield queue', and clears them", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const worker = await startWorker(redis.connection);
    const transport = await redisTransport({ connection: redis.connection });
    onTestFinished(() => transport.close());
    await transport.add('fits', [
      { id: 'first', body: '\u001b[31mno JSON' },
      { id: 'second', body: '' },
    ]);
    await vi.waitFor(async () => expect(await transport.dead('fits')).toHaveLength(2), 10_000);
    await transport.blobs.append('returns/first', new Uint8Array(1));
    const shown = (...args: string[]) => latentfield(['queue', '--redis', redis.connection, ...args]);
    const before = await shown();
    expect(before).toMatchObject({ exitCode: 0, stderr: '' });
    expect(before.stdout).toMatch(/^fits: 1 worker, 0 jobs waiting, 2 jobs given up\n/);
    expect(before.stdout).toMatch(/\n {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}second {2}This is not a job of latentfield\.\n/);
    expect(before.stdout).toMatch(/ first {2}.*This is not JSON/);
    expect(before.stdout).toMatch(/\nshards: 1 worker, 0 jobs waiting, 0 jobs given up\n$/);
    expect(before.stdout).not.toContain('\u001b');
    expect(await shown('--clear', 'third')).toMatchObject({
      exitCode: 2,
      stderr: "error: No job 'third' was given up. 'latentfield queue' lists those that were.\n",
    });
    expect((await shown('--queue', 'fits', '--clear', 'first')).stdout).toMatch(/\n1 job cleared\n$/);
    expect(await transport.blobs.parts('returns/first', 0)).toEqual([]);
    expect((await transport.dead('fits')).map(({ id }) => id)).toEqual(['second']);
    const cleared = JSON.parse((await shown('--clear', '--json')).stdout);
    expect(cleared).toMatchObject({ queues: [{ queue: 'fits', dead: [{ id: 'second' }] }, { dead: [] }] });
    expect(cleared.cleared).toEqual(['second']);
    expect(await transport.dead('fits')).toEqual([]);
    expect((await latentfield(['queue'])).stderr).toMatch(/^error: queue takes --redis/);
    expect((await shown('--queue', 'a:b')).stderr).toMatch(/^error: option '--queue <name>' argument 'a:b' is invalid/);
    worker.process.kill('SIGKILL');
  });
});
