import { InvalidInputError } from '../../../core/errors.ts';
import { contiguous } from '../../operations/linearAlgebra.ts';
import {
  differentiable,
  type MatrixKernel,
  matrixOperand,
  requireBackend,
} from '../linearAlgebra/operations/operation.ts';
import type { Tensor2D } from '../tensorflow.ts';

/**
 * ‖R_d·a‖² of every column a of A and every block R_d, from the products of pairs of entries, aᵀ(R_dᵀR_d)a: at half the cost of the products R_d·A, and
 * without their memory.
 *
 * @param roots - c·M×M, c square blocks below each other
 * @param A - M×n
 * @returns c×n, with gradients in both
 * @throws InvalidInputError if the roots are not blocks of M×M
 * @example
 * ```ts
 * op.columnForms(op.tensor([[1, 0], [2, 1], [3, 0], [0, 1]]), op.tensor([[1], [1]])); // [[10], [10]]
 * ```
 */
export function columnForms(roots: Tensor2D, A: Tensor2D): Tensor2D {
  requireBackend('columnForms');
  const [R, a] = [matrixOperand(roots, 'columnForms', 'roots'), matrixOperand(A, 'columnForms', 'A')];
  if (R.shape[1] !== a.shape[0] || R.shape[0] % a.shape[0] !== 0) {
    throw new InvalidInputError(
      `columnForms takes blocks of ${a.shape[0]}×${a.shape[0]} for a matrix of ${a.shape[0]} rows, but the roots are ${R.shape.join('×')}.`,
    );
  }
  return differentiable(COLUMN_FORMS, COLUMN_FORMS_GRADIENT, [R, a]) as Tensor2D;
}

/** Number of columns whose pairs are formed at once. */
const PAIRED = 32;

const COLUMN_FORMS: MatrixKernel<object> = {
  name: 'latentfield.ColumnForms',
  inputs: ['roots', 'a'],
  outputs: ([roots, a]) => [[roots![0]! / a![0]!, a![1]!]],
  compute({ algebra, memory, inputs, outputs }, [roots, a]) {
    const [M, n] = a as [number, number];
    const c = roots![0]! / M;
    const P = pairCount(M);
    memory.withBlock(8 * P * (c + PAIRED), (work) => {
      memory.float64(work, c * P).set(pairCoefficients(memory.float64(inputs[0]!, c * M * M), c, M));
      const S = contiguous(work, P);
      const pairs = work + 8 * c * P;
      for (let from = 0; from < n; from += PAIRED) {
        const count = Math.min(PAIRED, n - from);
        formPairs(memory.float64(inputs[1]!, M * n), M, n, from, memory.float64(pairs, P * count), count);
        const own = { offset: outputs[0]! + 8 * from, rowStride: n, columnStride: 1 };
        algebra.gemm(c, count, P, 1, S, contiguous(pairs, count), 0, own);
      }
    });
  },
};

/** 2R_d·Σ_n g_dn·a_n·a_nᵀ, and 2Σ_d g_dn·R_dᵀR_d·a_n. */
const COLUMN_FORMS_GRADIENT: MatrixKernel<object> = {
  name: 'latentfield.ColumnFormsGradient',
  inputs: ['roots', 'a', 'dy'],
  outputs: ([roots, a]) => [roots!, a!],
  compute({ algebra, memory, inputs, outputs }, [roots, a]) {
    const [M, n] = a as [number, number];
    const c = roots![0]! / M;
    const P = pairCount(M);
    memory.withBlock(8 * P * (2 * c + 2 * PAIRED), (work) => {
      const [sums, pairs, slopes] = [work + 8 * c * P, work + 16 * c * P, work + 8 * P * (2 * c + PAIRED)];
      memory.float64(work, c * P).set(pairCoefficients(memory.float64(inputs[0]!, c * M * M), c, M));
      memory.float64(sums, c * P).fill(0);
      for (let from = 0; from < n; from += PAIRED) {
        const count = Math.min(PAIRED, n - from);
        const G = { offset: inputs[2]! + 8 * from, rowStride: n, columnStride: 1 };
        formPairs(memory.float64(inputs[1]!, M * n), M, n, from, memory.float64(pairs, P * count), count);
        algebra.gemm(c, P, count, 1, G, { offset: pairs, rowStride: 1, columnStride: count }, 1, contiguous(sums, P));
        const S = { offset: work, rowStride: 1, columnStride: P };
        algebra.gemm(P, count, c, 1, S, G, 0, contiguous(slopes, count));
        const [own, inA] = [inputs[1]!, outputs[1]!].map((offset) => memory.float64(offset, M * n));
        pullPairs(own!, M, n, from, memory.float64(slopes, P * count), count, inA!);
      }
      scaleRoots(
        memory.float64(inputs[0]!, c * M * M),
        c,
        M,
        memory.float64(sums, c * P),
        memory.float64(outputs[0]!, c * M * M),
      );
    });
  },
};

