import { exp, log } from '../../core/elementary/index.ts';
import { type Random, seededRandom, shuffled } from '../../core/random.ts';
import type { Graph } from '../graph/graph.ts';

/** Similarity of two points at distance d: w = 1/(1 + a·d^{2b}). */
export interface SimilarityCurve {
  readonly a: number;
  readonly b: number;
}

/** ε in 1 − w + ε·w, which keeps 1 − w away from 0 where points coincide. */
export const SOFTENING = 1e-3;

/** Up to this number of pairs all are summed; beyond it, each point is paired with a sample of the others. */
const MOST_PAIRS = 1e6;
/** Size of that sample. */
const MET = 100;

/**
 * Repulsion of two points, r·log(1 − w_ij): 'all' has r = 1 − v_ij for every pair; a number of negative samples per edge has their average repulsion,
 * r = samples·(v_i + v_j)/(2N) with v_i = Σ_j v_ij.
 */
export type Negatives = number | 'all';

/**
 * Σ_{i<j} v_ij·log w_ij + r_ij·log(1 − w_ij): the log likelihood of a graph whose edges exist with probabilities w_ij, where v_ij are the observed probabilities.
 * With more than a million pairs, those without an edge are a seeded sample, the same in every evaluation.
 *
 * @param graph - weights v_ij from 0 to 1
 * @param q - columns of X
 * @returns the function of X (N×q) that fills its gradient
 * @see McInnes, Healy & Melville 2018, §3; Damrich & Hamprecht 2021, Theorem 1 (average repulsion)
 */
export function edgeLikelihood(
  graph: Graph,
  q: number,
  curve: SimilarityCurve,
  negatives: Negatives,
): (X: Float64Array, gradient: Float64Array) => number {
  const { size: N, sources, targets, weights } = graph;
  const pairs = pairForces(q, curve);
  const charges = chargesOf(graph, negatives);
  const isSampled = (N * (N - 1)) / 2 > MOST_PAIRS;
  const meetings = isSampled ? sampledMeetings(N, seededRandom(0)) : undefined;
  return (X, gradient) => {
    gradient.fill(0);
    let sum = 0;
    for (let e = 0; e < sources.length; e++) {
      sum += pairs.attract(X, sources[e]!, targets[e]!, weights[e]!, gradient);
      // The sum over all pairs below includes the edges: their excess is subtracted here.
      if (negatives === 'all') sum += pairs.repel(X, sources[e]!, targets[e]!, -weights[e]!, gradient);
    }
    if (meetings === undefined) {
      for (let i = 0; i < N; i++) {
        for (let j = 0; j < i; j++) sum += pairs.repel(X, i, j, charges[i]! + charges[j]!, gradient);
      }
      return sum;
    }
    const factor = (N - 1) / (2 * MET);
    for (let m = 0; m < MET; m++) {
      for (let place = 0; place < N; place++) {
        const i = meetings.order[place]!;
        const j = meetings.order[(place + meetings.shifts[m]!) % N]!;
        sum += pairs.repel(X, i, j, factor * (charges[i]! + charges[j]!), gradient);
      }
    }
    return sum;
  };
}

/** Charge of each point: r_ij is the sum of the charges of i and j. */
export function chargesOf({ size: N, sources, targets, weights }: Graph, negatives: Negatives): Float64Array {
  if (negatives === 'all') return new Float64Array(N).fill(0.5);
  const charges = new Float64Array(N);
  for (let e = 0; e < weights.length; e++) {
    charges[sources[e]!]! += (negatives * weights[e]!) / (2 * N);
    charges[targets[e]!]! += (negatives * weights[e]!) / (2 * N);
  }
  return charges;
}

/** A random order of the points; each is paired with the points that follow it by each of the shifts, cyclically. */
function sampledMeetings(N: number, random: Random) {
  const order = shuffled(N, random);
  return { order, shifts: Int32Array.from({ length: MET }, () => 1 + random.integer(N - 1)) };
}

interface PairForces {
  /** Returns v·log w of a pair and adds its gradient. */
  attract(X: Float64Array, i: number, j: number, v: number, gradient: Float64Array): number;
  /** Returns r·log(1 − w + ε·w) of a pair and adds its gradient. */
  repel(X: Float64Array, i: number, j: number, r: number, gradient: Float64Array): number;
}

function pairForces(q: number, { a, b }: SimilarityCurve): PairForces {
  const squareOf = (X: Float64Array, i: number, j: number) => {
    let square = 0;
    for (let c = 0; c < q; c++) {
      const difference = X[i * q + c]! - X[j * q + c]!;
      square += difference * difference;
    }
    return square;
  };
  const push = (X: Float64Array, i: number, j: number, slope: number, gradient: Float64Array) => {
    for (let c = 0; c < q; c++) {
      const force = slope * (X[i * q + c]! - X[j * q + c]!);
      gradient[i * q + c]! += force;
      gradient[j * q + c]! -= force;
    }
  };
  return {
    attract(X, i, j, v, gradient) {
      const square = squareOf(X, i, j);
      if (square === 0) return 0;
      const power = a * exp(b * log(square));
      push(X, i, j, (-2 * v * b * power) / (square * (1 + power)), gradient);
      return -v * log(1 + power);
    },
    repel(X, i, j, r, gradient) {
      const square = squareOf(X, i, j);
      if (square === 0) return r * log(SOFTENING);
      const power = a * exp(b * log(square));
      const slope = ((1 - SOFTENING) * b * power) / (square * (power + SOFTENING) * (1 + power));
      push(X, i, j, 2 * r * slope, gradient);
      return r * log((power + SOFTENING) / (1 + power));
    },
  };
}
