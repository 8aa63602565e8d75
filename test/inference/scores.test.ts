import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/core/errors.ts';
import { Matrix } from '../../src/core/matrix.ts';
import { nearestNeighborError } from '../../src/inference/scores/neighborScores.ts';

describe('nearestNeighborError', () => {
  it('counts the points whose nearest other point has another label', () => {
    // 0→1, 1→0, 3→1, 10→3: only the last two carry another label than their neighbor.
    expect(nearestNeighborError([[0], [1], [3], [10]], ['a', 'a', 'b', 'a'])).toBe(0.5);
    expect(nearestNeighborError([[0], [1], [5], [6]], [0, 0, 1, 1])).toBe(0);
    expect(nearestNeighborError([[0], [1], [5], [6]], Int32Array.of(0, 1, 0, 1))).toBe(1);
  });

  it('measures in all columns', () => {
    const X = Matrix.from([
      [0, 0],
      [0, 3],
      [4, 0],
      [4, 2.9],
    ]);
    expect(nearestNeighborError(X, ['left', 'left', 'right', 'right'])).toBe(0);
    expect(nearestNeighborError(X, ['low', 'high', 'low', 'high'])).toBe(1);
  });

  it('counts the mean of equally near points, in any order', () => {
    // The middle point is as far from the first as from the last; so are three equal points from each other.
    expect(nearestNeighborError([[0], [1], [2]], ['a', 'a', 'b'])).toBe(0.5);
    expect(nearestNeighborError([[2], [1], [0]], ['b', 'a', 'a'])).toBe(0.5);
    expect(nearestNeighborError([[7], [7], [7]], ['a', 'b', 'b'])).toBeCloseTo(2 / 3, 14);
  });

  it('explains invalid input', () => {
    expect(() => nearestNeighborError([[1]], ['a'])).toThrow('X must have at least 2 rows (points), but it has 1.');
    expect(() => nearestNeighborError([[1], [2]], ['a'])).toThrow('X has 2 rows, but 1 label was given.');
    expect(() => nearestNeighborError([[1], [Number.NaN]], ['a', 'b'])).toThrow(/entry \[1\]\[0\]/);
    expect(() => nearestNeighborError([[1]], ['a'])).toThrow(InvalidInputError);
  });
});
