import type { MatrixView } from './matrixView.ts';

/** A ← V, values ← λ with A = V·diag(λ)·Vᵀ. */
export function symmetricEigen(_n: number, _a: MatrixView, _values: Float64Array): number {
  return 1;
}
