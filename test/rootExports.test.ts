import { expect, it } from 'vitest';
import * as root from '../src/index.ts';
import * as everything from './everything.ts';

it('the root exports at most 155 values, each also exported by a module', () => {
  expect(Object.keys(root).length).toBeLessThanOrEqual(155);
  expect(Object.keys(everything)).toEqual(expect.arrayContaining(Object.keys(root)));
  expect(Object.keys(everything).length).toBeGreaterThan(Object.keys(root).length);
});
