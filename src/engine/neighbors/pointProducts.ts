import type { Matrix } from '../../core/matrix.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import { linearAlgebra } from '../dense/activeEngine.ts';
import { sharedMemory } from '../memory.ts';

const BYTES = 8;
/** Largest number of entries in a block of products, 32 MiB, and in a chunk of Y that is copied for it, 4 MiB. */
const BLOCK = 2 ** 22;
const CHUNK = 2 ** 19;
/** Largest number of rows in a block: more do not make the product faster. */
const MOST_ROWS = 256;
/** Half the distance from 1 to the next double. */
const UNIT = 2 ** -53;

/** Bound of the difference between squared distances by products and by direct differences: see `pointProducts`. */
export interface Slack {
  /** Rounding error relative to (‖x‖ + ‖y‖)². */
  readonly relative: number;
  readonly absolute: number;
}

/** Receives row i: `products[j]` is −2·xᵀy_j, `square` is ‖x‖², `squares[j]` is ‖y_j‖². The arrays are reused for the next row. */
type VisitProducts = (i: number, square: number, squares: Float64Array, products: Float64Array, slack: Slack) => void;

/**
 * Products of the rows of X and of Y about the mean of Y, in blocks at the speed of the linear algebra. ‖x‖² + ‖y‖² − 2xᵀy loses digits if x and y
 * are near each other, but no more than the slack.
 *
 * With u = 2⁻⁵³ the products and norms are off by at most Du(‖x‖ + ‖y‖)², rounded coordinates about the mean by 2u(‖x‖ + ‖y‖)², the sum of three
 * by 4u(‖x‖ + ‖y‖)², and the differences by (D + 2)u‖x − y‖² ≤ (D + 2)u(‖x‖ + ‖y‖)²: together less than (2D + 16)u(‖x‖ + ‖y‖)², in any order of
 * summation, fused or not. D more numbers of the smallest size cover underflow.
 *
 * @param X - n×D
 * @param Y - m×D; both satisfy `boundsAreFinite`
 * @param pairs - 'all', or 'once' if X is Y, which omits some products with j < i
 * @param visit - called for i = 0 … n − 1, with a pause after each block of rows
 * @see Higham, Accuracy and Stability of Numerical Algorithms (2002), §3.1
 */
export function* pointProducts(
  X: Matrix,
  Y: Matrix,
  pairs: 'all' | 'once',
  visit: VisitProducts,
): ProgressiveWork<void> {
  const D = Y.columns;
  const n = Y.rows;
  const memory = sharedMemory();
  const engine = linearAlgebra(memory);
  const rows = Math.max(1, Math.min(MOST_ROWS, X.rows, Math.floor(BLOCK / n)));
  const chunk = Math.max(1, Math.min(n, Math.floor(CHUNK / D)));
  const mean = columnMeans(Y);
  const slack = {
    relative: (2 * D + 16) * UNIT * (1 + 2 ** -20),
    absolute: 8 * (D + 4) * Number.MIN_VALUE,
  };
  const centered = about(mean, Y, 0, n);
  const squaresY = squaredNorms(centered, D);
  const [yBytes, xBytes, productBytes] = [BYTES * chunk * D, BYTES * rows * D, BYTES * rows * n];
  const y = memory.allocate(yBytes);
  const x = memory.allocate(xBytes);
  const product = memory.allocate(productBytes);
  try {
    for (let first = 0; first < X.rows; first += rows) {
      const count = Math.min(rows, X.rows - first);
      const block = about(mean, X, first, count);
      const squaresX = squaredNorms(block, D);
      memory.float64(x, block.length).set(block);
      const left = { offset: x, rowStride: D, columnStride: 1 };
      const right = { offset: y, rowStride: 1, columnStride: D };
      for (let from = pairs === 'once' ? first : 0; from < n; from += chunk) {
        const width = Math.min(chunk, n - from);
        memory.float64(y, width * D).set(centered.subarray(from * D, (from + width) * D));
        const target = { offset: product + BYTES * from, rowStride: n, columnStride: 1 };
        engine.gemm(count, width, D, -2, left, right, 0, target);
      }
      for (let p = 0; p < count; p++) {
        // A view lasts until the next allocation, and `visit` may allocate.
        visit(first + p, squaresX[p]!, squaresY, memory.float64(product + BYTES * p * n, n), slack);
      }
      yield (first + count) / X.rows;
    }
  } finally {
    memory.release(product, productBytes);
    memory.release(x, xBytes);
    memory.release(y, yBytes);
  }
}

/** Number of rows used to estimate the mean. */
const AVERAGED = 256;

/** The mean of each column, over a subset of evenly spaced rows if there are many: the bounds are valid about any point, and about as tight near the mean. */
export function columnMeans({ data, rows, columns }: Matrix): Float64Array {
  const means = new Float64Array(columns);
  const count = Math.min(AVERAGED, rows);
  for (let p = 0; p < count; p++) {
    const row = count === rows ? p : Math.floor(rows * ((0.618034 * p) % 1));
    for (let d = 0; d < columns; d++) means[d]! += data[row * columns + d]! / count;
  }
  return means;
}

/** A block of rows, minus the means. */
function about(mean: Float64Array, { data, columns }: Matrix, first: number, count: number): Float64Array {
  const values = data.slice(first * columns, (first + count) * columns);
  for (let start = 0; start < values.length; start += columns) {
    for (let d = 0; d < columns; d++) values[start + d]! -= mean[d]!;
  }
  return values;
}

function squaredNorms(values: Float64Array, columns: number): Float64Array {
  const squares = new Float64Array(values.length / columns);
  for (let i = 0, p = 0; i < squares.length; i++) {
    let sum = 0;
    for (let d = 0; d < columns; d++, p++) sum += values[p]! * values[p]!;
    squares[i] = sum;
  }
  return squares;
}
