import { NumericalError } from '../../core/errors.ts';
import { linearAlgebra } from '../../engine/dense/activeEngine.ts';
import { logDeterminantOf } from '../../engine/dense/factorize.ts';
import { sharedMemory } from '../../engine/memory.ts';
import type { EdgeList } from '../../engine/sparse/index.ts';

/** Constraints on expected second moments of points: max log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij|, with Θ_ij = 0 where there is no edge. */
export interface MomentProblem extends EdgeList {
  /** S_ii, N numbers. */
  readonly variances: Float64Array;
  /** S_ij, one per edge. */
  readonly covariances: Float64Array;
  /** ρ ≥ 0 */
  readonly penalty: number;
}

/** The entries of Θ that may differ from 0: its diagonal, and one per edge. */
export interface PrecisionEntries {
  readonly diagonal: Float64Array;
  readonly edges: Float64Array;
}

/**
 * Runs work with log|Θ| and W = Θ⁻¹.
 *
 * @param work - W is N×N, valid until the next allocation in the memory of the backend
 * @param without - called if Θ is not positive definite; by default the error is thrown
 * @throws NumericalError if Θ is not positive definite, or if memory for N×N numbers is lacking
 */
export function withInverse<T>(
  { size: N, sources, targets }: Pick<MomentProblem, 'size' | 'sources' | 'targets'>,
  { diagonal, edges }: PrecisionEntries,
  work: (logDeterminant: number, W: Float64Array) => T,
  without: (error: NumericalError) => T = rethrow,
): T {
  const memory = sharedMemory();
  return memory.withBlock(8 * N * N, (offset) => {
    const precision = memory.float64(offset, N * N).fill(0);
    for (let i = 0; i < N; i++) precision[i * (N + 1)] = diagonal[i]!;
    for (let e = 0; e < edges.length; e++) precision[targets[e]! * N + sources[e]!] = edges[e]!;
    const algebra = linearAlgebra(memory);
    const pivot = algebra.cholesky(N, offset);
    if (pivot >= 0) {
      return without(
        new NumericalError(`The precision of the field (${N}×${N}) is not positive definite at pivot ${pivot}.`),
      );
    }
    const logDeterminant = logDeterminantOf(N, memory.float64(offset, N * N));
    algebra.choleskyInverse(N, offset);
    return work(logDeterminant, memory.float64(offset, N * N));
  });
}

/**
 * W − S on the diagonal and at the edges.
 *
 * @throws NumericalError as {@link withInverse} does
 */
export function excessOf(problem: Omit<MomentProblem, 'penalty'>, entries: PrecisionEntries): PrecisionEntries {
  const { size: N, sources, targets, variances, covariances } = problem;
  return withInverse(problem, entries, (_, W) => ({
    diagonal: variances.map((variance, i) => W[i * (N + 1)]! - variance),
    edges: covariances.map((covariance, e) => W[targets[e]! * N + sources[e]!]! - covariance),
  }));
}

/** Hessian of −log|Θ| in its entries, H_ab = tr(W·E_a·W·E_b), with E_a the symmetric unit matrix of entry a at these rows and columns. */
export function entryHessian(N: number, W: Float64Array, rows: Int32Array, columns: Int32Array) {
  return (a: number, b: number): number => {
    const [i, j, k, l] = [rows[a]! * N, columns[a]! * N, rows[b]!, columns[b]!];
    const scale = (rows[a] === columns[a] ? 1 : 2) * (k === l ? 1 : 2);
    return 0.5 * scale * (W[i + k]! * W[j + l]! + W[i + l]! * W[j + k]!);
  };
}

function rethrow(error: NumericalError): never {
  throw error;
}

type Relative = Pick<MomentProblem, 'size' | 'sources' | 'targets' | 'variances'>;

/** Subgradient of smallest modulus for an entry of Θ with gradient W_ij − S_ij and the penalty: 0 if the optimality conditions are met. */
export function pullOf(entry: number, gradient: number, penalty: number): number {
  if (entry !== 0) return gradient - penalty * Math.sign(entry);
  return Math.sign(gradient) * Math.max(0, Math.abs(gradient) - penalty);
}

/**
 * Largest violation of W_ii = S_ii, W_ij − S_ij = ρ·sign(Θ_ij) and |W_ij − S_ij| ≤ ρ where Θ_ij = 0, relative to √(S_ii·S_jj).
 *
 * @param at - the diagonal of Θ and its entries at edges, and W − S at the same positions
 */
export function momentResidual(
  problem: Relative & Pick<MomentProblem, 'penalty'>,
  { x, gradient }: { readonly x: Float64Array; readonly gradient: Float64Array },
): number {
  const { size: N, penalty } = problem;
  return largestRelative(problem, (v) => (v < N ? gradient[v]! : pullOf(x[v]!, gradient[v]!, penalty)));
}

/** Θ_ij = b − a in a layer's parameters, without those that are fixed. */
interface FreePrecision {
  readonly diagonal?: ArrayLike<number>;
  readonly attraction?: ArrayLike<number>;
  readonly repulsion?: ArrayLike<number>;
}

/**
 * The same for a and b, which may both be above 0: W_ij − S_ij = −ρ if a > 0, ≥ −ρ if a = 0; W_ij − S_ij = ρ if b > 0, ≤ ρ if b = 0. Fixed entries
 * have no condition.
 */
export function layerResidual(
  problem: Relative & Pick<MomentProblem, 'penalty'>,
  { diagonal, attraction, repulsion }: FreePrecision,
  excess: PrecisionEntries,
): number {
  const { size: N, penalty } = problem;
  const wanted = (entry: number | undefined, up: number) =>
    entry === undefined ? 0 : Math.abs(entry > 0 ? up : Math.max(0, up));
  return largestRelative(problem, (v) => {
    if (v < N) return diagonal === undefined ? 0 : excess.diagonal[v]!;
    const gradient = excess.edges[v - N]!;
    return Math.max(wanted(attraction?.[v - N], -gradient - penalty), wanted(repulsion?.[v - N], gradient - penalty));
  });
}

function largestRelative({ size: N, sources, targets, variances }: Relative, pull: (v: number) => number): number {
  let largest = 0;
  for (let v = 0; v < N + sources.length; v++) {
    const [i, j] = v < N ? [v, v] : [sources[v - N]!, targets[v - N]!];
    const size = Math.abs(pull(v));
    if (size > 0) largest = Math.max(largest, size / Math.sqrt(variances[i]! * variances[j]!));
  }
  return largest;
}
