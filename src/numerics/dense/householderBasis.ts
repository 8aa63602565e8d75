import { gemm } from './gemm.ts';
import { block, type MatrixView, rowMajor, transposed } from './matrixView.ts';
import { PANEL } from './tridiagonalize.ts';

/**
 * Qᵀ, n×n row-major, from the reflectors that `tridiagonalize` left in the upper triangle of A.
 *
 * Panels of reflectors are multiplied together as H₁…H_k = I − VTVᵀ (Schreiber & Van Loan 1989) and applied last to first,
 * so that each touches only the part of Q that is no longer the identity.
 *
 * @param scale - t of every reflector I − t·v·vᵀ
 */
export function householderBasis(n: number, a: MatrixView, scale: Float64Array): Float64Array {
  const basis = new Float64Array(n * n);
  for (let i = 0; i < n; i++) basis[i * (n + 1)] = 1;
  const vectors = new Float64Array(PANEL * n);
  const images = new Float64Array(n * PANEL);
  const weighted = new Float64Array(n * PANEL);
  const gram = new Float64Array(PANEL * PANEL);
  const triangle = new Float64Array(PANEL * PANEL);
  for (let first = PANEL * Math.floor((n - 2) / PANEL); first >= 0; first -= PANEL) {
    const size = Math.min(PANEL, n - 1 - first);
    const corner = first + 1;
    const length = n - corner;
    for (let j = 0; j < size; j++) {
      const source = a.start + (first + j) * a.rowStride;
      vectors.fill(0, j * length, j * length + j);
      for (let i = j; i < length; i++) vectors[j * length + i] = a.data[source + corner + i]!;
    }
    const rows = rowMajor(vectors, length);
    gemm(size, size, length, 1, rows, transposed(rows), 0, rowMajor(gram, PANEL));
    couple(size, gram, scale, first, triangle);
    const target = block(rowMajor(basis, n), corner, corner);
    gemm(length, size, length, 1, target, transposed(rows), 0, rowMajor(images, size));
    gemm(
      length,
      size,
      size,
      1,
      rowMajor(images, size),
      transposed(rowMajor(triangle, PANEL)),
      0,
      rowMajor(weighted, size),
    );
    gemm(length, length, size, -1, rowMajor(weighted, size), rows, 1, target);
  }
  return basis;
}

/** T, upper triangular: column j is t_j·(−T·VᵀV·e_j, 1). */
function couple(size: number, gram: Float64Array, scale: Float64Array, first: number, t: Float64Array): void {
  t.fill(0);
  for (let j = 0; j < size; j++) {
    const factor = scale[first + j]!;
    for (let i = 0; i < j; i++) {
      let sum = 0;
      for (let q = i; q < j; q++) sum += t[i * PANEL + q]! * gram[q * PANEL + j]!;
      t[i * PANEL + j] = -factor * sum;
    }
    t[j * PANEL + j] = factor;
  }
}
