import { log } from '../../core/elementary/index.ts';
import { NumericalError } from '../../core/errors.ts';
import { linearAlgebra } from '../../engine/dense/activeEngine.ts';
import { logDeterminantOf } from '../../engine/dense/factorize.ts';
import type { Edges } from '../../engine/graph/graph.ts';
import { sharedMemory } from '../../engine/memory.ts';

/** Pairs of points without duplicates. */
export type Pairs = Pick<Edges, 'sources' | 'targets'> & { readonly size: number };

/**
 * Runs work with log|Q| and U = Q⁻¹ − (1/λ − 1/(λ + s))·11ᵀ/N, Q = L(w) + λI, from a dense factor.
 *
 * @param work - U is N×N, valid until the next allocation in the memory of the backend; after that, it remains at `offset`
 * @throws NumericalError if Q has no factor, or if memory for N×N numbers is lacking
 */
export function withDenseField<T>(
  pairs: Pairs,
  weights: Float64Array,
  base: number,
  work: (logDeterminant: number, U: Float64Array, offset: number) => T,
): T {
  const { size: N } = pairs;
  const memory = sharedMemory();
  return memory.withBlock(8 * N * N, (offset) => {
    const logDeterminant = invertField(pairs, weights, base, offset);
    return work(logDeterminant, memory.float64(offset, N * N), offset);
  });
}

/**
 * Writes U to memory for N×N numbers; returns log|Q|.
 *
 * L has the null vector 1. Therefore Q + (s/N)·11ᵀ with s = tr(L)/N is factored, and log((λ + s)/λ) subtracted: without the large eigenvalue 1/λ, the
 * differences R_e = U_ii + U_jj − 2U_ij, which do not depend on it, gain three digits.
 *
 * @throws NumericalError if Q has no factor in double precision
 */
export function invertField(pairs: Pairs, weights: Float64Array, base: number, offset: number): number {
  const { size: N } = pairs;
  const memory = sharedMemory();
  const deflation = fillDeflated(pairs, weights, base, memory.float64(offset, N * N));
  const algebra = linearAlgebra(memory);
  const pivot = algebra.cholesky(N, offset);
  if (pivot >= 0) {
    throw new NumericalError(
      `The precision L(w) + ${base}·I (${N}×${N}) has no Cholesky factor: pivot ${pivot} is not positive. ` +
        'Its weights are too far apart: raise the base precision, or take a finite slack penalty.',
    );
  }
  const logDeterminant = logDeterminantOf(N, memory.float64(offset, N * N)) - log((base + deflation) / base);
  algebra.choleskyInverse(N, offset);
  return logDeterminant;
}

/** Lower triangle of L(w) + λI + (s/N)·11ᵀ; returns s. */
function fillDeflated(
  { size: N, sources, targets }: Pairs,
  weights: Float64Array,
  base: number,
  Q: Float64Array,
): number {
  let trace = 0;
  for (let e = 0; e < weights.length; e++) trace += 2 * weights[e]!;
  const deflation = trace / N;
  Q.fill(deflation / N);
  for (let i = 0; i < N; i++) Q[i * N + i]! += base;
  for (let e = 0; e < weights.length; e++) {
    const weight = weights[e]!;
    if (weight === 0) continue;
    const i = sources[e]!;
    const j = targets[e]!;
    Q[j * N + i]! -= weight;
    Q[i * N + i]! += weight;
    Q[j * N + j]! += weight;
  }
  return deflation;
}

/** R_e = U_ii + U_jj − 2U_ij for every pair. */
export function resistancesOf({ size: N, sources, targets }: Pairs, U: Float64Array): Float64Array {
  const variances = new Float64Array(N);
  for (let i = 0; i < N; i++) variances[i] = U[i * (N + 1)]!;
  const R = new Float64Array(sources.length);
  for (let e = 0; e < R.length; e++) {
    const i = sources[e]!;
    const j = targets[e]!;
    R[e] = variances[i]! + variances[j]! - 2 * U[i * N + j]!;
  }
  return R;
}
