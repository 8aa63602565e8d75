import { square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { seededRandom } from '../../core/random.ts';
import { product } from '../../engine/dense/products.ts';
import { turnOnto } from '../assessment/stability.ts';
import { essBulk, rHat } from './convergence.ts';
import { mean as average, sampleVariance } from './givenDraws.ts';

/** Chains that draw the same map, judged by their means. */
export interface LatentMode {
  /** Numbers of the chains, from 0. */
  readonly chains: readonly number[];
  /** Mean of their latents after alignment, N×q. */
  readonly mean: Matrix;
  /** Covariance of each point around the mean, q×q. */
  readonly covariances: readonly Matrix[];
}

/** Summary of the draws of free latents. */
export interface LatentDraws {
  /** Mean of the latents after alignment, N×q. */
  readonly mean: Matrix;
  /** Covariance of each point around the mean, q×q. */
  readonly covariances: readonly Matrix[];
  /** Latents of each draw, rotated onto the mean: chain by chain, draw by draw. */
  readonly aligned: readonly Matrix[];
  /** Largest R̂ of distances between points; R̂ of the latents themselves would measure how often they rotated. */
  readonly rHat: number;
  /** Smallest bulk ESS of these distances. */
  readonly essBulk: number;
  /** Largest split R̂ of these distances within each chain: far above 1, the chain has not explored even one map. */
  readonly chainRHat: Float64Array;
  /**
   * Groups of chains with the same map: mean distances of two chains of a group, or of a series of chains that links them, differ by less than a
   * standard deviation within a chain, root mean square over pairs of points. A single group means that there is one map, not that the chains have
   * mixed.
   */
  readonly modes: readonly LatentMode[];
}

/** Chains whose mean distances differ by this many standard deviations within a chain draw different maps. */
const APART = 1;

/** Maximum number of pairs of points whose distances are compared. */
const MOST_PAIRS = 300;

/**
 * Summary of latents whose density is invariant under rotation and reflection, as with a standard normal prior: aligned with their mean (orthogonal
 * Procrustes), with R̂ and ESS of distances, which are invariant.
 *
 * @param latents - N×q of each draw, chain by chain
 * @see Gower & Dijksterhuis, Procrustes Problems (2004)
 */
export function latentDraws(latents: readonly Matrix[], chains: number): LatentDraws {
  let target = latents[0]!;
  let aligned = latents;
  // Turned onto one draw, then onto the mean of that, which no draw is preferred by.
  for (let round = 0; round < 3; round++) {
    const onto = target;
    aligned = latents.map((X) => turned(X, onto));
    target = meanOf(aligned);
  }
  const { mean, covariances } = spreadOf(aligned);
  const distances = pairs(mean.rows).map(([i, j]) =>
    chainsOf(
      latents.map((X) => distance(X, i, j)),
      chains,
    ),
  );
  const length = latents.length / chains;
  const modes = groupsOf(distances, chains).map((group) => ({
    chains: group,
    ...spreadOf(ownMean(group.flatMap((c) => aligned.slice(c * length, (c + 1) * length)))),
  }));
  return Object.freeze({
    mean,
    covariances,
    aligned,
    rHat: Math.max(...distances.map(rHat)),
    essBulk: Math.min(...distances.map(essBulk)),
    chainRHat: Float64Array.from({ length: chains }, (_, c) => Math.max(...distances.map((own) => rHat([own[c]!])))),
    modes,
  });
}

/** Draws of a group rotated onto the group's mean: the mean of all chains may lie between maps. */
function ownMean(aligned: readonly Matrix[]): readonly Matrix[] {
  const target = meanOf(aligned);
  return aligned.map((X) => turned(X, target));
}

/**
 * Groups of chains linked by similar maps.
 *
 * @param distances - distances of each pair of points, chains × draws
 */
function groupsOf(distances: readonly (readonly number[][])[], chains: number): number[][] {
  const moments = distances.map((own) =>
    own.map((chain) => {
      const values = Float64Array.from(chain);
      return [average(values), sampleVariance(values)] as const;
    }),
  );
  const isLinked = (a: number, b: number) => {
    let [between, within] = [0, 0];
    for (const own of moments) {
      between += square(own[a]![0] - own[b]![0]);
      within += (own[a]![1] + own[b]![1]) / 2;
    }
    return between <= square(APART) * within;
  };
  const groups: number[][] = [];
  for (let c = 0; c < chains; c++) {
    const near = groups.filter((group) => group.some((other) => isLinked(other, c)));
    const joined = [...near.flat(), c];
    groups.splice(0, groups.length, ...groups.filter((group) => !near.includes(group)), joined);
  }
  return groups.map((group) => group.sort((a, b) => a - b)).sort((a, b) => a[0]! - b[0]!);
}

function chainsOf(values: readonly number[], chains: number): number[][] {
  const length = values.length / chains;
  return Array.from({ length: chains }, (_, c) => values.slice(c * length, (c + 1) * length));
}

function distance(X: Matrix, i: number, j: number): number {
  let sum = 0;
  for (let d = 0; d < X.columns; d++) sum += square(X.at(i, d) - X.at(j, d));
  return Math.sqrt(sum);
}

/** All pairs of points, or a subset. */
function pairs(N: number): (readonly [number, number])[] {
  const all = (N * (N - 1)) / 2;
  if (all <= MOST_PAIRS) {
    return Array.from({ length: N }, (_, i) => Array.from({ length: i }, (_, j) => [i, j] as const)).flat();
  }
  const random = seededRandom(0);
  return Array.from({ length: MOST_PAIRS }, () => {
    const i = random.integer(N);
    const j = random.integer(N - 1);
    return [i, j < i ? j : j + 1] as const;
  });
}

function meanOf(all: readonly Matrix[]): Matrix {
  return all[0]!.map((_, i, d) => all.reduce((mean, X) => mean + X.at(i, d) / all.length, 0));
}

/** X·R with the orthogonal R that brings it closest to a target. */
const turned = (X: Matrix, target: Matrix): Matrix => product(X, turnOnto(X, target));

/** Mean (n×q) of points over several draws, and the covariance of each point around it. */
export function spreadOf(all: readonly Matrix[]): { readonly mean: Matrix; readonly covariances: readonly Matrix[] } {
  const mean = meanOf(all);
  const { rows: N, columns: q } = mean;
  const covariances = Array.from({ length: N }, (_, n) => {
    const apart = (X: Matrix, d: number) => X.at(n, d) - mean.at(n, d);
    return Matrix.zeros(q, q).map((_, a, b) =>
      all.reduce((sum, X) => sum + (apart(X, a) * apart(X, b)) / (all.length - 1), 0),
    );
  });
  return { mean, covariances };
}
