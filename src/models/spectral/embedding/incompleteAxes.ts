import { Matrix } from '../../../core/matrix.ts';
import { symmetricEigenpairs } from '../../../engine/dense/eigenpairs.ts';
import { invert, principalAxes, rowPosterior } from './linearGaussian.ts';

/** Maximum likelihood solution of y = W·x + mean + noise for rows with missing entries. */
export interface IncompleteAxes {
  /** Weights W, D×q, with orthogonal columns in descending order of length. */
  readonly W: Matrix;
  readonly mean: Float64Array;
  /** Noise variance σ². */
  readonly noise: number;
  /** Posterior means of the latents conditional on the observed entries, N×q. */
  readonly latents: Matrix;
  /** Σ_n log N(y_n,o; mean_o, W_oW_oᵀ + σ²I) of the observed entries. */
  readonly logLikelihood: number;
  /** Largest entry of the log likelihood's gradient in W and the mean. */
  readonly gradientNorm: number;
  /** Largest entry relative to the larger of the two sums whose difference it is. */
  readonly relativeGradient: number;
}

/** Progress of the search, with the result if it ended at this point. */
export interface IncompleteStep {
  readonly logLikelihood: number;
  readonly gradientNorm: number;
  readonly axes: () => IncompleteAxes;
}

/** Parameters of an iteration: w̃_d = (w_d, mean_d), D×(q + 1). */
interface State {
  readonly weights: Float64Array;
  readonly noise: number;
}

/** The search ends when the log likelihood has less than this left to gain, extrapolated from its last gains. */
const REST = 1e-8;

/**
 * Probabilistic principal components of centered rows with missing entries (NaN), by EM with an expanded prior x ~ N(α, Γ), which is transformed back
 * to N(0, I) after each iteration: W ← WΓ^½, mean ← mean + Wα. An iteration costs O(N·D·q²). It ends only at a maximum: the caller sets limits.
 *
 * @see Tipping & Bishop 1999, appendix B; Ilin & Raiko 2010, §3.2; Liu, Rubin & Wu 1998
 */
export function* incompleteAxes(Y: Matrix, q: number, name: string): Generator<IncompleteStep, IncompleteAxes, void> {
  let state = startOf(Y, q, name);
  let last = Number.NEGATIVE_INFINITY;
  let gain = Infinity;
  for (;;) {
    const expected = expectations(Y, state, q);
    const { logLikelihood } = expected;
    const before = gain;
    gain = logLikelihood - last;
    last = logLikelihood;
    const slopes = largestSlope(expected, state);
    // Gains fall like a geometric series.
    const rate = Math.min(gain / before, 0.9999);
    const isOver = gain < 1e-13 * Math.abs(last) || (rate > 0 && (gain * rate) / (1 - rate) < REST);
    const current = state;
    const axes = () => ({ ...rotated(Y, current, q), logLikelihood, ...slopes });
    if (isOver) return axes();
    yield { logLikelihood, gradientNorm: slopes.gradientNorm, axes };
    state = maximized(expected, Y.rows, q);
  }
}

/** Solution of the table with missing entries replaced by column means. */
function startOf(Y: Matrix, q: number, name: string): State {
  const { columns: D } = Y;
  const whole = Y.map((entry) => (Number.isNaN(entry) ? 0 : entry));
  const { axes, eigenvalues, total } = principalAxes(whole, q, name);
  const kept = eigenvalues.reduce((sum, value) => sum + value, 0);
  const noise = Math.max((total - kept) / Math.max(1, D - q), 1e-6 * eigenvalues[0]!);
  const weights = new Float64Array(D * (q + 1));
  for (let d = 0; d < D; d++)
    for (let c = 0; c < q; c++)
      weights[d * (q + 1) + c] = axes.at(d, c) * Math.sqrt(Math.max(eigenvalues[c]! - noise, 0.01 * eigenvalues[c]!));
  return { weights, noise };
}

/** Expected sums over rows, with the gradient of the log likelihood at the current parameters. */
interface Expected {
  readonly logLikelihood: number;
  /** Σ_n E[x̃x̃ᵀ] over the rows that have entry d, (q + 1)² numbers per column. */
  readonly products: Float64Array;
  /** Σ_n y_nd·E[x̃]. */
  readonly across: Float64Array;
  /** Σ_n y_nd². */
  readonly squares: number;
  readonly entries: number;
  /** Σ_n E[x̃x̃ᵀ] over all rows. */
  readonly all: Float64Array;
}

