import { Matrix } from './matrix.ts';

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

/** YᵀY, D×D */
export function scatter({ data, rows: N, columns: D }: Matrix): Matrix {
  const result = Matrix.zeros(D, D);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < D; j++) {
      const entry = data[i * D + j]!;
      for (let k = 0; k < D; k++) result.data[j * D + k]! += entry * data[i * D + k]!;
    }
  }
  return result;
}

/** Y·direction for every row of Y */
export function projections({ data, rows: N, columns: D }: Matrix, direction: Float64Array): Float64Array {
  const result = new Float64Array(N);
  for (let i = 0; i < N; i++) for (let j = 0; j < D; j++) result[i]! += data[i * D + j]! * direction[j]!;
  return result;
}
