import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as root from '../src/index.ts';
import * as everything from './everything.ts';

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, string | { readonly browser?: string; readonly default: string }>;
};

it('the root exports at most 155 values, each also exported by a module', () => {
  expect(Object.keys(root).length).toBeLessThanOrEqual(155);
  expect(Object.keys(everything)).toEqual(expect.arrayContaining(Object.keys(root)));
  expect(Object.keys(everything).length).toBeGreaterThan(Object.keys(root).length);
});

it('what tests take from all modules is what the modules of package.json export', async () => {
  const names = new Set<string>();
  for (const module of Object.values(exports)) {
    if (typeof module === 'string' || module.browser === undefined) continue;
    const file = module.default.replace('./dist/', '../src/').replace(/\.js$/, '.ts');
    const exported = (await import(new URL(file, import.meta.url).href)) as object;
    for (const name of Object.keys(exported)) names.add(name);
  }
  expect(Object.keys(everything).toSorted()).toEqual([...names].toSorted());
});
