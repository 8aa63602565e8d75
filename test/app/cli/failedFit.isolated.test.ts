import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { Fit } from '../../../src/index.ts';
import { latentfield, prepared } from './latentfield.ts';

const MESSAGE = 'No lower value was found along the steepest descent.';

vi.mock('../../../src/index.ts', async (original) => {
  const all = await original<typeof import('../../../src/index.ts')>();
  return {
    ...all,
    fit: async (...given: Parameters<typeof all.fit>): Promise<Fit> => {
      const { toJSON, ...result } = await all.fit(...given);
      return { ...result, toJSON, status: 'failed', message: MESSAGE };
    },
  };
});

it('a fit that failed is written all the same, reported on stderr, and has exit code 1', async () => {
  const { data, out } = await prepared();
  const args = ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--max-iterations', '2', '--out', out];
  const ran = await latentfield(args);
  expect([ran.exitCode, ran.messages]).toEqual([1, `error: ${MESSAGE}\n`]);
  expect(ran.stdout).not.toContain(MESSAGE);
  for (const file of ['latents.csv', 'fit.json', 'trace.csv']) expect(existsSync(join(out, file))).toBe(true);
  expect(readFileSync(join(out, 'latents.csv'), 'utf8').split('\n')).toHaveLength(32);
  const inJson = await latentfield([...args, '--json']);
  expect(inJson.exitCode).toBe(1);
  expect(JSON.parse(inJson.stdout)).toMatchObject({ status: 'failed', message: MESSAGE });
});
