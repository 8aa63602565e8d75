import { exp, log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { checkAllPairs } from '../../core/observations.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import type { Graph } from '../graph/graph.ts';
import { type Metric, metricNeighborsInParts, type Neighbors } from '../neighbors/index.ts';

/**
 * Weights of points' neighbors as one graph: the weights w_ij and w_ji between two points become `join(w_ij, w_ji)`, where a point that is not among
 * the neighbors of the other has weight 0. Pairs of weight 0 are omitted.
 *
 * @param neighbors - k neighbors of each of N points, row by row
 * @param weights - N×k, from 0
 */
export function joinedWeights(
  N: number,
  neighbors: Int32Array,
  weights: Float64Array,
  join: (one: number, other: number) => number,
): Graph {
  const k = neighbors.length / N;
  const byTarget = sortedBy(N, neighbors.length, (p) => Math.max(Math.floor(p / k), neighbors[p]!));
  const order = sortedBy(N, neighbors.length, (p) => Math.min(Math.floor(p / k), neighbors[p]!), byTarget);
  const sources = new Int32Array(order.length);
  const targets = new Int32Array(order.length);
  const joined = new Float64Array(order.length);
  let edges = 0;
  for (let at = 0; at < order.length; ) {
    const p = order[at++]!;
    const [i, j] = [Math.floor(p / k), neighbors[p]!];
    let other = 0;
    if (at < order.length) {
      const next = order[at]!;
      if (Math.floor(next / k) === j && neighbors[next] === i) {
        other = weights[next]!;
        at++;
      }
    }
    const weight = join(weights[p]!, other);
    if (!(weight > 0)) continue;
    sources[edges] = Math.min(i, j);
    targets[edges] = Math.max(i, j);
    joined[edges++] = weight;
  }
  return {
    size: N,
    sources: sources.slice(0, edges),
    targets: targets.slice(0, edges),
    weights: joined.slice(0, edges),
  };
}

/** Indices sorted by their keys, 0 … N − 1 (stable). */
function sortedBy(N: number, count: number, keyOf: (p: number) => number, before?: Int32Array): Int32Array {
  const starts = new Int32Array(N + 1);
  for (let p = 0; p < count; p++) starts[keyOf(p) + 1]!++;
  for (let key = 0; key < N; key++) starts[key + 1]! += starts[key]!;
  const order = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    const p = before === undefined ? at : before[at]!;
    order[starts[keyOf(p)]!++] = p;
  }
  return order;
}

/**
 * Conditional probabilities of neighbors, p_j|i ∝ exp(−b_i·‖y_i − y_j‖²), with b_i such that the entropy of p_·|i is the logarithm of the perplexity,
 * or as close to it as coincident neighbors allow.
 *
 * @returns n×k
 * @see van der Maaten & Hinton 2008, eq. 1
 */
export function perplexityWeights({ distances }: Neighbors, k: number, perplexity: number): Float64Array {
  const weights = new Float64Array(distances.length);
  const target = log(perplexity);
  const excess = new Float64Array(k);
  for (let from = 0; from < distances.length; from += k) {
    let mean = 0;
    const nearest = distances[from]! * distances[from]!;
    for (let p = 0; p < k; p++) {
      excess[p] = distances[from + p]! * distances[from + p]! - nearest;
      mean += excess[p]! / k;
    }
    calibrate(excess, weights.subarray(from, from + k), target, mean);
  }
  return weights;
}

const MOST_STEPS = 100;

/** p ∝ exp(−b·excess) with a prescribed entropy, by Newton's steps in log b, bisecting the bracket if they leave it. */
function calibrate(excess: Float64Array, p: Float64Array, target: number, mean: number): void {
  if (mean === 0) {
    p.fill(1 / p.length);
    return;
  }
  let low = -log(mean) - 50;
  let high = -log(mean) + 50;
  let at = -log(mean);
  for (let step = 0; step < MOST_STEPS; step++) {
    const b = exp(at);
    let [total, first, second] = [0, 0, 0];
    for (let n = 0; n < p.length; n++) {
      const own = exp(-b * excess[n]!);
      p[n] = own;
      total += own;
      first += own * excess[n]!;
      second += own * excess[n]! * excess[n]!;
    }
    const moment = first / total;
    for (let n = 0; n < p.length; n++) p[n]! /= total;
    const surplus = log(total) + b * moment - target;
    if (Math.abs(surplus) < 1e-13 || high - low < 1e-14 * Math.max(1, Math.abs(at))) return;
    if (surplus > 0) low = at;
    else high = at;
    // dH/d(log b) = −b²·Var
    const next = at + surplus / (b * b * (second / total - moment * moment));
    at = next > low && next < high ? next : (low + high) / 2;
  }
}

/**
 * Memberships of neighbors, exp(−max(0, d_ij − ρ_i)/σ_i) with ρ_i the smallest distance above 0 and σ_i such that they sum to log₂ k.
 *
 * @returns n×k
 * @see McInnes, Healy & Melville 2018, §3.1
 */
export function memberships({ distances }: Neighbors, k: number): Float64Array {
  const weights = new Float64Array(distances.length);
  const target = log(Math.max(k, 1.5)) / Math.LN2;
  const overall = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
  for (let from = 0; from < distances.length; from += k) {
    const own = distances.subarray(from, from + k);
    const nearest = own.find((distance) => distance > 0) ?? 0;
    const mean = own.reduce((sum, distance) => sum + distance, 0) / k;
    const sigma = widthOf(own, nearest, target);
    const width = Math.max(sigma, LEAST_WIDTH * (nearest > 0 ? mean : overall), Number.MIN_VALUE);
    for (let p = 0; p < k; p++) weights[from + p] = exp(-Math.max(0, own[p]! - nearest) / width);
  }
  return weights;
}

