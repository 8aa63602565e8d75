import { describe, expect, it } from 'vitest';
import {
  type Branch,
  blocksOf,
  blocksOfShards,
  branchesWithin,
  sumOverTree,
} from '../../src/processes/variational/shards.ts';

const total = (parts: readonly number[]) => parts.reduce((sum, part) => sum + part, 0);

describe('blocks of rows', () => {
  it('are of at most 8192 rows, and an even number of them', () => {
    expect(blocksOf(1)).toEqual([1]);
    expect(blocksOf(8192)).toEqual([8192]);
    expect(blocksOf(8193)).toEqual([4097, 4096]);
    expect(blocksOf(20_002)).toEqual([5001, 5000, 5001, 5000]);
  });

  it('are the same for any number of shards', () => {
    for (const shards of [1, 2, 3, 4]) expect(blocksOfShards(20_000, shards).flat()).toEqual(blocksOf(20_000));
    expect(blocksOfShards(100_000, 2).map(total)).toEqual([50_000, 50_000]);
  });

  it('are shares of the rows where there are fewer than shards', () => {
    expect(blocksOfShards(8000, 4)).toEqual([[2000], [2000], [2000], [2000]]);
    expect(blocksOfShards(5, 3)).toEqual([[2], [1], [2]]);
  });
});

describe('a sum over a tree', () => {
  // Rounding tells one order from another.
  const values = Array.from({ length: 13 }, (_, k) => 1 / (3 + 7 * k));
  const single = ({ from, to }: Branch) => (to - from === 1 ? values[from] : undefined);
  const add = (a: number, b: number) => a + b;

  it('has the order of halves, the left one a power of two', () => {
    const [a, b, c, d, e] = values as [number, number, number, number, number];
    expect(sumOverTree(5, single, add)).toBe(a + b + (c + d) + e);
    expect(sumOverTree(1, single, add)).toBe(a);
  });

  it('has the same bits for any distribution of its branches', () => {
    for (let blocks = 1; blocks <= values.length; blocks++) {
      const alone = sumOverTree(blocks, single, add);
      for (let cut = 1; cut < blocks; cut++) {
        const branches = [
          ...branchesWithin(blocks, { from: 0, to: cut }),
          ...branchesWithin(blocks, { from: cut, to: blocks }),
        ];
        expect(branches.map(({ from }) => from)).toEqual([0, ...branches.slice(0, -1).map(({ to }) => to)]);
        const sums = new Map(
          branches.map(({ from, to }) => [
            `${from}-${to}`,
            sumOverTree(to - from, (own) => single({ from: own.from + from, to: own.to + from }), add),
          ]),
        );
        expect(sumOverTree(blocks, ({ from, to }) => sums.get(`${from}-${to}`), add)).toBe(alone);
      }
    }
  });
});
