import { InvalidInputError } from '../../core/errors.ts';
import type { SparseFactor } from './sparseCholesky.ts';

/**
 * x = A⁻¹b from the factor P·A·Pᵀ = LLᵀ.
 *
 * @param factor - factor of A
 * @param b - N numbers
 * @param x - receives the solution (may be b); default a new array
 * @throws InvalidInputError unless b has N entries
 */
export function solve(
  factor: SparseFactor,
  b: Float64Array,
  x: Float64Array = new Float64Array(b.length),
): Float64Array {
  const { size, order } = factor.symbolic;
  if (b.length !== size) {
    throw new InvalidInputError(`The matrix is ${size}×${size}, but the right-hand side has ${b.length} entries.`);
  }
  // The ground, if there is one, stays at 0: its entry is written in the forward pass and cleared before the backward pass.
  const y = new Float64Array(size + 1);
  for (let k = 0; k < size; k++) y[k] = b[order[k]!]!;
  forward(factor, y);
  y[size] = 0;
  backward(factor, y);
  for (let k = 0; k < size; k++) x[order[k]!] = y[k]!;
  return x;
}

/** y ← L⁻¹y. */
function forward({ symbolic, blocks }: SparseFactor, y: Float64Array): void {
  const { supernodes, columnStarts, rowStarts, rows, panelStarts } = symbolic;
  for (let s = 0; s < supernodes; s++) {
    const first = columnStarts[s]!;
    const width = columnStarts[s + 1]! - first;
    let p = panelStarts[s]!;
    for (let j = 0; j < width; j++, p += width) {
      let sum = y[first + j]!;
      for (let k = 0; k < j; k++) sum -= blocks[p + k]! * y[first + k]!;
      y[first + j] = sum / blocks[p + j]!;
    }
    let q = rowStarts[s]!;
    // Three rows at a time, whose independent sums hide each other's latency.
    for (; q + 3 <= rowStarts[s + 1]!; q += 3, p += 3 * width) {
      let [sum0, sum1, sum2] = [0, 0, 0];
      for (let k = 0; k < width; k++) {
        const entry = y[first + k]!;
        sum0 += blocks[p + k]! * entry;
        sum1 += blocks[p + width + k]! * entry;
        sum2 += blocks[p + 2 * width + k]! * entry;
      }
      y[rows[q]!]! -= sum0;
      y[rows[q + 1]!]! -= sum1;
      y[rows[q + 2]!]! -= sum2;
    }
    for (; q < rowStarts[s + 1]!; q++, p += width) {
      let sum = 0;
      for (let k = 0; k < width; k++) sum += blocks[p + k]! * y[first + k]!;
      y[rows[q]!]! -= sum;
    }
  }
}

/** y ← L⁻ᵀy. */
function backward({ symbolic, blocks }: SparseFactor, y: Float64Array): void {
  const { supernodes, columnStarts, rowStarts, rows, panelStarts } = symbolic;
  for (let s = supernodes - 1; s >= 0; s--) {
    const first = columnStarts[s]!;
    const width = columnStarts[s + 1]! - first;
    let p = panelStarts[s]! + width * width;
    let q = rowStarts[s]!;
    for (; q + 3 <= rowStarts[s + 1]!; q += 3, p += 3 * width) {
      const [value0, value1, value2] = [y[rows[q]!]!, y[rows[q + 1]!]!, y[rows[q + 2]!]!];
      for (let k = 0; k < width; k++) {
        y[first + k] =
          y[first + k]! -
          blocks[p + k]! * value0 -
          blocks[p + width + k]! * value1 -
          blocks[p + 2 * width + k]! * value2;
      }
    }
    for (; q < rowStarts[s + 1]!; q++, p += width) {
      const value = y[rows[q]!]!;
      for (let k = 0; k < width; k++) y[first + k]! -= blocks[p + k]! * value;
    }
    p = panelStarts[s]! + width * width - width;
    for (let j = width - 1; j >= 0; j--, p -= width) {
      const value = y[first + j]! / blocks[p + j]!;
      y[first + j] = value;
      for (let k = 0; k < j; k++) y[first + k]! -= blocks[p + k]! * value;
    }
  }
}
