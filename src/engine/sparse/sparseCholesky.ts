import { log, square } from '../../core/elementary/index.ts';
import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import { progressed } from '../../core/progressiveWork.ts';
import { type BlockProducts, factorDiagonal, type Pivots, solveRowsBelow, withBlockProducts } from './blockProducts.ts';
import { numbersFor, type SymbolicFactor } from './symbolicFactor.ts';

/** P·A·Pᵀ = LLᵀ for one set of values. */
export interface SparseFactor {
  readonly symbolic: SymbolicFactor;
  /** L, supernode by supernode: see `SymbolicFactor`. */
  readonly blocks: Float64Array;
}

/**
 * Factorizes a sparse symmetric positive definite matrix.
 *
 * @param symbolic - `analyze(pattern)`
 * @param values - entries of A in the order of the pattern's rows
 * @throws NumericalError if A is not positive definite, naming the row and the pivot, or if there is no memory for the factor
 * @example
 * ```ts
 * const { pattern } = patternOfGraph(graph);
 * const factor = factorize(analyze(pattern), values);
 * logDeterminant(factor);
 * ```
 */
export function factorize(symbolic: SymbolicFactor, values: Float64Array): SparseFactor {
  const { entries, panelStarts, supernodes } = symbolic;
  const blocks = numbersFor(panelStarts[supernodes]!, symbolic);
  for (let p = 0; p < entries.length; p++) blocks[entries[p]!]! += values[p]!;
  eliminate(symbolic, blocks, numbersFor(symbolic.stackSize, symbolic), 'diagonal');
  return { symbolic, blocks };
}

/**
 * Overwrites the blocks of A by the blocks of L with the multifrontal method: a supernode adds its children's updates from the stack, is factorized
 * as a dense block, and pushes its update of the rows below.
 *
 * @see Liu, SIAM Review 34 (1992)
 */
export function eliminate(symbolic: SymbolicFactor, blocks: Float64Array, stack: Float64Array, pivots: Pivots): void {
  withBlockProducts(symbolic, (products) => eliminateBlocks(symbolic, blocks, stack, pivots, products));
}

/** Number of blocks between two reports of progress. */
export const WATCHED = 32;

function eliminateBlocks(
  symbolic: SymbolicFactor,
  blocks: Float64Array,
  stack: Float64Array,
  pivots: Pivots,
  products: BlockProducts,
): void {
  const { supernodes, columnStarts, rowStarts, panelStarts, lastChild, previousSibling } = symbolic;
  const sums = new Float64Array(symbolic.mostColumns);
  let top = 0;
  for (let s = 0; s < supernodes; s++) {
    if (s % WATCHED === 0) progressed(panelStarts[s]! / panelStarts[supernodes]!);
    const width = columnStarts[s + 1]! - columnStarts[s]!;
    const below = rowStarts[s + 1]! - rowStarts[s]!;
    const block = panelStarts[s]!;
    stack.fill(0, top, top + below * below);
    let free = top;
    for (let c = lastChild[s]!; c !== -1; c = previousSibling[c]!) {
      free -= square(rowStarts[c + 1]! - rowStarts[c]!);
      addChild(symbolic, c, stack, free, blocks, block, width, stack, top, below);
    }
    const failed = factorDiagonal(blocks, block, width, below, pivots, sums);
    if (failed >= 0)
      throw notPositiveDefinite(symbolic, columnStarts[s]! + failed, blocks[block + failed * (width + 1)]!);
    solveRowsBelow(blocks, block, width, below);
    products.subtractOuterProduct(blocks, block, width, below, stack, top);
    if (free !== top) stack.copyWithin(free, top, top + below * below);
    top = free + below * below;
  }
}

/** Adds the update of supernode c (lower triangle) to its parent's block and to the parent's update. */
function addChild(
  { rowStarts, rowInParent }: SymbolicFactor,
  c: number,
  source: Float64Array,
  sourceStart: number,
  blocks: Float64Array,
  block: number,
  width: number,
  target: Float64Array,
  targetStart: number,
  below: number,
): void {
  const first = rowStarts[c]!;
  const rows = rowStarts[c + 1]! - first;
  // Rows ascend, so that those among the parent's columns come first.
  let columns = 0;
  while (columns < rows && rowInParent[first + columns]! < width) columns++;
  for (let i = 0; i < rows; i++) {
    const row = rowInParent[first + i]!;
    const from = sourceStart + i * rows;
    const inBlock = block + row * width;
    const stop = i < columns ? i + 1 : columns;
    for (let j = 0; j < stop; j++) blocks[inBlock + rowInParent[first + j]!]! += source[from + j]!;
    const inTarget = targetStart + (row - width) * below - width;
    for (let j = columns; j <= i; j++) target[inTarget + rowInParent[first + j]!]! += source[from + j]!;
  }
}

function notPositiveDefinite({ size, order }: SymbolicFactor, k: number, pivot: number): NumericalError {
  return new NumericalError(
    `The sparse ${size}×${size} matrix is not positive definite: the pivot of row index ${order[k]} is ${pivot} after ${k} others. ` +
      'Add to its diagonal, or look for missing or extreme values in its source.',
  );
}

/** log|A| = 2·Σ log L_kk. */
export function logDeterminant({ symbolic, blocks }: SparseFactor): number {
  const { supernodes, columnStarts, panelStarts } = symbolic;
  let sum = 0;
  for (let s = 0; s < supernodes; s++) {
    const width = columnStarts[s + 1]! - columnStarts[s]!;
    for (let j = 0; j < width; j++) sum += log(blocks[panelStarts[s]! + j * (width + 1)]!);
  }
  return 2 * sum;
}

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
      let sum0 = 0;
      let sum1 = 0;
      let sum2 = 0;
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
      const value0 = y[rows[q]!]!;
      const value1 = y[rows[q + 1]!]!;
      const value2 = y[rows[q + 2]!]!;
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
