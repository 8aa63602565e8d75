import type { Strided } from '../dense/engine.ts';
import type { Float64Memory } from '../memory.ts';
import { PRODUCT } from './engineModule.ts';
import type { LinkedKernels } from './instance.ts';
import { writeRecord } from './workspace.ts';

// A panel of B (a megabyte at most) stays in the second-level cache. A block of A has few rows: each is on a page of its own in a large C,
// and address translation remembers 64 pages.
const MOST_ROWS = 32;
const MOST_COLUMNS = 512;
const MOST_DEPTH = 256;
/** A record and a tile, before the blocks: see assembly/workspace.ts. */
const HEAD_BYTES = 256;

/** Which entries of C the product kernel computes. */
export const FULL = 0;
export const LOWER = 1;

const wholeSlivers = (length: number) => (length + 3) & ~3;

/**
 * Runs `work` with memory for the packed blocks of products up to extent×depth times depth×extent, at most
 * 1.1 MB for each thread, and gives it back.
 */
export function withPacking<T>(
  memory: Float64Memory,
  kernels: LinkedKernels,
  extent: number,
  depth: number,
  work: (workspace: number) => T,
): T {
  const rows = wholeSlivers(Math.min(extent, MOST_ROWS));
  const columns = wholeSlivers(Math.min(extent, MOST_COLUMNS));
  const blockDepth = Math.min(depth, MOST_DEPTH);
  return memory.withBlock(kernels.threads * (HEAD_BYTES + 8 * blockDepth * (rows + columns)), (offset) => {
    kernels.usePacking(offset, rows, columns, blockDepth);
    return work(offset);
  });
}

/** C ← alpha·A·B + beta·C with A m×k and B k×n in any strides; `part` says whether C is computed in full or its lower triangle only. */
export function packedProduct(
  memory: Float64Memory,
  kernels: LinkedKernels,
  m: number,
  n: number,
  k: number,
  alpha: number,
  a: Strided,
  b: Strided,
  beta: number,
  c: Strided,
  part: typeof FULL | typeof LOWER,
): void {
  withPacking(memory, kernels, Math.max(m, n), k, (record) => {
    writeRecord(memory, PRODUCT, record, {
      alpha,
      m,
      n,
      k,
      a: a.offset,
      aRow: a.rowStride,
      aColumn: a.columnStride,
      b: b.offset,
      bRow: b.rowStride,
      bColumn: b.columnStride,
      c: c.offset,
      cRow: c.rowStride,
      cColumn: c.columnStride,
      part,
    });
    kernels.gemm(beta);
  });
}

/** A contiguous matrix of rows of n numbers. */
export function rows(n: number, offset: number): Strided {
  return { offset, rowStride: n, columnStride: 1 };
}
