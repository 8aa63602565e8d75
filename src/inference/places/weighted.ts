import { exp, log, pow, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { seededRandom } from '../../core/random.ts';
import { stacked } from '../../core/rowMatrices.ts';
import { lgamma } from '../../engine/special/gamma.ts';
import { normalQuantile } from '../../engine/special/quantiles.ts';
import type { RowModel } from '../../model/rowModel.ts';
import { mean, sampleVariance } from '../sampling/givenDraws.ts';
import type { PlaceMode } from './modes.ts';
import type { DensityOfRows } from './search.ts';

/** The parts of the points that are drawn at the maxima and around all fitted points, so that no place is left out that the search did not find. The rest covers all places, with tails that bound the weights. */
const AT_MODES = 0.3;
const AROUND = 0.3;
const EVERYWHERE = 1 - AT_MODES - AROUND;
/** The Gaussians at the maxima are drawn this much wider, so that their tails are reached. */
const WIDER = 1.5;
/** Draws of p(x) that say how wide it is. */
const PRIOR_DRAWS = 200;
/** How many points stand for the place of a row, and the seed of the sequence by which they are spread. */
export interface SpreadSettings {
  readonly draws: number;
  readonly seed: number;
}

/** What the places of all rows have in common. */
export interface Surroundings {
  /** The fitted points, N×q. */
  readonly latents: Matrix;
  /** Draws of p(x), where it is normalized and has draws. */
  drawLatents?: RowModel['drawLatents'];
  /** A distance between neighbors. */
  readonly length: number;
  /** The largest standard deviation of a column. */
  readonly reach: number;
}

/** The posterior of the place of one row. */
export interface WeightedPlaces {
  /** Points without extent, whose weights add up to 1; the modes where no point has a density. */
  readonly places: readonly PlaceMode[];
  /** log p(y*) = log ∫ p(y*|x)·p(x) dx, where p(x) integrates to 1. */
  readonly logDensity: number;
  /** Its standard error, as if the points were drawn independently, which they exceed in accuracy. */
  readonly logDensityError: number;
  /** Number of independent draws of the posterior that the points are worth, 1/Σw². */
  readonly effectiveSize: number;
}

/**
 * What is known of the places of rows as weighted points: three tenths of them spread over the Gaussians at the maxima, widened, as many over Gaussians around fitted points, and the others over
 * Student's t with two degrees of freedom, as wide as the density of the latents p(x) and the fitted points: its tails bound the weights. Each is weighted by the posterior density p(x|y*) over the density by which they are spread. Laplace's approximation holds near the maxima only: it is too narrow where the density has a long tail, or maxima
 * that no search found. Points are spread by a quasi-random sequence, the same for every row.
 *
 * @param density - of rows at points
 * @param modes - of each row, at least one
 * @see Roberts, The unreasonable effectiveness of quasirandom sequences (2018), for the sequence; Geweke, Bayesian inference by Monte Carlo integration (1989); Owen & Zhou, Safe and effective importance sampling (2000)
 */
export function* weightedPlaces(
  density: DensityOfRows,
  modes: readonly (readonly PlaceMode[])[],
  around: Surroundings,
  { draws, seed }: SpreadSettings,
): Generator<void, WeightedPlaces[], void> {
  const q = around.latents.columns;
  const noExtent = Matrix.zeros(q, q);
  const spread = spreadNormals(draws, q, seed);
  const everywhere = everywhereOf(around, seed);
  const found: WeightedPlaces[] = [];
  for (const [row, own] of modes.entries()) {
    const proposal = proposalOf(own, around, spread, everywhere);
    const points = spread.normals.map((_, s) => proposal.at(s));
    const { posterior } = density(stacked(points, q), new Array<number>(draws).fill(row));
    yield;
    const logWeights = Float64Array.from(points, (point, s) => posterior[s]! - proposal.logDensity(point));
    const most = logWeights.reduce(
      (largest, weight) => (weight > largest ? weight : largest),
      Number.NEGATIVE_INFINITY,
    );
    if (!Number.isFinite(most)) {
      found.push({ places: own, logDensity: Number.NaN, logDensityError: Number.NaN, effectiveSize: 0 });
      continue;
    }
    const weights = logWeights.map((weight) => (Number.isNaN(weight) ? 0 : exp(weight - most)));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const average = total / draws;
    found.push({
      places: points.map((point, s) => ({ point, weight: weights[s]! / total, axes: noExtent })),
      logDensity: most + log(average),
      logDensityError: Math.sqrt(sampleVariance(weights) / draws) / average,
      effectiveSize: square(total) / weights.reduce((sum, weight) => sum + square(weight), 0),
    });
  }
  return found;
}

/** Center and scale of the Student's t that covers all places: those of draws of p(x), and no less than the fitted points. */
function everywhereOf({ latents, reach, drawLatents }: Surroundings, seed: number) {
  const drawn = drawLatents?.(PRIOR_DRAWS, seededRandom(seed)) ?? latents;
  const center = Float64Array.from({ length: latents.columns }, (_, d) => mean(drawn.column(d)));
  const scale = Math.max(reach, ...center.map((_, d) => Math.sqrt(sampleVariance(drawn.column(d)))));
  return { center, scale: Number.isFinite(scale) ? scale : reach };
}

/** A mixture of the widened Gaussians at the maxima, of Gaussians around the fitted points, and of Student's t about all of them, from which points are drawn in turn. */
function proposalOf(
  modes: readonly PlaceMode[],
  { latents, length }: Surroundings,
  { normals, scales }: SpreadPoints,
  { center, scale }: ReturnType<typeof everywhereOf>,
) {
  const { rows: N, columns: q } = latents;
  const count = normals.length;
  const near = Math.round(count * AT_MODES);
  const around = Math.round(count * (AT_MODES + AROUND));
  const logConstant = (-q / 2) * log(2 * Math.PI);
  const constantOfTail = exp(lgamma(1 + q / 2)) / pow(scale, q);
  // Σ⁻¹ by the axes, which are orthogonal: coordinates along them in standard deviations.
  const gaussians = modes.map(({ point, weight, axes }) => {
    const squares = Array.from({ length: q }, (_, e) => axes.row(e).reduce((sum, entry) => sum + square(entry), 0));
    const volume = squares.reduce((product, own) => product * Math.sqrt(own), pow(WIDER, q));
    return { point, weight, axes, squares, volume };
  });
  const shares = modes.map((_, m) => modes.slice(0, m + 1).reduce((sum, { weight }) => sum + weight, 0));
  return {
    /** Point s of all. */
    at(s: number): Float64Array {
      if (s >= around) return center.map((entry, d) => entry + scale * scales[s]! * normals[s]![d]!);
      if (s >= near) {
        const from = latents.row(Math.floor(((s - near + 0.5) * N) / (around - near)));
        return from.map((entry, d) => entry + length * normals[s]![d]!);
      }
      const part = (s + 0.5) / near;
      const found = shares.findIndex((share) => share >= part);
      const m = found < 0 ? modes.length - 1 : found;
      const { point, axes } = modes[m]!;
      // Each maximum has the sequence from its beginning: equal ones have equal points around them.
      const z = normals[s - (m === 0 ? 0 : Math.ceil(near * shares[m - 1]! - 0.5))]!;
      return point.map((entry, d) => z.reduce((sum, own, e) => sum + WIDER * own * axes.at(e, d), entry));
    },
    logDensity(x: Float64Array): number {
      let density = 0;
      for (const { point, weight, axes, squares, volume } of gaussians) {
        let apart = 0;
        for (let e = 0; e < q; e++) {
          let along = 0;
          for (let d = 0; d < q; d++) along += (x[d]! - point[d]!) * axes.at(e, d);
          apart += square(along / squares[e]!);
        }
        if (volume > 0) density += (AT_MODES * weight * exp(-apart / (2 * square(WIDER)))) / volume;
      }
      let gaussiansAround = 0;
      for (let i = 0; i < N; i++) {
        let apart = 0;
        for (let d = 0; d < q; d++) apart += square(x[d]! - latents.data[i * q + d]!);
        gaussiansAround += exp(-apart / (2 * square(length)));
      }
      const apart = x.reduce((sum, entry, d) => sum + square((entry - center[d]!) / scale), 0);
      const tail = constantOfTail * pow(1 + apart / 2, -(1 + q / 2));
      return logConstant + log(density + (AROUND * gaussiansAround) / (N * pow(length, q)) + EVERYWHERE * tail);
    },
  };
}

/** Points spread evenly over a standard normal distribution, and factors by which they are of Student's t with two degrees of freedom. */
interface SpreadPoints {
  readonly normals: readonly Float64Array[];
  readonly scales: Float64Array;
}

/** Standard normal points that fill space evenly: quantiles of the multiples of 1/φ, 1/φ², … modulo 1, φ > 1 the root of φ^(q+2) = φ + 1; every other one is the mirror image of that before it. A seed above 0 shifts the sequence. */
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
