import type { Float64Memory } from '../memory.ts';
import type { ExpectationOperations, GaussianPoints, Kept, RbfSlopes } from '../operations/expectations.ts';

/** Number of points that are summed together. */
const BLOCK = 1024;
const BYTES = 8;

/**
 * The same expectations with sums over points made block by block: rounding errors grow with the size and the number of blocks instead of the number
 * of points, and near-singular covariances of inducing inputs would amplify them.
 */
export function expectationsInBlocks(memory: Float64Memory, operations: ExpectationOperations): ExpectationOperations {
  /** Adds up `count` numbers that `one` computes for each block; the first block is written directly. */
  function summed(n: number, count: number, target: number, one: (from: number, size: number, at: number) => void) {
    one(0, BLOCK, target);
    memory.withBlock(BYTES * count, (part) => {
      for (let from = BLOCK; from < n; from += BLOCK) {
        one(from, Math.min(BLOCK, n - from), part);
        const sums = memory.float64(target, count);
        const more = memory.float64(part, count);
        for (let i = 0; i < count; i++) sums[i]! += more[i]!;
      }
    });
  }

  const rows = (offset: number, columns: number, from: number) => offset + BYTES * columns * from;

  /** Intermediate results that are kept for the points of a block. */
  function keptFrom(kept: Kept | undefined, m: number, from: number): Kept | undefined {
    if (kept === undefined || kept.points <= from) return undefined;
    return { points: kept.points - from, offset: rows(kept.offset, operations.keptOfPoint(m), from) };
  }

  function pointsFrom(points: GaussianPoints, from: number, n: number): GaussianPoints {
    const { q, mean, variance } = points;
    return { ...points, n, mean: rows(mean, q, from), variance: rows(variance, q, from) };
  }

  return Object.freeze<ExpectationOperations>({
    expectedRbf: operations.expectedRbf,

    expectedRbfGradient(points, g, slopes) {
      const { n, m, q } = points;
      if (n <= BLOCK) return operations.expectedRbfGradient(points, g, slopes);
      const parts: RbfSlopes[] = [];
      summed(n, m * q, slopes.inducing, (from, size, inducing) => {
        const mean = rows(slopes.mean, q, from);
        const into = { mean, variance: rows(slopes.variance, q, from), inducing };
        parts.push(operations.expectedRbfGradient(pointsFrom(points, from, size), rows(g, m, from), into));
      });
      return parts.reduce(plus);
    },

    keptOfPoint: operations.keptOfPoint,

    expectedRbfProducts(points, weights, target, kept) {
      const { n, m } = points;
      const { sums, offset } = weights;
      if (n <= BLOCK) return operations.expectedRbfProducts(points, weights, target, kept);
      summed(n, sums * m * m, target, (from, size, at) => {
        const own = { sums, ...(offset !== undefined && { offset: rows(offset, sums, from) }) };
        operations.expectedRbfProducts(pointsFrom(points, from, size), own, at, keptFrom(kept, m, from));
      });
    },

    expectedRbfProductsGradient(points, weights, g, slopes, kept) {
      const { n, m, q } = points;
      const { sums, offset } = weights;
      if (n <= BLOCK) return operations.expectedRbfProductsGradient(points, weights, g, slopes, kept);
      const parts: RbfSlopes[] = [];
      summed(n, m * q, slopes.inducing, (from, size, inducing) => {
        const mean = rows(slopes.mean, q, from);
        const into = { mean, variance: rows(slopes.variance, q, from), inducing };
        const own = { sums, ...(offset !== undefined && { offset: rows(offset, sums, from) }) };
        const there = keptFrom(kept, m, from);
        parts.push(operations.expectedRbfProductsGradient(pointsFrom(points, from, size), own, g, into, there));
      });
      return parts.reduce(plus);
    },
  });
}

const plus = (a: RbfSlopes, b: RbfSlopes): RbfSlopes => ({
  total: a.total + b.total,
  lengthscales: a.lengthscales.map((slope, d) => slope + b.lengthscales[d]!),
});
