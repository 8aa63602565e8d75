import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { betaQuantile, normalQuantile } from '../../engine/special/normal.ts';
import { type ChainsLike, givenChains, mean, median, quantileOfSorted, sampleVariance, sorted } from './givenDraws.ts';

type Chains = readonly Float64Array[];

/**
 * R̂, the potential scale reduction factor: the larger of the factors of rank-normalized split chains and of their distances from the median. It is 1
 * for chains that agree; above 1.01 they have not mixed.
 *
 * @param draws - chains × draws, or the draws of one chain
 * @returns NaN for draws that are constant or not finite
 * @throws InvalidInputError for arguments other than chains of equal length
 * @see Vehtari, Gelman, Simpson, Carpenter & Bürkner, Rank-normalization, folding, and localization: an improved R̂, Bayesian Analysis 16 (2021)
 * @example
 * ```ts
 * rHat([[0.1, 0.3, -0.2, 0.4], [0.2, -0.1, 0.5, 0]]);
 * ```
 */
export function rHat(draws: ChainsLike): number {
  const { chains } = unitChains(draws, 'rHat');
  if (isDegenerate(chains)) return Number.NaN;
  const center = median(joined(chains));
  const folded = chains.map((chain) => chain.map((x) => Math.abs(x - center)));
  const [bulk, tail] = [chains, folded].map((of) => potentialScaleReduction(normalScores(split(of))));
  return Math.max(bulk!, tail!);
}

/**
 * Effective sample size of the bulk of a distribution, from rank-normalized split chains.
 *
 * @param draws - chains × draws, or the draws of one chain
 * @returns NaN for draws that are constant or not finite, or fewer than 6 per chain
 * @throws InvalidInputError for arguments other than chains of equal length
 * @see Vehtari et al. 2021, §4
 * @example
 * ```ts
 * essBulk(draws.values('mapping.noise'));
 * ```
 */
export const essBulk = (draws: ChainsLike): number => {
  const chains = givenChains(draws, 'essBulk');
  return isDegenerate(chains) ? Number.NaN : effectiveSize(normalScores(split(chains)));
};

/**
 * Effective sample size in the tails of a distribution: the smaller of the effective sample sizes of the 5 % and the 95 % quantile.
 *
 * @param draws - chains × draws, or the draws of one chain
 * @throws InvalidInputError for arguments other than chains of equal length
 * @see Vehtari et al. 2021, §4
 * @example
 * ```ts
 * essTail(draws.values('mapping.noise'));
 * ```
 */
export const essTail = (draws: ChainsLike): number => {
  const chains = givenChains(draws, 'essTail');
  return Math.min(sizeForQuantile(chains, 0.05), sizeForQuantile(chains, 0.95));
};

/**
 * Effective sample size for the mean, from split chains.
 *
 * @param draws - chains × draws, or the draws of one chain
 * @throws InvalidInputError for arguments other than chains of equal length
 * @example
 * ```ts
 * essMean(draws.values('mapping.noise'));
 * ```
 */
export const essMean = (draws: ChainsLike): number => effectiveSize(split(unitChains(draws, 'essMean').chains));

/**
 * Effective sample size for the standard deviation, from absolute distances from the mean.
 *
 * @param draws - chains × draws, or the draws of one chain
 * @throws InvalidInputError for arguments other than chains of equal length
 * @example
 * ```ts
 * essSd(draws.values('mapping.noise'));
 * ```
 */
export function essSd(draws: ChainsLike): number {
  const { chains } = unitChains(draws, 'essSd');
  const center = mean(joined(chains));
  return effectiveSize(split(chains.map((chain) => chain.map((x) => Math.abs(x - center)))));
}

/**
 * Effective sample size for a quantile, from the indicators x ≤ quantile.
 *
 * @param draws - chains × draws, or the draws of one chain
 * @param probability - probability of the quantile, in (0, 1)
 * @throws InvalidInputError for arguments other than chains of equal length, or a probability outside (0, 1)
 * @example
 * ```ts
 * essQuantile(draws.values('mapping.noise'), 0.5); // of the median
 * ```
 */
export function essQuantile(draws: ChainsLike, probability: number): number {
  return sizeForQuantile(givenChains(draws, 'essQuantile'), checkProbability(probability, 'essQuantile'));
}

