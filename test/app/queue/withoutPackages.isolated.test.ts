import { expect, it, vi } from 'vitest';
import { redisTransport } from '../../../src/app/queue/index.ts';

vi.mock('../../../src/core/host.ts', async (original) => {
  const real = await original<typeof import('../../../src/core/host.ts')>();
  const load = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' }));
  return { optionalPackage: (name: string, _: unknown, purpose: string) => real.optionalPackage(name, load, purpose) };
});

it('names the package to install', async () => {
  await expect(redisTransport({ connection: 'redis://127.0.0.1' })).rejects.toThrow(
    'A queue on Redis takes the packages bullmq and ioredis: npm install bullmq ioredis',
  );
});
