import type { Float64Memory } from '../memory.ts';
import { fusedOperations } from './activeEngine.ts';
import type { LinearAlgebraEngine, Strided } from './engine.ts';

/** Columns that a library is given at a time: it computes whole blocks, of which half of those on the diagonal is not wanted. */
const PANEL = 128;

/**
 * Lower triangle of C ← alpha·A·B + beta·C with A n×k, B k×n in any strides, C n×n contiguous: half the work of the product, where C is
 * known to be symmetric. What is above the diagonal is not to be relied on.
 */
export function lowerProduct(
  memory: Float64Memory,
  engine: LinearAlgebraEngine,
  n: number,
  k: number,
  alpha: number,
  a: Strided,
  b: Strided,
  beta: number,
  c: number,
): void {
  if (engine.name === 'wasm') {
    fusedOperations(memory).lowerProduct(n, k, alpha, a, b, beta, c);
    return;
  }
  for (let j = 0; j < n; j += PANEL) {
    const rows = { ...a, offset: a.offset + 8 * j * a.rowStride };
    const columns = { ...b, offset: b.offset + 8 * j * b.columnStride };
    const corner = { offset: c + 8 * j * (n + 1), rowStride: n, columnStride: 1 };
    engine.gemm(n - j, Math.min(PANEL, n - j), k, alpha, rows, columns, beta, corner);
  }
}