/**
 * Monte Carlo standard error of the mean, sd/√ESS.
 *
 * @param draws - chains × draws, or the draws of one chain
 * @throws InvalidInputError for arguments other than chains of equal length
 * @example
 * ```ts
 * mcseMean(draws.values('mapping.noise'));
 * ```
 */
export function mcseMean(draws: ChainsLike): number {
  const { chains, unit } = unitChains(draws, 'mcseMean');
  return unit * Math.sqrt(sampleVariance(joined(chains)) / effectiveSize(split(chains)));
}

/**
 * Monte Carlo standard error of the standard deviation: the error of the variance, √((m₄ − m₂²)/ESS) with the central moments m of the draws, over 2·√m₂.
 *
 * @param draws - chains × draws, or the draws of one chain
 * @throws InvalidInputError for arguments other than chains of equal length
 * @see Kenney & Keeping, Mathematics of Statistics (1951), p. 141
 * @example
 * ```ts
 * mcseSd(draws.values('mapping.noise'));
 * ```
 */
export function mcseSd(draws: ChainsLike): number {
  const { chains, unit } = unitChains(draws, 'mcseSd');
  const center = mean(joined(chains));
  const squares = chains.map((chain) => chain.map((x) => (x - center) * (x - center)));
  const second = mean(joined(squares));
  const fourth = mean(joined(squares).map((x) => x * x));
  return unit * Math.sqrt((fourth - second * second) / effectiveSize(split(squares)) / (4 * second));
}

/**
 * Monte Carlo standard error of a quantile: half the distance of the draws at the 16 % and 84 % quantiles of the beta distribution of the quantile.
 *
 * @param draws - chains × draws, or the draws of one chain
 * @param probability - probability of the quantile, in (0, 1)
 * @throws InvalidInputError for arguments other than chains of equal length, or a probability outside (0, 1)
 * @see Vehtari et al. 2021, §4.4
 * @example
 * ```ts
 * mcseQuantile(draws.values('mapping.noise'), 0.95);
 * ```
 */
export function mcseQuantile(draws: ChainsLike, probability: number): number {
  const { chains, unit } = unitChains(draws, 'mcseQuantile');
  const p = checkProbability(probability, 'mcseQuantile');
  const size = sizeForQuantile(chains, p);
  if (Number.isNaN(size)) return size;
  const values = sorted(joined(chains));
  const S = values.length;
  const place = (at: number) => betaQuantile(at, size * p + 1, size * (1 - p) + 1) * S;
  const lower = values[Math.max(Math.floor(place(0.1586553)), 1) - 1]!;
  const upper = values[Math.min(Math.ceil(place(0.8413447)), S) - 1]!;
  return unit * ((upper - lower) / 2);
}

function checkProbability(probability: number, caller: string): number {
  if (typeof probability === 'number' && probability > 0 && probability < 1) return probability;
  throw new InvalidInputError(
    `${caller} takes the probability of a quantile between 0 and 1, such as 0.5, but ${describe(probability)} was given.`,
  );
}

function sizeForQuantile(chains: Chains, probability: number): number {
  if (isDegenerate(chains)) return Number.NaN;
  const quantile = quantileOfSorted(sorted(joined(chains)), probability);
  return effectiveSize(split(chains.map((chain) => chain.map((x) => (x <= quantile ? 1 : 0)))));
}

/**
 * Chains divided by a power of two, so that the largest draw is between ½ and 1 and squares neither overflow nor underflow; a power of two changes no
 * digit of a draw.
 */
function unitChains(draws: ChainsLike, caller: string): { readonly chains: Chains; readonly unit: number } {
  const chains = givenChains(draws, caller);
  const largest = chains.reduce((most, chain) => chain.reduce((own, x) => Math.max(own, Math.abs(x)), most), 0);
  if (!(largest > 0 && largest < Infinity)) return { chains, unit: 1 };
  const unit = 2 ** Math.max(-1022, Math.min(1023, Math.ceil(log(largest) / Math.LN2)));
  return { chains: chains.map((chain) => chain.map((x) => x / unit)), unit };
}

