import { expect, it } from 'vitest';
import { expectClose } from './tolerance.ts';

it('expectClose refuses NaN at any position, and values that are too far apart', () => {
  expect(() => expectClose([Number.NaN, 1], [1, 1], 1e-12)).toThrow();
  expect(() => expectClose([1, 5, 2], [1, Number.NaN, 2], 1e-12)).toThrow();
  expect(() => expectClose([1, Number.POSITIVE_INFINITY], [1, Number.POSITIVE_INFINITY], 1)).toThrow();
  expect(() => expectClose([1, 2 + 1e-9], [1, 2], 1e-10)).toThrow();
  expect(() => expectClose([1], [1, 2], 1)).toThrow();
  expectClose([1, 2 + 1e-11], [1, 2], 1e-11);
});
