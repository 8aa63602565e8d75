import { gemm } from './gemm.ts';
import { type MatrixView, transposed } from './matrixView.ts';

/** Lower triangle of C ← alpha·A·Aᵀ + beta·C, with A n×k and C n×n in any strides; the upper triangle is not touched. */
export function symmetricRankUpdate(
  n: number,
  k: number,
  alpha: number,
  a: MatrixView,
  beta: number,
  c: MatrixView,
): void {
  gemm(n, n, k, alpha, a, transposed(a), beta, c, 'lower');
}
