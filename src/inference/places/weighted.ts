import { exp, log, pow, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { seededRandom } from '../../core/random.ts';
import { rowsOf, stacked } from '../../core/rowMatrices.ts';
import { lgamma } from '../../engine/special/gamma.ts';
import { normalQuantile } from '../../engine/special/normal.ts';
import type { RowModel } from '../../model/rowModel.ts';
import { mean, sampleVariance } from '../sampling/givenDraws.ts';
import type { PlaceMode } from './modes.ts';
import type { DensityOfRows } from './search.ts';

/**
 * Fractions of the points that are drawn at the maxima and around all fitted points, so that positions that the search missed are covered. The rest
 * covers the whole space, with tails that bound the weights.
 */
const AT_MODES = 0.3;
const AROUND = 0.3;
const EVERYWHERE = 1 - AT_MODES - AROUND;
/** Widening factor of the Gaussians at the maxima, so that their tails are reached. */
const WIDER = 1.5;
/** Number of draws of p(x) that estimate its width. */
const PRIOR_DRAWS = 200;
/** Maximum number of entries of the covariances between points of a block of rows and fitted points: 16 MiB; there are matrices of about this width. */
const MOST_ENTRIES = 2 ** 21;
const WIDTH = 64;
/** Number of points that represent the position of a row, and the seed of their sequence. */
export interface SpreadSettings {
  readonly draws: number;
  readonly seed: number;
}

/** Quantities shared by the positions of all rows. */
export interface Surroundings {
  /** Fitted points, N×q. */
  readonly latents: Matrix;
  /** Draws of p(x), if it is normalized and can be sampled. */
  drawLatents?: RowModel['drawLatents'];
  /** Typical distance between neighbors. */
  readonly length: number;
  /** Largest standard deviation of a column. */
  readonly reach: number;
}

/** Posterior of the position of one row. */
export interface WeightedPlaces {
  /** Points without extent, whose weights add up to 1; the modes if no point has a density. */
  readonly places: readonly PlaceMode[];
  /** log p(y*) = log ∫ p(y*|x)·p(x) dx, if p(x) integrates to 1. */
  readonly logDensity: number;
  /** Standard error of the log density as if the points were drawn independently, which overestimates it. */
  readonly logDensityError: number;
  /** Effective number of independent draws, 1/Σw². */
  readonly effectiveSize: number;
}

/**
 * Posterior of the rows' positions as weighted points: three tenths are drawn from the widened Gaussians at the maxima, as many from Gaussians around
 * fitted points, and the others from a Student's t with two degrees of freedom, as wide as the density of the latents p(x) and the fitted points: its
 * tails bound the weights. The weights are the posterior density p(x|y*) over the proposal density. Laplace's approximation alone is valid only near
 * the maxima: it is too narrow if the density has a long tail, or maxima that the search missed. Points follow a quasi-random sequence, the same for every row.
 * Densities at the points are `close` ones, and those at points that rows share are computed once for many rows.
 *
 * @param density - density of rows at points
 * @param modes - modes of each row, at least one
 * @see Roberts, The unreasonable effectiveness of quasirandom sequences (2018), for the sequence; Geweke, Bayesian inference by Monte Carlo
 * integration (1989); Owen & Zhou, Safe and effective importance sampling (2000)
 */
export function* weightedPlaces(
  density: DensityOfRows,
  modes: readonly (readonly PlaceMode[])[],
  around: Surroundings,
  { draws, seed }: SpreadSettings,
): Generator<void, WeightedPlaces[], void> {
  const q = around.latents.columns;
  const shared = sharedProposal(around, spreadNormals(draws, q, seed), seed);
  const found: WeightedPlaces[] = [];
  // The points that all rows share are evaluated once a block.
  const rowsAtOnce = Math.max(1, Math.floor(MOST_ENTRIES / (draws * Math.max(WIDTH, AT_MODES * around.latents.rows))));
  for (let from = 0; from < modes.length; from += rowsAtOnce) {
    const proposals = modes.slice(from, from + rowsAtOnce).map((own) => proposalOf(own, shared));
    const { posterior } = density(
      stacked(
        proposals.flatMap(({ points }) => points),
        q,
      ),
      proposals.flatMap((_, r) => new Array<number>(draws).fill(from + r)),
      'close',
      true,
    );
    yield;
    proposals.forEach((proposal, r) => {
      found.push(weighted(proposal, posterior.subarray(r * draws, (r + 1) * draws), modes[from + r]!));
    });
  }
  return found;
}

/** Points drawn from a proposal, and its log density there. */
interface Proposal {
  readonly points: readonly Float64Array[];
  readonly logDensities: Float64Array;
}

/** The points weighted by a density. */
function weighted(
  { points, logDensities }: Proposal,
  posterior: Float64Array,
  modes: readonly PlaceMode[],
): WeightedPlaces {
  const draws = points.length;
  const q = points[0]!.length;
  const logWeights = posterior.map((own, s) => own - logDensities[s]!);
  const most = logWeights.reduce((largest, weight) => (weight > largest ? weight : largest), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(most))
    return { places: modes, logDensity: Number.NaN, logDensityError: Number.NaN, effectiveSize: 0 };
  const weights = logWeights.map((weight) => (Number.isNaN(weight) ? 0 : exp(weight - most)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const average = total / draws;
  const noExtent = Matrix.zeros(q, q);
  return {
    places: points.map((point, s) => ({ point, weight: weights[s]! / total, axes: noExtent })),
    logDensity: most + log(average),
    logDensityError: Math.sqrt(sampleVariance(weights) / draws) / average,
    effectiveSize: square(total) / weights.reduce((sum, weight) => sum + square(weight), 0),
  };
}

/** The part of a mixture that the proposals of all rows share. */
interface SharedProposal {
  readonly spread: SpreadPoints;
  /** Number of points around the maxima of a row, before those around fitted points and everywhere. */
  readonly near: number;
  readonly points: readonly Float64Array[];
  /** Density of the shared part, by its share. */
  density(x: Float64Array): number;
  /** The same at its points. */
  readonly densities: Float64Array;
}

/**
 * Gaussians around fitted points, and a Student's t that covers the whole space, with the center and scale of draws from p(x), at least as wide as
 * the fitted points.
 */
function sharedProposal(
  { latents, length, reach, drawLatents }: Surroundings,
  spread: SpreadPoints,
  seed: number,
): SharedProposal {
  const q = latents.columns;
  const { normals, scales } = spread;
  const drawn = drawLatents?.(PRIOR_DRAWS, seededRandom(seed)) ?? latents;
  const center = Float64Array.from({ length: q }, (_, d) => mean(drawn.column(d)));
  const widest = Math.max(reach, ...center.map((_, d) => Math.sqrt(sampleVariance(drawn.column(d)))));
  const scale = Number.isFinite(widest) ? widest : reach;
  const near = Math.round(normals.length * AT_MODES);
  const around = Math.round(normals.length * (AT_MODES + AROUND)) - near;
  const picked = Array.from({ length: around }, (_, s) => Math.floor(((s + 0.5) * latents.rows) / around));
  // The many fitted points that points are drawn around.
  const centers = latents.rows > around ? rowsOf(latents, picked) : latents;
  const share = AROUND / (centers.rows * pow(length, q));
  const constantOfTail = (EVERYWHERE * exp(lgamma(1 + q / 2))) / pow(scale, q);
  const density = (x: Float64Array) => {
    let gaussians = 0;
    for (let i = 0; i < centers.rows; i++) {
      let apart = 0;
      for (let d = 0; d < q; d++) apart += square(x[d]! - centers.data[i * q + d]!);
      gaussians += exp(-apart / (2 * square(length)));
    }
    const apart = x.reduce((sum, entry, d) => sum + square((entry - center[d]!) / scale), 0);
    return share * gaussians + constantOfTail * pow(1 + apart / 2, -(1 + q / 2));
  };
  const points = normals
    .slice(near)
    .map((own, s) =>
      s < around
        ? latents.row(picked[s]!).map((entry, d) => entry + length * own[d]!)
        : center.map((entry, d) => entry + scale * scales[near + s]! * own[d]!),
    );
  return { spread, near, points, density, densities: Float64Array.from(points, density) };
}

/** Points of the widened Gaussians at the maxima of a row and of the shared proposal, and the log density of this mixture there. */
function proposalOf(modes: readonly PlaceMode[], { spread, near, ...shared }: SharedProposal): Proposal {
  const q = modes[0]!.point.length;
  // Σ⁻¹ by the axes, which are orthogonal: coordinates along them in standard deviations.
  const gaussians = modes.map(({ point, weight, axes }) => {
    const squares = Array.from({ length: q }, (_, e) => axes.row(e).reduce((sum, entry) => sum + square(entry), 0));
    const volume = squares.reduce((product, own) => product * Math.sqrt(own), pow(WIDER, q));
    return { point, weight, axes: axes.data, squares, volume };
  });
  const shares = modes.map((_, m) => modes.slice(0, m + 1).reduce((sum, { weight }) => sum + weight, 0));
  const ownPoint = (s: number): Float64Array => {
    const part = (s + 0.5) / near;
    const found = shares.findIndex((share) => share >= part);
    const m = found < 0 ? modes.length - 1 : found;
    const { point, axes } = modes[m]!;
    // Each maximum has the sequence from its beginning: equal ones have equal points around them.
    const z = spread.normals[s - (m === 0 ? 0 : Math.ceil(near * shares[m - 1]! - 0.5))]!;
    return point.map((entry, d) => z.reduce((sum, own, e) => sum + WIDER * own * axes.at(e, d), entry));
  };
  const densityAtModes = (x: Float64Array): number => {
    let density = 0;
    for (const { point, weight, axes, squares, volume } of gaussians) {
      if (!(volume > 0)) continue;
      let apart = 0;
      for (let e = 0; e < q; e++) {
        let along = 0;
        for (let d = 0; d < q; d++) along += (x[d]! - point[d]!) * axes[e * q + d]!;
        apart += square(along / squares[e]!);
      }
      density += (AT_MODES * weight * exp(-apart / (2 * square(WIDER)))) / volume;
    }
    return density;
  };
  const own = Array.from({ length: near }, (_, s) => ownPoint(s));
  const points = [...own, ...shared.points];
  const logConstant = (-q / 2) * log(2 * Math.PI);
  return {
    points,
    logDensities: Float64Array.from(points, (x, s) => {
      const elsewhere = s < near ? shared.density(x) : shared.densities[s - near]!;
      return logConstant + log(densityAtModes(x) + elsewhere);
    }),
  };
}

/** Points spread evenly over a standard normal distribution, and factors that turn them into a Student's t with two degrees of freedom. */
interface SpreadPoints {
  readonly normals: readonly Float64Array[];
  readonly scales: Float64Array;
}

/**
 * Standard normal points that fill space evenly: quantiles of the multiples of 1/φ, 1/φ², … modulo 1, where φ > 1 is the root of φ^(q+2) = φ + 1;
 * every second point is the mirror image of the preceding one. A seed above 0 shifts the sequence.
 */
function spreadNormals(count: number, q: number, seed: number): SpreadPoints {
  const random = seededRandom(seed);
  const shift = Float64Array.from({ length: q + 1 }, () => (seed === 0 ? 0 : random.uniform()));
  let phi = 2;
  for (let step = 0; step < 60; step++) phi = pow(1 + phi, 1 / (q + 2));
  const part = (s: number, d: number) => {
    const fraction = (0.5 + shift[d]! + ((s >> 1) + 1) * pow(phi, -(d + 1))) % 1;
    return Math.min(1 - 1e-9, Math.max(1e-9, fraction));
  };
  return {
    normals: Array.from({ length: count }, (_, s) =>
      Float64Array.from({ length: q }, (_, d) => (s % 2 === 0 ? 1 : -1) * normalQuantile(part(s, d))),
    ),
    // √(2/χ²) with χ² = −2·log u, u uniform.
    scales: Float64Array.from({ length: count }, (_, s) => 1 / Math.sqrt(-log(part(s, q)))),
  };
}
