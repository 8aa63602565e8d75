import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import type { Eigenpairs } from '../dense/eigenpairs.ts';
import { bottomEigenpairsInParts } from './bottomEigenpairs.ts';
import { analyse, factorise, type SparseSymmetric, solve } from './index.ts';

/** Shift relative to the mean eigenvalue: large enough for a factor, small beside every relevant gap. */
const SHIFT = 1e-9;

export interface BottomOptions {
  /** Diagonal of D, > 0; default the identity. */
  readonly metric?: Float64Array | undefined;
  /** Trace of D⁻¹A, if it is known. */
  readonly trace?: number;
}

/**
 * The q eigenpairs of smallest eigenvalue, except for the null vector 1, of A·v = μ·D·v for a sparse, positive semidefinite A with A·1 = 0:
 * shift-invert Lanczos on the factor of A + σD, with pauses.
 *
 * @returns μ ascending; columns vᵀDv = 1, the entry of largest modulus positive
 */
export function* bottomOfSparse(
  { pattern, values }: SparseSymmetric,
  q: number,
  options: BottomOptions = {},
): ProgressiveWork<Eigenpairs> {
  const { size, starts } = pattern;
  const D = options.metric ?? new Float64Array(size).fill(1);
  // Each column starts with its diagonal entry.
  const diagonal = D.map((_, i) => values[starts[i]!]!);
  const trace = options.trace ?? diagonal.reduce((sum, entry, i) => sum + entry / D[i]!, 0);
  const shift = (SHIFT * trace) / size;
  const shifted = values.slice();
  for (let i = 0; i < size; i++) shifted[starts[i]!] = diagonal[i]! + shift * D[i]!;
  const factor = factorise(analyse(pattern), shifted);
  const known = [new Float64Array(size).fill(1)];
  const solution = (b: Float64Array, x: Float64Array) => {
    solve(factor, b, x);
  };
  return yield* bottomEigenpairsInParts(size, solution, q, { metric: D, shift, known });
}
