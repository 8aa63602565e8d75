import { describe, expect, it } from 'vitest';
import { shared } from '../../../src/fields/density/sharedFactor.ts';

/** Numbered things, as many as were made. */
function numbered() {
  let made = 0;
  return shared(() => ++made);
}

function* twice(one: number) {
  yield one;
  yield one;
}

describe('something shared', () => {
  it('is made once, and again for who comes while it is held', () => {
    const factor = numbered();
    expect(factor.use((one) => one)).toBe(1);
    const held = factor.hold(twice);
    expect(held.next().value).toBe(1);
    expect(factor.use((one) => one)).toBe(2);
    expect([...held]).toEqual([1]);
    expect(factor.use((one) => one)).toBe(1);
  });

  it('is forgotten when it is disposed of, also while it is held or used', () => {
    const factor = numbered();
    const held = factor.hold(twice);
    held.next();
    factor.dispose();
    expect([...held]).toEqual([1]);
    expect(factor.use((one) => one)).toBe(2);
    factor.use(() => factor.dispose());
    expect(factor.use((one) => one)).toBe(3);
    factor.dispose();
    expect(factor.use((one) => one)).toBe(4);
  });
});
