import { linearAlgebra } from '../dense/activeEngine.ts';
import { sharedMemory } from '../memory.ts';
import { subtractOuterProduct } from './denseBlocks.ts';
import { symmetricTimes } from './denseProduct.ts';
import type { SymbolicFactor } from './symbolicFactor.ts';

/** The two products of dense blocks in which a sparse factorisation spends its time: see the functions of these names. */
export interface BlockProducts {
  readonly subtractOuterProduct: typeof subtractOuterProduct;
  readonly symmetricTimes: typeof symmetricTimes;
}

/** Multiplications from which a product is worth copying its operands to the engine's memory. */
const LARGE = 2 ** 16;

const PLAIN: BlockProducts = Object.freeze({ subtractOuterProduct, symmetricTimes });

/**
 * Runs `work` with products that leave large blocks to the linear algebra engine. What grows with a surface has small blocks
 * nearly everywhere, and plain loops serve it as well; what grows with a volume spends nearly all its time in large ones.
 */
export function withBlockProducts<T>(symbolic: SymbolicFactor, work: (products: BlockProducts) => T): T {
  const { mostRows, mostColumns } = symbolic;
  if (mostRows * mostRows * mostColumns < LARGE) return work(PLAIN);
  const memory = sharedMemory();
  const engine = linearAlgebra(memory);
  const squareBytes = 8 * mostRows * mostRows;
  const tallBytes = 8 * mostRows * mostColumns;
  return memory.withBlock(squareBytes, (square) =>
    memory.withBlock(tallBytes, (tall) =>
      memory.withBlock(tallBytes, (product) =>
        work({
          subtractOuterProduct(block, start, width, below, c, cStart) {
            if (below * below * width < LARGE) {
              subtractOuterProduct(block, start, width, below, c, cStart);
              return;
            }
            const first = start + width * width;
            memory.float64(tall, below * width).set(block.subarray(first, first + below * width));
            engine.syrk(below, width, 1, { offset: tall, rowStride: width, columnStride: 1 }, 0, square);
            subtractLower(below, c, cStart, memory.float64(square, below * below));
          },
          symmetricTimes(n, width, r, rStart, p, pStart, t) {
            if (n * n * width < LARGE) {
              symmetricTimes(n, width, r, rStart, p, pStart, t);
              return;
            }
            memory.float64(square, n * n).set(r.subarray(rStart, rStart + n * n));
            memory.float64(tall, n * width).set(p.subarray(pStart, pStart + n * width));
            const rowMajor = (offset: number, columns: number) => ({ offset, rowStride: columns, columnStride: 1 });
            engine.gemm(n, width, n, 1, rowMajor(square, n), rowMajor(tall, width), 0, rowMajor(product, width));
            t.set(memory.float64(product, n * width));
          },
        }),
      ),
    ),
  );
}

/** Lower triangle of C ← C − B, both n×n, row by row. */
function subtractLower(n: number, c: Float64Array, cStart: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    const row = i * n;
    for (let j = 0; j <= i; j++) c[cStart + row + j]! -= b[row + j]!;
  }
}
