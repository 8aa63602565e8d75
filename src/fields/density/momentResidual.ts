import type { MomentProblem, PrecisionEntries } from './secondMoments.ts';

type Relative = Pick<MomentProblem, 'size' | 'sources' | 'targets' | 'variances'>;

/** What moves an entry of Θ whose gradient is W_ij − S_ij, with the penalty: 0 where the optimality conditions hold. */
export function pullOf(entry: number, gradient: number, penalty: number): number {
  if (entry !== 0) return gradient - penalty * Math.sign(entry);
  return Math.sign(gradient) * Math.max(0, Math.abs(gradient) - penalty);
}

/**
 * Largest violation of W_ii = S_ii, W_ij − S_ij = ρ·sign(Θ_ij) and |W_ij − S_ij| ≤ ρ where Θ_ij = 0, relative to √(S_ii·S_jj).
 *
 * @param at - the diagonal of Θ and its entries at edges, and W − S in the same places
 */
export function momentResidual(
  problem: Relative & Pick<MomentProblem, 'penalty'>,
  { x, gradient }: { readonly x: Float64Array; readonly gradient: Float64Array },
): number {
  const { size: N, penalty } = problem;
  return largestRelative(problem, (v) => (v < N ? gradient[v]! : pullOf(x[v]!, gradient[v]!, penalty)));
}

/** Θ_ij = b − a as a layer's own parameters; those that are held are left out. */
export interface FreePrecision {
  readonly diagonal?: ArrayLike<number>;
  readonly attraction?: ArrayLike<number>;
  readonly repulsion?: ArrayLike<number>;
}

/**
 * The same of a and b, which may both be above 0: W_ij − S_ij = −ρ where a > 0, and at least that where a = 0; ρ where b > 0, and at most
 * that where b = 0. Of entries that are held nothing is asked.
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
