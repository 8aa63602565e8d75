import { expect, it } from 'vitest';
import { packed, unpacked } from '../../../src/app/queue/requests.ts';
import { Matrix } from '../../../src/core/matrix.ts';

it('keeps every bit', () => {
  const value = {
    doubles: new Float64Array([0.1, -0, Number.NaN, Number.NEGATIVE_INFINITY, 5e-324]),
    matrix: new Matrix(new Float64Array([1, 2, 3, 4, 5, 6]), 2, 3),
    numbers: [Number.NaN, -0, Number.POSITIVE_INFINITY, 1 / 3],
    nested: { text: 'ü', none: null, list: [[true]] },
  };
  const read = unpacked(packed(value)) as typeof value;
  expect(read).toEqual(value);
  expect(Object.is(read.numbers[1], -0)).toBe(true);
  expect(read.matrix).toBeInstanceOf(Matrix);
});

it.each([
  ['{', /not JSON/],
  ['{"$doubles":"AAAA"}', /3 bytes are not a list of doubles/],
  ['{"$doubles":[1]}', /base64/],
  ['{"$matrix":[2,2,"AAAAAAAAAAA="]}', /1 numbers are not a 2×2 matrix/],
  ['{"$matrix":[1]}', /\[rows, columns, base64\]/],
  ['{"$number":"toString"}', /is no number/],
])('refuses %s', (text, reason) => {
  expect(() => unpacked(text)).toThrow(reason);
});