/** Least width relative to the mean distance. */
const LEAST_WIDTH = 1e-3;

function widthOf(distances: Float64Array, nearest: number, target: number): number {
  let [low, high, width] = [0, Infinity, Math.max(distances.at(-1)! - nearest, Number.MIN_VALUE)];
  for (let step = 0; step < MOST_STEPS && high - low > 1e-12 * width; step++) {
    let sum = 0;
    for (let p = 0; p < distances.length; p++) {
      const beyond = distances[p]! - nearest;
      sum += beyond > 0 ? exp(-beyond / width) : 1;
    }
    if (Math.abs(sum - target) < 1e-10) break;
    if (sum > target) high = width;
    else low = width;
    width = high === Infinity ? 2 * width : (low + high) / 2;
  }
  return width;
}

/**
 * a and b of the similarity 1/(1 + a·d^{2b}) that best approximates, by least squares up to three times the spread, the function that is 1 up to the
 * minimum distance and exp(−(d − minDist)/spread) beyond.
 *
 * @see McInnes, Healy & Melville 2018, §3.2
 */
export function similarityCurve(minDist: number, spread: number): { readonly a: number; readonly b: number } {
  const distances = Float64Array.from({ length: 300 }, (_, n) => (3 * spread * n) / 299);
  const wanted = distances.map((d) => (d < minDist ? 1 : exp(-(d - minDist) / spread)));
  /** Normal equations of the residuals in (log a, log b). */
  const at = (a: number, b: number) => {
    let [loss, aa, ab, bb, ga, gb] = [0, 0, 0, 0, 0, 0];
    distances.forEach((d, n) => {
      const power = d === 0 ? 0 : a * exp(2 * b * log(d));
      const value = 1 / (1 + power);
      const r = value - wanted[n]!;
      const inA = -value * value * power;
      const inB = d === 0 ? 0 : inA * 2 * b * log(d);
      loss += r * r;
      aa += inA * inA;
      ab += inA * inB;
      bb += inB * inB;
      ga += inA * r;
      gb += inB * r;
    });
    return { loss, aa, ab, bb, ga, gb };
  };
  let [a, b, damping] = [1, 1, 1e-3];
  let now = at(a, b);
  for (let step = 0; step < 200 && damping < 1e12; step++) {
    const { aa, ab, bb, ga, gb } = now;
    const [p, r] = [aa * (1 + damping), bb * (1 + damping)];
    const determinant = p * r - ab * ab;
    const [nextA, nextB] = [a * exp(-(r * ga - ab * gb) / determinant), b * exp(-(p * gb - ab * ga) / determinant)];
    const next = at(nextA, nextB);
    if (next.loss < now.loss) {
      [a, b, now] = [nextA, nextB, next];
      damping /= 10;
    } else damping *= 10;
  }
  return { a, b };
}

/** Range of the probabilities of pairs. */
export interface NeighborOptions {
  readonly perplexity?: number;
  readonly neighbors: number | 'all' | 'auto';
  /** Default Euclidean. */
  readonly metric?: Metric;
}

export const perplexityFor = (N: number) => Math.min(30, Math.max(4 / 3, (N - 1) / 3));

/** Largest number of points with probabilities for all pairs by default. */
const FEW_POINTS = 1000;

/**
 * Joint probabilities of pairs of points as the edges of a graph, p_ij = (p_j|i + p_i|j)/(2N) with p_j|i ∝ exp(−b_i·‖y_i − y_j‖²) among the neighbors
 * of i, and b_i such that the entropy of p_·|i is the logarithm of the perplexity. The weights sum to ½.
 *
 * @throws InvalidInputError unless the perplexity is above 1, below N − 1, and below the number of neighbors
 * @see van der Maaten & Hinton 2008, eqs. 1 and §3.1; van der Maaten 2014, §3 (neighbors)
 */
export function* jointProbabilities(
  Y: Matrix,
  { perplexity = perplexityFor(Y.rows), neighbors, metric = 'euclidean' }: NeighborOptions,
  who = "prior 'tsne'",
): ProgressiveWork<Graph> {
  const N = Y.rows;
  if (N < 3) {
    throw new InvalidInputError(
      `The ${who} takes at least 3 points, but there are ${N}: the other point is always the only neighbor. Give more points, or take gplvm.`,
    );
  }
  if (!(perplexity > 1 && perplexity < N - 1)) {
    throw new InvalidInputError(
      `The perplexity of ${who} must be above 1 and less than ${N - 1}, the number of other points, but ${perplexity} was given. Give ${Number(perplexityFor(N).toPrecision(3))}, or leave it out.`,
    );
  }
  const near = neighbors === 'auto' && N > FEW_POINTS ? Math.ceil(3 * perplexity) : neighbors;
  const k = typeof near === 'number' ? Math.min(near, N - 1) : N - 1;
  if (k === N - 1) checkAllPairs(`The ${who}`, N, 'Give it fewer points, or neighbors, such as 90.');
  if (!(perplexity < k)) {
    throw new InvalidInputError(
      `A perplexity of ${perplexity} takes more than ${k} neighbors of each point in the ${who}. Give about ${Math.ceil(3 * perplexity)} neighbors, or a smaller perplexity.`,
    );
  }
  const found = yield* metricNeighborsInParts(metric, Y, k);
  return joinedWeights(N, found.indices, perplexityWeights(found, k, perplexity), (p, q) => (p + q) / (2 * N));
}
