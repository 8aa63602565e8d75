import { expect, it } from 'vitest';
import { framed, frameFrom } from '../../../src/app/queue/shards/messages.ts';

it('keeps every bit, for any offset of the bytes', () => {
  const lists = [
    new Float64Array([0.1, -0, Number.NaN, -Infinity, 5e-324]),
    new Float64Array(0),
    new Float64Array([3]),
  ];
  for (const name of ['', 'ü', 'a longer name']) {
    const bytes = framed({ name, number: 2 }, lists);
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect(frameFrom(shifted.subarray(3))).toEqual({ header: { name, number: 2 }, lists });
  }
  expect(frameFrom(framed({}))).toEqual({ header: {}, lists: [] });
});

const text = (said: string) => new TextEncoder().encode(said);
const headed = (json: string, more = 0) => {
  const bytes = new Uint8Array(Math.ceil((4 + json.length) / 8) * 8 + more);
  bytes.set(text(json), 4);
  bytes[0] = json.length;
  return bytes;
};

it.each([
  ['nothing', new Uint8Array(0), /0 bytes are not a message/],
  ['a header that ends behind the bytes', Uint8Array.of(9, 0, 0, 0, 123, 125), /6 bytes are not a message/],
  ['no JSON', headed('{'), /not a JSON object/],
  ['a list', headed('[]'), /not a JSON object/],
  ['no lengths', headed('{}'), /does not contain the lists/],
  ['lengths that are none', headed('{"lengths":[-1]}'), /does not contain the lists/],
  ['fewer numbers than it names', headed('{"lengths":[2]}', 8), /does not contain the lists/],
  ['more numbers than it names', headed('{"lengths":[2]}', 24), /does not contain the lists/],
  ['a part of a number', headed('{"lengths":[1]}', 9), /does not contain the lists/],
])('refuses %s', (_, bytes, reason) => {
  expect(() => frameFrom(bytes)).toThrow(reason);
});
