import { square } from '../../core/elementary/index.ts';
import { progressed } from '../../core/progressiveWork.ts';
import { type BlockProducts, withBlockProducts } from './blockProducts.ts';
import { type SparseFactor, WATCHED } from './sparseCholesky.ts';
import { numbersFor, type SymbolicFactor } from './symbolicFactor.ts';

/**
 * The entries of U = A⁻¹ on the pattern of A, without the rest of U.
 * With l_kj = −p_kj·l_jj below the diagonal, U_ij = Σ_{k>j} p_kj·U_ik for i > j, and U_jj = 1/l_jj² + Σ_{k>j} p_kj·U_kj: from the last column to the
 * first, every entry of U that is needed lies on the pattern of L.
 *
 * @param factor - factor of A
 * @returns entries of U in the order of the pattern's rows
 * @see Takahashi, Fagan & Chin, Proc. 8th PICA Conference (1973); Erisman & Tinney, Comm. ACM 18 (1975)
 * @example
 * ```ts
 * const U = selectedInverse(factorize(symbolic, values));
 * U[pattern.starts[3]]; // the variance of node 3
 * ```
 */
export function selectedInverse({ symbolic, blocks }: SparseFactor): Float64Array {
  const inverse = new Float64Array(blocks.length);
  invertOnBlocks(symbolic, blocks, inverse, new Float64Array(symbolic.stackSize), 'inverse');
  return Float64Array.from(symbolic.entries, (p) => inverse[p]!);
}

/**
 * Quantity computed on the blocks of L. Resistances R_ij = U_ii + U_jj − 2U_ij of a grounded Laplacian A, with the ground as one of the nodes (U = 0
 * there), obey
 * R_ij = 1/l_jj² + t_i − ½·Σ_k p_kj·t_k,   t_i = Σ_{k>j} p_kj·R_ik,
 * because node j, when it is restored, is at the mean of its later neighbors with weights p_kj ≥ 0 that sum to 1. Here t_i is never more than a
 * small multiple of R_ij, while entries of U may be larger by any factor.
 */
export type Selected = 'inverse' | 'resistance';

/** Called for supernode s once its block is filled, with `outer`, the values between the rows below it (both triangles). */
export type BlockVisitor = (s: number, outer: Float64Array) => void;

/** Fills `inverse`, laid out like the blocks of L, from the last supernode to the first. */
export function invertOnBlocks(
  symbolic: SymbolicFactor,
  blocks: Float64Array,
  inverse: Float64Array,
  stack: Float64Array,
  selected: Selected,
  visit?: BlockVisitor,
): void {
  withBlockProducts(symbolic, (products) => invertBlocks(symbolic, blocks, inverse, stack, selected, products, visit));
}

function invertBlocks(
  symbolic: SymbolicFactor,
  blocks: Float64Array,
  inverse: Float64Array,
  stack: Float64Array,
  selected: Selected,
  products: BlockProducts,
  visit: BlockVisitor | undefined,
): void {
  const { supernodes, columnStarts, rowStarts, panelStarts, parent, lastChild, previousSibling } = symbolic;
  const work = workspaceFor(symbolic);
  let top = 0;
  for (let s = supernodes - 1; s >= 0; s--) {
    if (s % WATCHED === 0) progressed(1 - panelStarts[s]! / panelStarts[supernodes]!);
    const width = columnStarts[s + 1]! - columnStarts[s]!;
    const below = rowStarts[s + 1]! - rowStarts[s]!;
    const block = panelStarts[s]!;
    const { outer } = work;
    if (parent[s] === -1) {
      outer.fill(0, 0, below * below);
    } else {
      top -= below * below;
      outer.set(stack.subarray(top, top + below * below));
    }
    fillWeights(blocks, block, width, below, work.weights);
    products.symmetricTimes(below, width, outer, 0, work.weights, width * width, work.means);
    for (let j = width - 1; j >= 0; j--) {
      const pivot = blocks[block + j * (width + 1)]!;
      fillColumn(inverse, block, width, below, j, 1 / (pivot * pivot), work, selected);
    }
    visit?.(s, outer);
    let free = top;
    for (let c = lastChild[s]!; c !== -1; c = previousSibling[c]!) free += square(rowStarts[c + 1]! - rowStarts[c]!);
    top = free;
    // The last child comes next, so it is on top.
    for (let c = lastChild[s]!; c !== -1; c = previousSibling[c]!) {
      free -= square(rowStarts[c + 1]! - rowStarts[c]!);
      handDown(symbolic, c, inverse, block, width, outer, below, stack, free);
    }
  }
}

