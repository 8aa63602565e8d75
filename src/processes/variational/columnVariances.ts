import {
  differentiable,
  type MatrixKernel,
  type Workspace,
} from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';

/**
 * ‖C_dᵀa_n‖² − ‖a_n‖² = a_nᵀ(C_dC_dᵀ − I)a_n of every point and column, n×D. The products of pairs of entries of a_n are formed some points at a time and
 * multiplied by the matrices of all columns: no D·M×n array is stored.
 *
 * @param roots - C_dᵀ, D·M×M
 * @param half - a, M×n
 */
export const columnVariances = (roots: Tensor2D, half: Tensor2D): Tensor2D =>
  differentiable(VARIANCES, GRADIENT, [roots, half]) as Tensor2D;

/** Number of points whose pairs are formed at once, so that they stay in the cache. */
const POINTS = 128;

const rowsOf = (offset: number, columns: number) => ({ offset, rowStride: columns, columnStride: 1 });

type Shapes = readonly (readonly number[])[];

/** Sizes, and places in a workspace for matrices C_dC_dᵀ − I as pairs×D, with entries off the diagonal twice, and for pairs of some points. */
function withPairs(
  { memory, inputs }: Workspace,
  [roots, half]: Shapes,
  count: number,
  work: (at: { readonly S: number; readonly others: readonly number[]; readonly sizes: Sizes }) => void,
): void {
  const [M, n] = half as [number, number];
  const D = roots![0]! / M;
  const sizes = { n, M, D, P: (M * (M + 1)) / 2 };
  const block = sizes.P * POINTS;
  memory.withBlock(8 * (2 * sizes.P * D + count * block), (S) => {
    const R = memory.float64(inputs[0]!, D * M * M);
    const all = memory.float64(S, sizes.P * D);
    for (let d = 0; d < D; d++) {
      let pair = d;
      for (let i = 0; i < M; i++) {
        for (let j = 0; j <= i; j++, pair += D) {
          let sum = i === j ? -1 : 0;
          for (let k = d * M * M; k < (d + 1) * M * M; k += M) sum += R[k + i]! * R[k + j]!;
          all[pair] = i === j ? sum : 2 * sum;
        }
      }
    }
    const rest = S + 8 * sizes.P * D;
    work({
      S,
      others: [rest, ...Array.from({ length: count }, (_, b) => rest + 8 * (sizes.P * D + b * block))],
      sizes,
    });
  });
}

interface Sizes {
  readonly n: number;
  readonly M: number;
  readonly D: number;
  /** Number of pairs i ≥ j. */
  readonly P: number;
}

/** a_i·a_j of some points, points×pairs. */
function formPairs(a: Float64Array, pairs: Float64Array, { n, M }: Sizes, first: number, count: number): void {
  const own = new Float64Array(M);
  let at = 0;
  for (let p = first; p < first + count; p++) {
    for (let i = 0, x = p; i < M; i++, x += n) own[i] = a[x]!;
    for (let i = 0; i < M; i++) {
      const entry = own[i]!;
      for (let j = 0; j <= i; j++) pairs[at++] = entry * own[j]!;
    }
  }
}

const VARIANCES: MatrixKernel<object> = {
  name: 'latentfield.ColumnVariances',
  inputs: ['roots', 'half'],
  outputs: ([roots, half]) => [[half![1]!, roots![0]! / half![0]!]],
  compute(workspace, shapes) {
    const { algebra, memory, inputs, outputs } = workspace;
    withPairs(workspace, shapes, 1, ({ S, others: [, pairs], sizes }) => {
      const { n, M, D, P } = sizes;
      for (let first = 0; first < n; first += POINTS) {
        const count = Math.min(POINTS, n - first);
        formPairs(memory.float64(inputs[1]!, M * n), memory.float64(pairs!, P * POINTS), sizes, first, count);
        const C = rowsOf(outputs[0]! + 8 * first * D, D);
        algebra.gemm(count, D, P, 1, rowsOf(pairs!, P), rowsOf(S, D), 0, C);
      }
    });
  },
};

const GRADIENT: MatrixKernel<object> = {
  name: 'latentfield.ColumnVariancesGradient',
  inputs: ['roots', 'half', 'dy'],
  outputs: ([roots, half]) => [roots!, half!],
  compute(workspace, shapes) {
    const { algebra, memory, inputs, outputs } = workspace;
    withPairs(workspace, shapes, 2, ({ S, others: [slopes, pairs, back], sizes }) => {
      const { n, M, D, P } = sizes;
      for (let first = 0; first < n; first += POINTS) {
        const count = Math.min(POINTS, n - first);
        formPairs(memory.float64(inputs[1]!, M * n), memory.float64(pairs!, P * POINTS), sizes, first, count);
        const dy = inputs[2]! + 8 * first * D;
        const transposed = { offset: pairs!, rowStride: 1, columnStride: P };
        algebra.gemm(P, D, count, 1, transposed, rowsOf(dy, D), first === 0 ? 0 : 1, rowsOf(slopes!, D));
        algebra.gemm(count, P, D, 1, rowsOf(dy, D), { offset: S, rowStride: 1, columnStride: D }, 0, rowsOf(back!, P));
        pullBack(
          memory.float64(inputs[1]!, M * n),
          memory.float64(back!, P * POINTS),
          memory.float64(outputs[1]!, M * n),
          sizes,
          first,
          count,
        );
      }
      rootSlopes(
        memory.float64(inputs[0]!, D * M * M),
        memory.float64(slopes!, P * D),
        memory.float64(outputs[0]!, D * M * M),
        sizes,
        n === 0,
      );
    });
  },
};

/** Gradients in the entries of a from those in the products of their pairs. */
function pullBack(
  a: Float64Array,
  back: Float64Array,
  da: Float64Array,
  { n, M }: Sizes,
  first: number,
  count: number,
): void {
  const [own, slopes] = [new Float64Array(M), new Float64Array(M)];
  let at = 0;
  for (let p = first; p < first + count; p++) {
    for (let i = 0, x = p; i < M; i++, x += n) own[i] = a[x]!;
    slopes.fill(0);
    for (let i = 0; i < M; i++) {
      const entry = own[i]!;
      let sum = 0;
      for (let j = 0; j < i; j++) {
        const slope = back[at++]!;
        sum += slope * own[j]!;
        slopes[j]! += slope * entry;
      }
      slopes[i]! += sum + 2 * back[at++]! * entry;
    }
    for (let i = 0, x = p; i < M; i++, x += n) da[x] = slopes[i]!;
  }
}

/** Gradients in the roots, from those in the entries of C_dC_dᵀ as pairs: 2·R_d·G_d with the symmetric G_d. */
function rootSlopes(R: Float64Array, slopes: Float64Array, dR: Float64Array, { M, D }: Sizes, isEmpty: boolean): void {
  dR.fill(0);
  if (isEmpty) return;
  for (let d = 0; d < D; d++) {
    let pair = d;
    for (let i = 0; i < M; i++) {
      for (let j = 0; j <= i; j++, pair += D) {
        // An entry off the diagonal is twice among the weights, and each of its two places has half of its gradient.
        const slope = 2 * slopes[pair]!;
        for (let k = d * M * M; k < (d + 1) * M * M; k += M) {
          dR[k + i]! += slope * R[k + j]!;
          if (i !== j) dR[k + j]! += slope * R[k + i]!;
        }
      }
    }
  }
}