/** Number of pairs i ≤ j of M entries. */
const pairCount = (M: number) => (M * (M + 1)) / 2;

/** Coefficients of the products a_i·a_j, i ≤ j, in ‖R_d·a‖², c×P. */
function pairCoefficients(roots: Float64Array, c: number, M: number): Float64Array {
  const coefficients = new Float64Array(c * pairCount(M));
  let p = 0;
  for (let d = 0; d < c; d++) {
    for (let i = 0; i < M; i++) {
      for (let j = i; j < M; j++) {
        let sum = 0;
        for (let k = d * M * M; k < (d + 1) * M * M; k += M) sum += roots[k + i]! * roots[k + j]!;
        coefficients[p++] = i === j ? sum : 2 * sum;
      }
    }
  }
  return coefficients;
}

/** Products of the entries of each pair in `count` columns, P×count. */
function formPairs(a: Float64Array, M: number, n: number, from: number, pairs: Float64Array, count: number): void {
  let at = 0;
  for (let i = 0; i < M; i++) {
    const left = i * n + from;
    for (let j = i; j < M; j++) {
      const right = j * n + from;
      for (let k = 0; k < count; k++) pairs[at + k] = a[left + k]! * a[right + k]!;
      at += count;
    }
  }
}

/** Slopes of the entries in `count` columns, from the slopes of their products. */
function pullPairs(
  a: Float64Array,
  M: number,
  n: number,
  from: number,
  slopes: Float64Array,
  count: number,
  inA: Float64Array,
): void {
  for (let i = 0; i < M; i++) inA.fill(0, i * n + from, i * n + from + count);
  let at = 0;
  for (let i = 0; i < M; i++) {
    const left = i * n + from;
    for (let j = i; j < M; j++) {
      const right = j * n + from;
      for (let k = 0; k < count; k++) {
        const slope = slopes[at + k]!;
        inA[left + k]! += slope * a[right + k]!;
        inA[right + k]! += slope * a[left + k]!;
      }
      at += count;
    }
  }
}

/** 2R_d times the symmetric matrix with these entries above and on its diagonal. */
function scaleRoots(roots: Float64Array, c: number, M: number, upper: Float64Array, result: Float64Array): void {
  const P = pairCount(M);
  const whole = new Float64Array(M * M);
  for (let d = 0; d < c; d++) {
    let p = d * P;
    for (let i = 0; i < M; i++) {
      for (let j = i; j < M; j++) {
        whole[i * M + j] = upper[p]!;
        whole[j * M + i] = upper[p++]!;
      }
    }
    for (let k = d * M * M; k < (d + 1) * M * M; k += M) {
      result.fill(0, k, k + M);
      for (let i = 0; i < M; i++) {
        const factor = 2 * roots[k + i]!;
        if (factor === 0) continue;
        for (let j = 0; j < M; j++) result[k + j]! += factor * whole[i * M + j]!;
      }
    }
  }
}