interface Workspace {
  /** Values between the rows below the supernode, below×below. */
  readonly outer: Float64Array;
  /** p_kj, for all rows k of the supernode. */
  readonly weights: Float64Array;
  /** Σ_k p_kj·R_ik over the rows k below, for the rows i below. */
  readonly means: Float64Array;
  /** t_i for the columns of the supernode. */
  readonly column: Float64Array;
}

function workspaceFor(symbolic: SymbolicFactor): Workspace {
  const { supernodes, columnStarts, rowStarts, mostRows, mostColumns } = symbolic;
  let largest = 0;
  for (let s = 0; s < supernodes; s++) {
    const width = columnStarts[s + 1]! - columnStarts[s]!;
    largest = Math.max(largest, width * (width + rowStarts[s + 1]! - rowStarts[s]!));
  }
  return {
    outer: numbersFor(mostRows * mostRows, symbolic),
    weights: new Float64Array(largest),
    means: new Float64Array(largest),
    column: new Float64Array(mostColumns),
  };
}

function fillWeights(blocks: Float64Array, block: number, width: number, below: number, weights: Float64Array): void {
  for (let j = 0; j < width; j++) {
    const pivot = blocks[block + j * (width + 1)]!;
    for (let p = (j + 1) * width + j; p < (width + below) * width; p += width) weights[p] = -blocks[block + p]! / pivot;
  }
}

/** Fills column j of the block after the later ones are filled; the diagonal block keeps both triangles. */
function fillColumn(
  inverse: Float64Array,
  block: number,
  width: number,
  below: number,
  j: number,
  diagonal: number,
  { weights, means, column }: Workspace,
  selected: Selected,
): void {
  const rows = width + below;
  column.fill(0, j + 1, width);
  // Two rows, and then three, at a time: each sum keeps its order, and independent sums hide each other's latency.
  let k = j + 1;
  for (; k + 2 <= rows; k += 2) {
    const weight0 = weights[k * width + j]!;
    const weight1 = weights[(k + 1) * width + j]!;
    const row = block + k * width;
    for (let i = j + 1; i < width; i++) {
      column[i] = column[i]! + weight0 * inverse[row + i]! + weight1 * inverse[row + width + i]!;
    }
  }
  if (k < rows) {
    const weight = weights[k * width + j]!;
    for (let i = j + 1; i < width; i++) column[i]! += weight * inverse[block + k * width + i]!;
  }
  let sum = 0;
  for (let i = j + 1; i < width; i++) sum += weights[i * width + j]! * column[i]!;
  let i = width;
  for (; i + 3 <= rows; i += 3) {
    const row = block + i * width;
    const mean = (i - width) * width + j;
    let t0 = means[mean]!;
    let t1 = means[mean + width]!;
    let t2 = means[mean + 2 * width]!;
    for (let k = j + 1; k < width; k++) {
      const weight = weights[k * width + j]!;
      t0 += weight * inverse[row + k]!;
      t1 += weight * inverse[row + width + k]!;
      t2 += weight * inverse[row + 2 * width + k]!;
    }
    inverse[row + j] = t0;
    inverse[row + width + j] = t1;
    inverse[row + 2 * width + j] = t2;
    const at = i * width + j;
    sum += weights[at]! * t0;
    sum += weights[at + width]! * t1;
    sum += weights[at + 2 * width]! * t2;
  }
  for (; i < rows; i++) {
    const row = block + i * width;
    let t = means[(i - width) * width + j]!;
    for (let k = j + 1; k < width; k++) t += weights[k * width + j]! * inverse[row + k]!;
    inverse[row + j] = t;
    sum += weights[i * width + j]! * t;
  }
  const shift = selected === 'resistance' ? diagonal - 0.5 * sum : 0;
  inverse[block + j * (width + 1)] = selected === 'resistance' ? 0 : diagonal + sum;
  for (let i = j + 1; i < width; i++) {
    inverse[block + i * width + j] = column[i]! + shift;
    inverse[block + j * width + i] = column[i]! + shift;
  }
  if (shift !== 0) for (let i = width; i < rows; i++) inverse[block + i * width + j]! += shift;
}

