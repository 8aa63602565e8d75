import { log } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import type { Transform } from '../model/transform.ts';
import { doublesOf } from '../tensors/doubles.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { matrixTensor } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';

/** Eigenvalues below this part of the largest are raised to it, so that rounding does not blow up the coefficients. */
const LEAST = 1e-10;

/** A covariance in its eigenvectors, K = QΛQᵀ. */
export interface Spectrum {
  /** N×N, a column each. */
  readonly vectors: Matrix;
  readonly values: Float64Array;
}

export function spectrumOf(K: Matrix): Spectrum {
  return withFloat64(() => {
    const { values, vectors } = op.symmetricEigen(matrixTensor(K), { name: 'The covariance of the observations' });
    const eigenvalues = doublesOf(values);
    const least = LEAST * eigenvalues[K.rows - 1]!;
    return {
      values: eigenvalues.map((value) => Math.max(value, least)),
      vectors: new Matrix(doublesOf(vectors), K.rows, K.rows),
    };
  });
}

/**
 * Coefficients B (N×q) by what is well scaled of them: the solver moves Z with B = Q·Λ^{−½}·Z, so that KB = Q·Λ^{½}·Z.
 *
 * @param spectrum - of K, N×N
 * @param q - columns of B
 */
export function whitened({ vectors, values }: Spectrum, q: number): Transform {
  const root = values.map(Math.sqrt);
  return {
    toNatural: (Z) =>
      product(
        vectors,
        scaledRows(Z, q, (i) => 1 / root[i]!),
        q,
      ),
    toUnconstrained: (B) => scaledRows(transposedProduct(vectors, B, q), q, (i) => root[i]!),
    pullBack: (gradient) => scaledRows(transposedProduct(vectors, gradient, q), q, (i) => 1 / root[i]!),
    // |Q| = ±1.
    logJacobian: (Z) => ({
      value: -q * root.reduce((sum, entry) => sum + log(entry), 0),
      gradient: new Float64Array(Z.length),
    }),
  };
}

/** B = Q·(Λ + r·I)⁻¹·QᵀX, which makes KB nearly X, N×q */
export function regressed({ vectors, values }: Spectrum, X: Matrix, ridge: number): Matrix {
  const q = X.columns;
  const inner = scaledRows(transposedProduct(vectors, X.data, q), q, (i) => 1 / (values[i]! + ridge));
  return new Matrix(product(vectors, inner, q), X.rows, q);
}

function scaledRows(entries: Float64Array, q: number, scaleOf: (row: number) => number): Float64Array {
  return entries.map((entry, k) => entry * scaleOf(Math.floor(k / q)));
}

/** QZ */
function product(Q: Matrix, Z: Float64Array, q: number): Float64Array {
  return withFloat64(() => doublesOf(op.matMul(matrixTensor(Q), op.tensor(Z, [Q.rows, q]))));
}

/** QᵀB */
function transposedProduct(Q: Matrix, B: Float64Array, q: number): Float64Array {
  return withFloat64(() => doublesOf(op.matMul(matrixTensor(Q), op.tensor(B, [Q.rows, q]), true)));
}
