import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { type SymmetricOperator, topEigenpairs } from '../../../numerics/dense/topEigenpairs.ts';

/** The singular value decomposition of centred observations Yc = Σ_c √(N·λ_c)·u_c·v_cᵀ, as far as it is asked for. */
export interface PrincipalAxes {
  /** λ_c: eigenvalues of YcᵀYc/N, descending. */
  readonly eigenvalues: Float64Array;
  /** Ycv_c = √(N·λ_c)·u_c as columns, N×q, the entry of largest modulus in each positive. */
  readonly scores: Matrix;
  /** v_c as columns, D×q. */
  readonly axes: Matrix;
  /** Sum of all eigenvalues. */
  readonly total: number;
}

/**
 * The q directions of largest variance of centred observations, from the smaller of YcᵀYc and YcYcᵀ.
 *
 * @throws InvalidInputError when the observations vary in fewer directions than q
 */
export function principalAxes(centred: Matrix, q: number, name: string): PrincipalAxes {
  const { rows: N, columns: D, data } = centred;
  const most = Math.min(N - 1, D);
  if (q > most) {
    throw new InvalidInputError(
      `${name} was asked for ${q} dimensions, but ${N} points in ${D} dimensions have at most ${most} principal components. Choose a smaller latentDim.`,
    );
  }
  const wide = D > N;
  const within = new Float64Array(wide ? D : N);
  const operator: SymmetricOperator = (x, y) => {
    if (wide) {
      multiplyTransposed(centred, x, within);
      multiply(centred, within, y);
    } else {
      multiply(centred, x, within);
      multiplyTransposed(centred, within, y);
    }
  };
  const { values, vectors } = topEigenpairs(operator, wide ? N : D, q);
  const scores = Matrix.zeros(N, q);
  const axes = Matrix.zeros(D, q);
  const negligible = values[0]! * Math.max(N, D) * Number.EPSILON;
  for (let c = 0; c < q; c++) {
    if (!(values[c]! > negligible)) {
      throw new InvalidInputError(
        `The observations vary in ${c} direction${c === 1 ? '' : 's'} only, so ${name} cannot show ${q}. Choose a smaller latentDim.`,
      );
    }
    const score = new Float64Array(N);
    const axis = new Float64Array(D);
    if (wide) {
      multiplyTransposed(centred, vectors.column(c), axis);
      const norm = Math.sqrt(axis.reduce((sum, entry) => sum + entry * entry, 0));
      axis.forEach((entry, j) => {
        axis[j] = entry / norm;
      });
    } else axis.set(vectors.column(c));
    multiply(centred, axis, score);
    const sign = largestEntry(score) < 0 ? -1 : 1;
    for (let i = 0; i < N; i++) scores.data[i * q + c] = sign * score[i]!;
    for (let j = 0; j < D; j++) axes.data[j * q + c] = sign * axis[j]!;
  }
  const total = data.reduce((sum, entry) => sum + entry * entry, 0) / N;
  return { eigenvalues: values.map((value) => value / N), scores, axes, total };
}

/** y ← Yx */
function multiply({ data, rows: N, columns: D }: Matrix, x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < N; i++) {
    let sum = 0;
    for (let j = 0; j < D; j++) sum += data[i * D + j]! * x[j]!;
    y[i] = sum;
  }
}

/** y ← Yᵀx */
function multiplyTransposed({ data, rows: N, columns: D }: Matrix, x: Float64Array, y: Float64Array): void {
  y.fill(0);
  for (let i = 0; i < N; i++) {
    const weight = x[i]!;
    for (let j = 0; j < D; j++) y[j]! += weight * data[i * D + j]!;
  }
}

/** The entry of largest modulus, the first of equals. */
export function largestEntry(column: Float64Array): number {
  return column.reduce((largest, entry) => (Math.abs(entry) > Math.abs(largest) ? entry : largest), 0);
}
