import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { type Fit, loadFit } from '../../src/index.ts';
import { expectClose } from '../tolerance.ts';

const written = vi.hoisted(() => new Map<string, string>());
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  writeFile: async (path: string, text: string) => {
    written.set(path, text);
  },
}));

it('a model that no paper has takes 11 lines: it trains, projects, saves and plots', { tags: 'long' }, async () => {
  const text = readFileSync(new URL('../../examples/newModel.ts', import.meta.url), 'utf8');
  const [model] = text.match(/defineModel\(\{[\s\S]*?\n\}\);/)!;
  expect(model.split('\n').length).toBeLessThanOrEqual(11);
  const logged: unknown[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...parts) => {
    logged.push(...parts);
  });
  const { followed } = await import('../../examples/newModel.ts');
  log.mockRestore();
  const [, terms, projected] = logged as [string, Fit['terms'], number[][]];
  expect(Object.keys(terms)).toEqual(['x', 'y', 'x.laplacian']);
  const again = loadFit(JSON.parse(written.get('newModel.json')!), { models: { followed } });
  expect(again.objective).toBeGreaterThan(again.trace[0]!.objective);
  // Between two rows of the sequence lies what was observed between them, as measured by how far the latents spread.
  const { latents } = again;
  const middle = latents.row(10).map((entry, d) => (entry + latents.at(11, d)) / 2);
  const spread = Math.sqrt(latents.data.reduce((sum, entry) => sum + entry ** 2, 0) / latents.rows);
  expectClose(Math.hypot(...middle.map((entry, d) => entry - projected[0]![d]!)) / spread, 0, 0.05);
  const { mean } = again.predict({ x: projected }).y;
  expectClose(mean.row(0), [Math.cos(10.5 / 9), Math.sin(10.5 / 9), 10.5 / 60, Math.cos(10.5 / 4)], 0.02);
  expect(written.get('newModel.svg')).toMatch(/^<svg/);
});
