// @module-tag long
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { writeTable } from '../../../src/app/io/index.ts';
import { queuePool, sweep } from '../../../src/app/queue/index.ts';
import { fit } from '../../../src/inference/index.ts';
import { add, bias } from '../../../src/kernels/index.ts';
import { gplvm } from '../../../src/models/index.ts';
import { bundled } from '../../bundled.ts';
import { latentfield } from '../cli/latentfield.ts';
import { kernels } from '../cli/parts/mine.ts';
import { temporaryFolder } from '../io/folder.ts';
import { describeWithRedis, freePort, type RedisServer, startRedis } from './redisServer.ts';
import { killWorkers, startWorker, threadStarter } from './workers.ts';

const { observations } = pipeFlow({ points: 30, seed: 1 });

describeWithRedis('a worker', {}, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  const pool = () => queuePool({ connection: redis.connection });

  it('fits with the parts that it was started with, and reports it without them', async () => {
    const model = () => gplvm(observations, { latentDim: 1, kernel: add(kernels.cauchy(), bias()) });
    const options = { maxIterations: 5, restarts: 2, seed: 1 };
    const bare = await startWorker(redis.connection);
    await expect(fit(model(), { ...options, workers: pool() })).rejects.toThrow(/cauchy/);
    bare.process.kill('SIGKILL');
    const equipped = await startWorker(redis.connection, {}, { parts: 'test/app/cli/parts/mine.ts' });
    const alone = await fit(model(), options);
    const spread = await fit(model(), { ...options, workers: pool() });
    expect([spread.latents, spread.trace]).toEqual([alone.latents, alone.trace]);
    equipped.process.kill('SIGKILL');
  });

  it('reads a table from an address below those that it may read', async () => {
    const { path } = temporaryFolder();
    const names = Array.from({ length: observations.columns }, (_, d) => `y${d}`);
    await writeTable(`${path}/data.csv`, observations, names);
    const asked: string[] = [];
    const server: Server = createServer(({ url = '' }, response) => {
      asked.push(url);
      if (url === '/tables/data.csv') response.end(readFileSync(`${path}/data.csv`));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    const tableWith = async (data: string[], file = 'tables/data.csv') => {
      const worker = await startWorker(redis.connection, { allow: data });
      const spec = { models: [{ model: 'pca' }], data: `${address}/${file}` };
      try {
        return (await sweep(spec, { connection: redis.connection })).table[0]!;
      } finally {
        worker.process.kill('SIGKILL');
      }
    };
    expect((await tableWith([`${address}/other`])).failure).toMatch(/This worker may not read/);
    const before = asked.length;
    const row = await tableWith([`${address}/tables`]);
    const { objective } = row;
    const local = await sweep({ models: [{ model: 'pca' }], data: observations }, { start: await threadStarter() });
    expect(objective).toBe(local.table[0]!.objective);
    // The coordinator and the worker, each for itself.
    expect(asked.slice(before)).toEqual(['/tables/data.csv', '/tables/data.csv']);
    await expect(tableWith([], 'absent.csv')).rejects.toThrow(/the server answers 404/);
    server.close();
    server.closeAllConnections();
  });

  it('that gets SIGTERM within a job gives it back and ends with 0, and another one continues', async () => {
    const model = () => gplvm(observations, { latentDim: 2 });
    const options = { maxIterations: 500, tolerance: 1e-12, relativeDecrease: 0, seed: 1, restarts: 1 };
    const alone = await fit(model(), options);
    const first = await startWorker(redis.connection, { threads: 2 });
    let steps = 0;
    let ended: Promise<number | null> | undefined;
    let second: ReturnType<typeof startWorker> | undefined;
    const spread = await fit(model(), {
      ...options,
      workers: pool(),
      onProgress() {
        if (++steps !== 5) return;
        first.process.kill('SIGTERM');
        ended = first.exit.then((code) => {
          second = startWorker(redis.connection, { threads: 2 });
          return code;
        });
      },
    });
    expect(await ended).toBe(0);
    expect(first.said()).toContain('stopped\n');
    expect(spread.message).toContain('was done again');
    expect([spread.latents, spread.trace, spread.status]).toEqual([alone.latents, alone.trace, alone.status]);
    (await second)!.process.kill('SIGKILL');
  });
});

const settingsOf = (key: string, certificate: string, port: number) => [
  ...['--tls-port', String(port), '--tls-cert-file', certificate, '--tls-key-file', key],
  ...['--tls-ca-cert-file', certificate, '--tls-auth-clients', 'no'],
];

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
describeWithRedis('TLS', {}, () => {
  it.skipIf(!hasOpenssl)(
    `carries a sweep, by a password that nobody prints${hasOpenssl ? '' : ' (openssl is not installed)'}`,
    async () => {
      const { path, write } = temporaryFolder();
      const [key, certificate] = [join(path, 'key.pem'), join(path, 'certificate.pem')];
      const made = spawnSync('openssl', [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
        ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
      ]);
      expect(made.status).toBe(0);
      const secret = 'not-to-be-shown';
      const port = await freePort();
      const redis = await startRedis('--requirepass', secret, ...settingsOf(key, certificate, port));
      onTestFinished(async () => {
        killWorkers(port);
        await redis.stop();
      });
      const connection = `rediss://:${secret}@127.0.0.1:${port}`;
      const env = { NODE_EXTRA_CA_CERTS: certificate };
      const worker = await startWorker(connection, {}, { env });
      const spec = { models: [{ model: 'pca', grid: { latentDim: [1, 2] } }] };
      const file = write('spec.json', JSON.stringify({ ...spec, data: observations.toArrays() }));
      const out = join(path, 'out');
      const program = fileURLToPath(await bundled('test/app/queue/sweepProcess.ts'));
      const swept = spawn(process.execPath, [program, file, out, '', connection], { env: { ...process.env, ...env } });
      let said = '';
      for (const stream of [swept.stdout, swept.stderr]) {
        stream.on('data', (chunk) => {
          said += String(chunk);
        });
      }
      expect(await new Promise((resolve) => swept.on('exit', resolve)), said).toBe(0);
      const { text } = await sweep({ ...spec, data: observations }, { start: await threadStarter() });
      expect(readFileSync(join(out, 'table.csv'), 'utf8')).toBe(text);
      // In this process nobody vouches for the certificate.
      const untrusted = fit(gplvm(observations, { latentDim: 1 }), { restarts: 1, workers: queuePool({ connection }) });
      await expect(untrusted).rejects.toThrow(/a certificate that is not trusted here .*NODE_EXTRA_CA_CERTS=FILE\.$/);
      const ran = await latentfield(['worker', '--redis', connection]);
      expect(ran.exitCode).toBe(1);
      worker.process.kill('SIGTERM');
      expect(await worker.exit).toBe(0);
      expect(said + worker.said() + ran.stderr + ran.stdout).not.toContain(secret);
    },
  );
});
