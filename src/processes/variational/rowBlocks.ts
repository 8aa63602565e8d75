/** Rows that sums are made of at once, at most. */
const BLOCK = 8192;

/** How many rows each block has, from the first row on: as even as can be, and an even number of blocks, so that two shards have as many each. */
export const blocksOf = (rows: number): number[] =>
  divided(rows, rows <= BLOCK ? 1 : 2 * Math.ceil(rows / (2 * BLOCK)));

const divided = (rows: number, parts: number): number[] =>
  Array.from({ length: parts }, (_, k) => Math.round(((k + 1) * rows) / parts) - Math.round((k * rows) / parts));

/**
 * The blocks of each of some shards, as even as can be. With fewer blocks than shards each shard is a block of its own: sums then differ by rounding from
 * those of one shard.
 */
export function blocksOfShards(rows: number, shards: number): number[][] {
  const blocks = blocksOf(rows);
  const own = blocks.length < shards ? divided(rows, shards) : blocks;
  const counts = divided(own.length, shards);
  return counts.map((count, k) => {
    const from = counts.slice(0, k).reduce((sum, before) => sum + before, 0);
    return own.slice(from, from + count);
  });
}

/** Blocks from one to before another, of those of all rows. */
export interface Branch {
  readonly from: number;
  readonly to: number;
}

/**
 * Adds up over blocks in the order of a binary tree, which whoever sums whole branches of it keeps to: the bits do not depend on who sums what.
 *
 * @param whole - the sum over a branch if it is not to be divided; asked for every single block
 */
export function sumOverTree<T>(
  blocks: number,
  whole: (branch: Branch) => T | undefined,
  add: (left: T, right: T) => T,
  from = 0,
): T {
  const found = whole({ from, to: from + blocks });
  if (found !== undefined) return found;
  const half = leftOf(blocks);
  return add(sumOverTree(half, whole, add, from), sumOverTree(blocks - half, whole, add, from + half));
}

/** The branches that some of the blocks are, as few as can be. */
export function branchesWithin(blocks: number, { from, to }: Branch, start = 0): Branch[] {
  const end = start + blocks;
  if (to <= start || end <= from) return [];
  if (from <= start && end <= to) return [{ from: start, to: end }];
  const half = leftOf(blocks);
  return [...branchesWithin(half, { from, to }, start), ...branchesWithin(blocks - half, { from, to }, start + half)];
}

/** The largest power of two below a number of blocks: those of the left branch. */
export function leftOf(blocks: number): number {
  let left = 1;
  while (2 * left < blocks) left *= 2;
  return left;
}
