import { describe, expect, it } from 'vitest';
import { withGetters } from '../../src/core/progressiveWork.ts';

describe('withGetters', () => {
  it('calls its function each time that a property is read, and only then', () => {
    let calls = 0;
    const object = withGetters({ iteration: 3 }, { random: () => ++calls });
    expect(calls).toBe(0);
    expect([object.iteration, object.random, object.random, calls]).toEqual([3, 1, 2, 2]);
  });

  it('keeps the getters of two objects apart, also of the same name', () => {
    const [one, two] = [1, 2].map((value) => withGetters({}, { latents: () => value }));
    expect([one!.latents, two!.latents]).toEqual([1, 2]);
  });

  it('is copied by a spread like an object literal with getters, with their values at the time', () => {
    const object = withGetters({ a: 1 }, { b: () => 2 });
    expect(Object.keys({ ...object })).toEqual(['a', 'b']);
    expect({ ...object, a: 3 }.b).toBe(2);
  });

  it('leaves properties that cannot be written, but can be redefined and deleted, like a literal', () => {
    const object: { readonly b?: number } = withGetters({}, { b: () => 2 });
    expect(() => Object.assign(object, { b: 3 })).toThrow(TypeError);
    expect(object.b).toBe(2);
    Object.defineProperty(object, 'b', { value: 4, configurable: true });
    expect(object.b).toBe(4);
    expect(Reflect.deleteProperty(object, 'b')).toBe(true);
    expect(object).not.toHaveProperty('b');
  });
});
