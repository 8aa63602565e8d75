/** The profiles that are compiled. */
export type CompiledProfile =
  | 'thinPlate1'
  | 'thinPlate2'
  | 'thinPlate3'
  | 'thinPlate4'
  | 'matern12'
  | 'matern32'
  | 'matern52'
  | 'rbf';

/**
 * A function of the squared distance s = r², written as loops over many of them at once: a loop that calls a function for every entry
 * is several times slower.
 */
export interface RadialProfile {
  /** What the function is called. */
  readonly name: string;
  /** Which of the library's compiled loops compute the same, faster; one of your own has none. */
  readonly compiled?: CompiledProfile;
  /** s ← f(s), entry by entry. */
  value(s: Float64Array): void;
  /** s ← f′(s), entry by entry, finite everywhere: 0 by convention at s = 0 where there is no derivative. */
  slope(s: Float64Array): void;
}

/**
 * Covariances that are functions of distances, and their gradients, on the memory in place: arguments named like matrices are byte
 * offsets, matrices are row-major and contiguous. Distances are direct differences, so that near points keep their digits.
 */
export interface RadialOperations {
  /** K_ij ← variance·f(‖x_i − x_j‖²), X n×q, K n×n and exactly symmetric. */
  radialGram(n: number, q: number, x: number, profile: RadialProfile, variance: number, k: number): void;

  /** Contracts G = ∂L/∂K, of any kind, with the derivatives of K = `radialGram`: dX ← ∂L/∂X; returns ∂L/∂variance. */
  radialGramGradient(
    n: number,
    q: number,
    x: number,
    profile: RadialProfile,
    variance: number,
    k: number,
    g: number,
    dx: number,
  ): number;

  /** K_ij ← variance·f(‖a_i − b_j‖²), A n×q, B m×q, K n×m. */
  radialCross(
    n: number,
    m: number,
    q: number,
    a: number,
    b: number,
    profile: RadialProfile,
    variance: number,
    k: number,
  ): void;

  /** Contracts G = ∂L/∂K with the derivatives of K = `radialCross`: dA ← ∂L/∂A, dB ← ∂L/∂B; returns ∂L/∂variance. */
  radialCrossGradient(
    n: number,
    m: number,
    q: number,
    a: number,
    b: number,
    profile: RadialProfile,
    variance: number,
    k: number,
    g: number,
    da: number,
    db: number,
  ): number;
}
