import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import type { ProgressiveWork } from '../../../core/progressiveWork.ts';
import { counted } from '../../../core/wording.ts';
import { symmetricEigenpairs, topEigenpairsOf } from '../../../engine/dense/eigenpairs.ts';

/** Maximum number of points for computing all eigenpairs, so that the message can report the smallest eigenvalue. */
const FULL = 600;

/** X = V·Λ^½ from the top eigenpairs of a centered matrix of inner products. */
export interface LeadingEmbedding {
  /** Latents, N×q. */
  readonly latents: Matrix;
  /** q entries, descending. */
  readonly eigenvalues: Float64Array;
  /** Unit eigenvectors, N×q. */
  readonly vectors: Matrix;
  /** Smallest eigenvalue, if all were computed. */
  readonly smallest: number | undefined;
  /** Sum of the positive eigenvalues, if all were computed. */
  readonly positive: number | undefined;
}

/**
 * The q leading eigenvectors of a symmetric matrix, each times the square root of its eigenvalue; the entry of largest modulus in each
 * column is positive. Pauses beyond 600 points.
 *
 * @param B - N×N, symmetric
 * @param full - maximum number of points for computing all eigenpairs
 * @throws InvalidInputError if fewer than q eigenvalues are positive
 */
export function* leadingEmbedding(B: Matrix, q: number, name: string, full = FULL): ProgressiveWork<LeadingEmbedding> {
  const { rows: N } = B;
  if (q >= N) {
    throw new InvalidInputError(
      `${name} shows ${N} points in at most ${counted(N - 1, 'dimension')}, but latentDim is ${q}. Choose a smaller \`latentDim\`, or give at least ${q + 1} points.`,
    );
  }
  const all = N <= full ? symmetricEigenpairs(B) : undefined;
  const top = all === undefined ? yield* topEigenpairsOf(B, q) : undefined;
  const eigenvalues = top?.values ?? all!.values.slice(N - q).reverse();
  const vectors = top?.vectors ?? Matrix.zeros(N, q);
  if (all !== undefined) {
    for (let i = 0; i < N; i++) for (let c = 0; c < q; c++) vectors.data[i * q + c] = all.vectors.at(i, N - 1 - c);
  }
  const negligible = N * Number.EPSILON * Math.abs(eigenvalues[0]!);
  const found = eigenvalues.findIndex((value) => !(value > negligible));
  if (found >= 0) {
    if (found === 0) {
      throw new InvalidInputError(
        `All ${N} points are the same, so ${name} has nothing to embed. Give points that differ.`,
      );
    }
    throw new InvalidInputError(
      `${q} dimensions were requested from ${name}, but its matrix of inner products has ${found} positive eigenvalue${found === 1 ? '' : 's'} only. Choose a smaller \`latentDim\`.`,
    );
  }
  const latents = vectors.map((entry, _, c) => entry * Math.sqrt(eigenvalues[c]!));
  const positive = all?.values.reduce((sum, value) => sum + Math.max(0, value), 0);
  return { latents, eigenvalues, vectors, smallest: all?.values[0], positive };
}

/** A ← factor·HAH with H = I − 11ᵀ/N, in place; A symmetric. */
export function doublyCentered(A: Matrix, factor: number): Matrix {
  const { data, rows: N } = A;
  const means = Float64Array.from({ length: N }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < N; j++) sum += data[i * N + j]!;
    return sum / N;
  });
  const total = means.reduce((sum, mean) => sum + mean, 0) / N;
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) data[i * N + j] = factor * (data[i * N + j]! - (means[i]! + means[j]! - total));
  }
  return A;
}

/** Sentence on the non-Euclidean part of a matrix of inner products. */
export function euclideanNote(smallest: number | undefined, largest: number): string {
  if (smallest === undefined || smallest > -1e-10 * largest) return '';
  return ` The distances are not Euclidean: the smallest eigenvalue is ${(smallest / largest).toFixed(3)} of the largest.`;
}
