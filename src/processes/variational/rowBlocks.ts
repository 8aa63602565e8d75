/** Largest number of rows that are summed at once. */
const BLOCK = 8192;

/** Number of rows of each block, from the first row on: as equal as possible, and an even number of blocks, so that two shards have the same number. */
export const blocksOf = (rows: number): number[] =>
  divided(rows, rows <= BLOCK ? 1 : 2 * Math.ceil(rows / (2 * BLOCK)));

const divided = (rows: number, parts: number): number[] =>
  Array.from({ length: parts }, (_, k) => Math.round(((k + 1) * rows) / parts) - Math.round((k * rows) / parts));

/**
 * The blocks of each shard, as equal as possible. With fewer blocks than shards, each shard is one block, and sums differ from those of one shard by
 * rounding.
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

/** A range of consecutive blocks. */
export interface Branch {
  readonly from: number;
  readonly to: number;
}

/**
 * Sums over blocks in the order of a binary tree. Any worker that sums whole branches keeps to it, so that the bits are independent of how blocks are
 * distributed.
 *
 * @param whole - the sum over a branch that is not divided further; called for every single block
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

/** The fewest branches that cover a range of blocks. */
export function branchesWithin(blocks: number, { from, to }: Branch, start = 0): Branch[] {
  const end = start + blocks;
  if (to <= start || end <= from) return [];
  if (from <= start && end <= to) return [{ from: start, to: end }];
  const half = leftOf(blocks);
  return [...branchesWithin(half, { from, to }, start), ...branchesWithin(blocks - half, { from, to }, start + half)];
}

/** Number of blocks in the left branch: the largest power of two below the number of blocks. */
export function leftOf(blocks: number): number {
  let left = 1;
  while (2 * left < blocks) left *= 2;
  return left;
}