function expectations(Y: Matrix, { weights, noise }: State, q: number): Expected {
  const { rows: N, columns: D } = Y;
  const r = q + 1;
  const [products, across, all] = [new Float64Array(D * r * r), new Float64Array(D * r), new Float64Array(r * r)];
  const row = new Float64Array(r * r);
  let [logLikelihood, squares, entries] = [0, 0, 0];
  for (let i = 0; i < N; i++) {
    const own = rowPosterior(Y.data, i, D, weights, noise, q);
    logLikelihood += own.logDensity;
    for (let a = 0; a < r; a++)
      for (let b = 0; b < r; b++) {
        const covariance = a < q && b < q ? noise * own.inverse[a * q + b]! : 0;
        row[a * r + b] = own.mean[a]! * own.mean[b]! + covariance;
        all[a * r + b]! += row[a * r + b]!;
      }
    for (let d = 0; d < D; d++) {
      const y = Y.data[i * D + d]!;
      if (Number.isNaN(y)) continue;
      entries++;
      squares += y * y;
      for (let k = 0; k < r * r; k++) products[d * r * r + k]! += row[k]!;
      for (let a = 0; a < r; a++) across[d * r + a]! += y * own.mean[a]!;
    }
  }
  return { logLikelihood, products, across, squares, entries, all };
}

/** Parameters that maximize the expected log density, with the prior transformed back to N(0, I). */
function maximized({ products, across, squares, entries, all }: Expected, N: number, q: number): State {
  const r = q + 1;
  const D = across.length / r;
  const weights = new Float64Array(D * r);
  let explained = 0;
  for (let d = 0; d < D; d++) {
    const P = products.slice(d * r * r, (d + 1) * r * r);
    invert(P, r);
    for (let a = 0; a < r; a++) {
      let sum = 0;
      for (let b = 0; b < r; b++) sum += P[a * r + b]! * across[d * r + b]!;
      weights[d * r + a] = sum;
      explained += sum * across[d * r + a]!;
    }
  }
  const noise = Math.max((squares - explained) / entries, 1e-15 * (squares / entries));
  const center = Float64Array.from({ length: q }, (_, a) => all[a * r + q]! / N);
  const factor = new Float64Array(q * q);
  for (let a = 0; a < q; a++)
    for (let b = 0; b <= a; b++) {
      let sum = all[a * r + b]! / N - center[a]! * center[b]!;
      for (let c = 0; c < b; c++) sum -= factor[a * q + c]! * factor[b * q + c]!;
      factor[a * q + b] = a === b ? Math.sqrt(sum) : sum / factor[b * q + b]!;
    }
  const expanded = weights.map((entry, k) => {
    const [d, c] = [Math.floor(k / r), k % r];
    let sum = c === q ? entry : 0;
    for (let a = 0; a < q; a++) sum += weights[d * r + a]! * (c === q ? center[a]! : factor[a * q + c]!);
    return sum;
  });
  return { weights: expanded, noise };
}

/** Largest entry of Σ_n (y_nd·E[x̃] − E[x̃x̃ᵀ]w̃_d)/σ², by Fisher's identity, and its size relative to Σ_n y_nd·E[x̃]/σ². */
function largestSlope(
  { products, across }: Expected,
  { weights, noise }: State,
): Pick<IncompleteAxes, 'gradientNorm' | 'relativeGradient'> {
  const r = Math.round(products.length / across.length);
  let [largest, scale] = [0, 0];
  across.forEach((entry, k) => {
    const d = Math.floor(k / r);
    let rest = entry;
    for (let b = 0; b < r; b++) rest -= products[k * r + b]! * weights[d * r + b]!;
    largest = Math.max(largest, Math.abs(rest));
    scale = Math.max(scale, Math.abs(entry));
  });
  return { gradientNorm: largest / noise, relativeGradient: largest / scale };
}

/** Solution with axes along the principal directions of WWᵀ, with the entry of largest modulus in each latent column positive. */
function rotated(
  Y: Matrix,
  { weights, noise }: State,
  q: number,
): Pick<IncompleteAxes, 'W' | 'mean' | 'noise' | 'latents'> {
  const D = Y.columns;
  const r = q + 1;
  const gram = Matrix.zeros(q, q);
  for (let d = 0; d < D; d++)
    for (let a = 0; a < q; a++)
      for (let b = 0; b < q; b++) gram.data[a * q + b]! += weights[d * r + a]! * weights[d * r + b]!;
  const { vectors } = symmetricEigenpairs(gram);
  const turned = weights.map((entry, k) => {
    const [d, c] = [Math.floor(k / r), k % r];
    if (c === q) return entry;
    let sum = 0;
    for (let a = 0; a < q; a++) sum += weights[d * r + a]! * vectors.at(a, q - 1 - c);
    return sum;
  });
  const W = Matrix.zeros(D, q).map((_, d, c) => turned[d * r + c]!);
  const latents = Matrix.zeros(Y.rows, q);
  for (let i = 0; i < Y.rows; i++) {
    latents.data.set(rowPosterior(Y.data, i, D, turned, noise, q).mean.subarray(0, q), i * q);
  }
  for (let c = 0; c < q; c++) {
    const largest = latents.column(c).reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most), 0);
    if (largest >= 0) continue;
    for (const { data } of [W, latents]) for (let k = c; k < data.length; k += q) data[k] = -data[k]!;
  }
  return { W, mean: turned.filter((_, k) => k % r === q), noise, latents };
}