/** Collects what supernode c needs from its parent: the rows below it, rows.length × rows.length with both triangles. */
function handDown(
  { rowStarts, rowInParent }: SymbolicFactor,
  c: number,
  inverse: Float64Array,
  block: number,
  width: number,
  outer: Float64Array,
  below: number,
  stack: Float64Array,
  target: number,
): void {
  const first = rowStarts[c]!;
  const rows = rowStarts[c + 1]! - first;
  let columns = 0;
  while (columns < rows && rowInParent[first + columns]! < width) columns++;
  for (let i = 0; i < rows; i++) {
    const row = rowInParent[first + i]!;
    const inBlock = block + row * width;
    const stop = i < columns ? i + 1 : columns;
    for (let j = 0; j < stop; j++) {
      const value = inverse[inBlock + rowInParent[first + j]!]!;
      stack[target + i * rows + j] = value;
      stack[target + j * rows + i] = value;
    }
    const inOuter = (row - width) * below - width;
    for (let j = columns; j <= i; j++) {
      const value = outer[inOuter + rowInParent[first + j]!]!;
      stack[target + i * rows + j] = value;
      stack[target + j * rows + i] = value;
    }
  }
}

/** A clique of the filled graph with the resistances between its nodes. */
export interface Front {
  readonly size: number;
  /** The `size` nodes, in the order of elimination. */
  readonly nodes: Int32Array;
  /** Number of the first nodes that are in no earlier front. */
  readonly columns: number;
  /** R between nodes a and b of the front at a·size + b, both triangles. */
  readonly resistances: Float64Array;
}

/** Reads fronts, without the ground, from the blocks of a selected inverse; a front is valid until the next one is read. */
export function frontReader(
  symbolic: SymbolicFactor,
  inverse: Float64Array,
): (s: number, outer: Float64Array) => Front {
  const { size: ground, order, columnStarts, rowStarts, rows, panelStarts, mostRows, mostColumns } = symbolic;
  const nodes = new Int32Array(mostRows + mostColumns);
  const resistances = numbersFor(square(mostRows + mostColumns), symbolic);
  return (s, outer) => {
    const first = columnStarts[s]!;
    const width = columnStarts[s + 1]! - first;
    const below = rowStarts[s + 1]! - rowStarts[s]!;
    const inside = below > 0 && rows[rowStarts[s + 1]! - 1] === ground ? below - 1 : below;
    const size = width + inside;
    for (let j = 0; j < width; j++) nodes[j] = order[first + j]!;
    for (let i = 0; i < inside; i++) nodes[width + i] = order[rows[rowStarts[s]! + i]!]!;
    const block = panelStarts[s]!;
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < a; b++) {
        const value = b < width ? inverse[block + a * width + b]! : outer[(a - width) * below + b - width]!;
        resistances[a * size + b] = value;
        resistances[b * size + a] = value;
      }
      resistances[a * size + a] = 0;
    }
    return { size, nodes, columns: width, resistances };
  };
}
