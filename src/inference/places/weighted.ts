import { exp, log, pow, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { stacked } from '../../core/rowMatrices.ts';
import { normalQuantile } from '../../engine/special/quantiles.ts';
import type { PlaceMode } from './modes.ts';
import type { DensityOfRows } from './search.ts';

/** Points that stand for what is known of the place of a row. */
const POINTS = 256;
/** The part of them that is drawn around all fitted points, so that no place is left out that the search did not find. */
const ANYWHERE = 0.375;
/** The Gaussians at the maxima are drawn this much wider, so that their tails are reached. */
const WIDER = 1.5;

/**
 * What is known of the places of rows as weighted points: most of them spread over the Gaussians at the maxima, widened, and the others over Gaussians around fitted points, each weighted by
 * the posterior density p(x|y*) over the density by which they are spread. Laplace's approximation holds near the maxima only: it is too narrow where the density has a long tail, or maxima
 * that no search found. Points are spread by a quasi-random sequence, the same for every row.
 *
 * @param density - of rows at points
 * @param modes - of each row, at least one
 * @param latents - the fitted points, N×q
 * @param length - a distance between neighbors
 * @returns for each row points whose weights add up to 1, without extent; the modes themselves where no point has a density
 * @see Roberts, The unreasonable effectiveness of quasirandom sequences (2018), for the sequence; Geweke, Bayesian inference by Monte Carlo integration (1989); Owen & Zhou, Safe and effective importance sampling (2000)
 */
export function* weightedPlaces(
  density: DensityOfRows,
  modes: readonly (readonly PlaceMode[])[],
  latents: Matrix,
  length: number,
): Generator<void, (readonly PlaceMode[])[], void> {
  const q = latents.columns;
  const noExtent = Matrix.zeros(q, q);
  const normals = spreadNormals(POINTS, q);
  const found: (readonly PlaceMode[])[] = [];
  for (const [row, own] of modes.entries()) {
    const proposal = proposalOf(own, latents, length, normals);
    const points = normals.map((_, s) => proposal.at(s));
    const { posterior } = density(stacked(points, q), new Array<number>(POINTS).fill(row));
    yield;
    const logWeights = points.map((point, s) => posterior[s]! - proposal.logDensity(point));
    const most = logWeights.reduce(
      (largest, weight) => (weight > largest ? weight : largest),
      Number.NEGATIVE_INFINITY,
    );
    if (!Number.isFinite(most)) {
      found.push(own);
      continue;
    }
    const weights = logWeights.map((weight) => (Number.isNaN(weight) ? 0 : exp(weight - most)));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    found.push(points.map((point, s) => ({ point, weight: weights[s]! / total, axes: noExtent })));
  }
  return found;
}

/** A mixture of the widened Gaussians at the maxima and of Gaussians around the fitted points, from which points are drawn in turn. */
function proposalOf(modes: readonly PlaceMode[], latents: Matrix, length: number, normals: readonly Float64Array[]) {
  const { rows: N, columns: q } = latents;
  const near = Math.round(POINTS * (1 - ANYWHERE));
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
      if (s >= near) {
        const center = latents.row(Math.floor(((s - near + 0.5) * N) / (POINTS - near)));
        return center.map((entry, d) => entry + length * normals[s]![d]!);
      }
      const part = (s + 0.5) / near;
      const found = shares.findIndex((share) => share >= part);
      const m = found < 0 ? modes.length - 1 : found;
      const { point, axes } = modes[m]!;
      // Each maximum has the sequence from its beginning: equal ones have equal points around them.
      const z = normals[s - (m === 0 ? 0 : Math.ceil(near * shares[m - 1]! - 0.5))]!;
      return point.map((entry, d) => z.reduce((sum, own, e) => sum + WIDER * own * axes.at(e, d), entry));
    },
    /** Up to a constant. */
    logDensity(x: Float64Array): number {
      let density = 0;
      for (const { point, weight, axes, squares, volume } of gaussians) {
        let apart = 0;
        for (let e = 0; e < q; e++) {
          let along = 0;
          for (let d = 0; d < q; d++) along += (x[d]! - point[d]!) * axes.at(e, d);
          apart += square(along / squares[e]!);
        }
        if (volume > 0) density += ((1 - ANYWHERE) * weight * exp(-apart / (2 * square(WIDER)))) / volume;
      }
      let around = 0;
      for (let i = 0; i < N; i++) {
        let apart = 0;
        for (let d = 0; d < q; d++) apart += square(x[d]! - latents.data[i * q + d]!);
        around += exp(-apart / (2 * square(length)));
      }
      return log(density + (ANYWHERE * around) / (N * pow(length, q)));
    },
  };
}

/** Standard normal points that fill space evenly: quantiles of the multiples of 1/φ, 1/φ², … modulo 1, φ > 1 the root of φ^(q+1) = φ + 1; every other one is the mirror image of that before it. */
function spreadNormals(count: number, q: number): Float64Array[] {
  let phi = 2;
  for (let step = 0; step < 60; step++) phi = pow(1 + phi, 1 / (q + 1));
  return Array.from({ length: count }, (_, s) => {
    const [n, sign] = [(s >> 1) + 1, s % 2 === 0 ? 1 : -1];
    return Float64Array.from({ length: q }, (_, d) => {
      const part = (0.5 + n * pow(phi, -(d + 1))) % 1;
      return sign * normalQuantile(Math.min(1 - 1e-9, Math.max(1e-9, part)));
    });
  });
}
