import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { writeTable } from '../../../src/app/io/index.ts';
import { localTransport, type SweepSpec, serveQueue, sweep } from '../../../src/app/queue/index.ts';
import { packed } from '../../../src/app/queue/requests.ts';
import { checksumOf, dataKey, keysOf, VERSION } from '../../../src/app/queue/session.ts';
import { temporaryFolder } from '../io/folder.ts';
import { threadStarter } from './workers.ts';

const { observations } = pipeFlow({ points: 20, seed: 1 });
const { observations: others } = pipeFlow({ points: 20, seed: 2 });
const names = Array.from({ length: observations.columns }, (_, d) => `y${d}`);

it('a job that claims the checksum of another table is refused, and the sweep of that table has its own numbers', async () => {
  const honest = { models: [{ model: 'pca' }], data: observations } satisfies SweepSpec;
  const start = await threadStarter();
  const expected = await sweep(honest, { start });
  const transport = localTransport();
  const messages: string[] = [];
  const worker = await serveQueue(transport, { start, onMessage: (message) => messages.push(message) });
  onTestFinished(() => worker.close());
  const bytesOf = (Y: typeof observations) => new TextEncoder().encode(packed({ observations: Y, labels: undefined }));
  const key = dataKey(bytesOf(others));
  await transport.blobs.put(key, bytesOf(others));
  const cell = {
    ...{ model: 'pca', options: {}, seed: 0, folds: 0, fold: 0, foldSeed: 0, scores: [], standardize: false, fit: {} },
    checksum: checksumOf(bytesOf(observations)),
  };
  const body = packed({ kind: 'cell', version: VERSION, cell: packed(cell), data: packed({ kind: 'key', key }) });
  await transport.add('fits', [{ id: 'planted', body }]);
  const { table } = await sweep(honest, { transport });
  expect(table[0]!.objective).toBe(expected.table[0]!.objective);
  expect(messages).toEqual(['Job planted was refused: The checksum of a fit does not match its table.']);
  expect(await transport.blobs.get(keysOf('planted').result)).toBeUndefined();
});

it('a worker stays within the folders and addresses of its tables: links, encoded dots, redirects', async () => {
  const { path } = temporaryFolder();
  for (const name of ['inside', 'outside']) mkdirSync(join(path, name));
  await writeTable(join(path, 'outside', 'data.csv'), observations, names);
  symlinkSync(join(path, 'outside', 'data.csv'), join(path, 'inside', 'link.csv'));
  const start = await threadStarter();
  let isMoved = false;
  const server = createServer((request, response) => {
    if (request.url === '/in/moved.csv' && isMoved) response.writeHead(302, { location: '/out/data.csv' }).end();
    else response.end('y0,y1\n1,2\n3,4\n5,7\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const failureOf = async (data: string) => {
    const transport = localTransport();
    const worker = await serveQueue(transport, { start, allow: [join(path, 'inside'), `${address}/in`] });
    const { table } = await sweep({ models: [{ model: 'pca' }], data, through: 'file' }, { transport });
    await worker.close();
    return table[0]!.failure;
  };
  expect(await failureOf(join(path, 'inside', 'link.csv'))).toMatch(/This worker may not read/);
  expect(await failureOf(`${address}/in/..%2fout/data.csv`)).toMatch(/This worker may not read/);
  expect(await failureOf(`${address}/in/%2e%2e/out/data.csv`)).toMatch(/This worker may not read/);
  isMoved = true;
  await expect(failureOf(`${address}/in/moved.csv`)).rejects.toThrow(/is a redirect, which is not followed/);
});
