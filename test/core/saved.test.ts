import { describe, expect, it } from 'vitest';
import { checkDepth, checksum, MOST_LEVELS } from '../../src/core/saved.ts';
import { add, InvalidInputError, type Kernel, rbf, scale } from '../../src/index.ts';
import { kernelFromJSON, kernelToJSON, parseKernel } from '../../src/kernels/index.ts';

const nested = (levels: number) => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { inner: value };
  return value;
};

describe('checksum', () => {
  it('is equal for the same JSON, in any order of members', () => {
    expect(checksum({ a: [1, null, 'x'], b: { c: -0.5 } })).toBe(
      checksum(JSON.parse('{"b":{"c":-5e-1},"a":[1,null,"x"]}')),
    );
    expect(checksum({ a: undefined, b: -0 })).toBe(checksum({ b: 0 }));
  });

  it('is FNV-1a of the text in its lower half', () => {
    // http://www.isthe.com/chongo/src/fnv/test_fnv.c: "a" is 0xe40c292c. The text of a string has its quotes.
    const fnv = [...'"a"'].reduce((hash, c) => Math.imul(hash ^ c.charCodeAt(0), 0x01000193), 0x811c9dc5) >>> 0;
    expect(checksum('a').slice(8)).toBe(fnv.toString(16).padStart(8, '0'));
  });

  it('distinguishes every other digit, order of a list and kind of value', () => {
    const all = [0.1, 0.10000000000000002, '0.1', [0.1], [[0.1]], [0.1, 0], [0, 0.1], { 0: 0.1 }, null, true, {}, []];
    expect(new Set(all.map(checksum)).size).toBe(all.length);
  });
});

describe('nesting', () => {
  it('of JSON is bounded, without a stack that overflows', () => {
    expect(() => checkDepth(nested(MOST_LEVELS), 'This')).not.toThrow();
    expect(() => checkDepth(nested(20_000), 'This')).toThrow(InvalidInputError);
    expect(() => checkDepth(nested(20_000), 'This')).toThrow(/This is nested more than 400 levels deep, below '/);
  });

  it('of kernels as JSON, 20 000 deep, is an error', () => {
    let json: unknown = kernelToJSON(rbf());
    for (let i = 0; i < 20_000; i++) json = { add: [json] };
    expect(() => kernelFromJSON(json)).toThrow(/This saved kernel is nested more than/);
  });

  it.each([
    ['brackets', '(', 'rbf', ')'],
    ['scales', 'scale(', 'rbf', ')'],
    ['lists', 'rbf(lengthscale=[', '1', '])'],
    ['lists in a value', '[', '1', ']'],
  ])('of the text of a kernel, 20 000 deep, is an error: %s', (kind, open, inner, close) => {
    const deep = `${open.repeat(20_000)}${inner}${close.repeat(20_000)}`;
    const read = () => parseKernel(kind === 'lists in a value' ? `rbf(lengthscale=${deep})` : deep);
    expect(read).toThrow(InvalidInputError);
    expect(read).toThrow(/^.{1,500}$/);
  });

  it('of kernels in code is bounded where it would take hours, and what may be made is saved and read', () => {
    let kernel: Kernel = rbf();
    const grow = () => {
      for (let i = 0; i < 60; i++) kernel = i % 2 === 0 ? scale(kernel, 1) : add(kernel, rbf());
    };
    expect(grow).toThrow(/50 kernels in each other, which is the most/);
    expect(Object.keys(kernelFromJSON(JSON.parse(JSON.stringify(kernelToJSON(kernel)))).parameters)).toEqual(
      Object.keys(kernel.parameters),
    );
    expect(Object.keys(parseKernel('(((rbf)))').parameters)).toEqual(Object.keys(rbf().parameters));
  });
});