/** True if the draws carry no information on convergence: all are equal, or some are not finite. */
function isDegenerate(chains: Chains): boolean {
  const first = chains[0]![0]!;
  return (
    chains.some((chain) => chain.some((x) => !Number.isFinite(x))) || chains.every((c) => c.every((x) => x === first))
  );
}

/** Both halves of each chain, without the middle draw of an odd number. */
function split(chains: Chains): Chains {
  const length = chains[0]!.length;
  if (length === 1) return chains;
  const half = Math.floor(length / 2);
  return [...chains.map((chain) => chain.subarray(0, half)), ...chains.map((chain) => chain.subarray(length - half))];
}

export function joined(chains: Chains): Float64Array {
  const length = chains[0]!.length;
  const all = new Float64Array(chains.length * length);
  chains.forEach((chain, c) => {
    all.set(chain, c * length);
  });
  return all;
}

/** Normal scores Φ⁻¹((r − 3/8)/(S + 1/4)) of the ranks r among all S draws, with mean ranks for ties. */
function normalScores(chains: Chains): Chains {
  const all = joined(chains);
  const order = Int32Array.from(all.keys()).sort((a, b) => all[a]! - all[b]!);
  const scores = new Float64Array(all.length);
  for (let first = 0; first < order.length; ) {
    let last = first;
    while (last + 1 < order.length && all[order[last + 1]!] === all[order[first]!]) last++;
    const rank = 1 + (first + last) / 2;
    const score = normalQuantile((rank - 0.375) / (all.length + 0.25));
    for (let k = first; k <= last; k++) scores[order[k]!] = score;
    first = last + 1;
  }
  const length = chains[0]!.length;
  return chains.map((_, c) => scores.subarray(c * length, (c + 1) * length));
}

/** R̂ = √((B/W + n − 1)/n) of untransformed chains. */
function potentialScaleReduction(chains: Chains): number {
  const n = chains[0]!.length;
  if (isDegenerate(chains)) return Number.NaN;
  const between = n * sampleVariance(Float64Array.from(chains, mean));
  const within = mean(Float64Array.from(chains, sampleVariance));
  return Math.sqrt((between / within + n - 1) / n);
}

/**
 * Effective sample size of untransformed chains, by Geyer's initial monotone sequence of autocorrelations, capped at S·log₁₀S.
 *
 * @returns NaN for fewer than 3 draws per chain, and for draws that are constant or not finite
 */
function effectiveSize(chains: Chains): number {
  const n = chains[0]!.length;
  if (n < 3 || isDegenerate(chains)) return Number.NaN;
  const means = Float64Array.from(chains, mean);
  const centered = chains.map((chain, c) => chain.map((x) => x - means[c]!));
  // Lags are computed one after the other until the sequence ends, mostly after a few: cheaper than a Fourier transform of all.
  const autocovariance = (lag: number) => {
    let sum = 0;
    for (const chain of centered) for (let i = 0; i + lag < n; i++) sum += chain[i]! * chain[i + lag]!;
    return sum / (n * chains.length);
  };
  const within = (autocovariance(0) * n) / (n - 1);
  const total = (within * (n - 1)) / n + (chains.length > 1 ? sampleVariance(means) : 0);
  const correlation = (lag: number) => 1 - (within - autocovariance(lag)) / total;
  const rho = new Float64Array(n);
  let even = 1;
  let odd = correlation(1);
  rho[0] = even;
  rho[1] = odd;
  let t = 0;
  while (t < n - 5 && even + odd > 0) {
    t += 2;
    even = correlation(t);
    odd = correlation(t + 1);
    if (even + odd >= 0) {
      rho[t] = even;
      rho[t + 1] = odd;
    }
  }
  const last = t;
  if (even > 0) rho[last] = even;
  for (t = 2; t <= last - 2; t += 2) {
    if (rho[t]! + rho[t + 1]! <= rho[t - 2]! + rho[t - 1]!) continue;
    rho[t] = (rho[t - 2]! + rho[t - 1]!) / 2;
    rho[t + 1] = rho[t]!;
  }
  let time = -1 + rho[last]!;
  for (let k = 0; k < last; k++) time += 2 * rho[k]!;
  const S = chains.length * n;
  return S / Math.max(time, Math.LN10 / log(S));
}
