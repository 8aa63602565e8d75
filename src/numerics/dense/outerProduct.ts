import { Matrix } from '../../core/matrix.ts';

/** YYᵀ, N×N */
export function outerProduct({ data, rows: N, columns: D }: Matrix): Matrix {
  const result = Matrix.zeros(N, N);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < D; k++) sum += data[i * D + k]! * data[j * D + k]!;
      result.data[i * N + j] = sum;
      result.data[j * N + i] = sum;
    }
  }
  return result;
}
