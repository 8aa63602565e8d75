import { log } from '../../core/elementary/index.ts';
import type { Graph } from '../graph/graph.ts';
import { exactRepulsion, planarRepulsion, type Repulsion } from './studentRepulsion.ts';

/** Largest number of points whose pairs are all summed by default; in more than two dimensions they always are. */
const FEW_POINTS = 2500;

/** Method of summing the normalizer of similarities: over all 'pairs', by a 'grid' (in at most two dimensions), or depending on the number of points ('auto'). */
export type RepulsionSum = 'pairs' | 'grid' | 'auto';

export function repulsionOf(N: number, q: number, sum: RepulsionSum): Repulsion {
  const isExact = q > 2 || sum === 'pairs' || (sum === 'auto' && N <= FEW_POINTS);
  return isExact ? exactRepulsion(N, q) : planarRepulsion(N, q);
}

/**
 * KL(P‖Q) = Σ p·log p + Σ p·log(1 + d²) + log Z of the joint probabilities P of pairs, q_ij = (1 + d²_ij)⁻¹/Z.
 *
 * @param P - p_ij as the weight of the edge (i, j), half of the sum of P
 * @param q - columns of X
 * @returns the function of X (N×q) that fills its gradient
 * @see van der Maaten & Hinton 2008, eqs. 2–5
 */
export function studentDivergence(
  P: Graph,
  q: number,
  sum: RepulsionSum,
): (X: Float64Array, gradient: Float64Array) => number {
  const { size: N, weights } = P;
  const repulsion = repulsionOf(N, q, sum);
  const attraction = attractionOf(P, q);
  let negentropy = 0;
  let total = 0;
  for (const p of weights) {
    negentropy += 2 * p * log(p);
    total += 2 * p;
  }
  return (X, gradient) => {
    const Z = repulsion(X, gradient);
    for (let i = 0; i < N * q; i++) gradient[i]! *= total / Z;
    const lost = attraction.value(X);
    attraction.addGradient(X, 1, gradient);
    return negentropy + lost + total * log(Z);
  };
}

/** Σ p·log(1 + d²) over pairs, and its gradient times a factor. */
export interface Attraction {
  value(X: Float64Array): number;
  addGradient(X: Float64Array, factor: number, gradient: Float64Array): void;
}

export function attractionOf({ size: N, sources, targets, weights }: Graph, q: number): Attraction {
  const starts = new Int32Array(N + 1);
  for (const i of sources) starts[i + 1]!++;
  for (let i = 0; i < N; i++) starts[i + 1]! += starts[i]!;
  return {
    value(X) {
      let sum = 0;
      for (let e = 0; e < sources.length; e++) {
        const i = q * sources[e]!;
        const j = q * targets[e]!;
        let square = 1;
        for (let c = 0; c < q; c++) square += (X[i + c]! - X[j + c]!) * (X[i + c]! - X[j + c]!);
        sum += weights[e]! * log(square);
      }
      return 2 * sum;
    },
    addGradient: (X, factor, gradient) =>
      q === 2
        ? attractedInPlane(X, starts, targets, weights, 4 * factor, gradient)
        : attracted(X, q, starts, targets, weights, 4 * factor, gradient),
  };
}

function attractedInPlane(
  X: Float64Array,
  starts: Int32Array,
  targets: Int32Array,
  weights: Float64Array,
  factor: number,
  gradient: Float64Array,
): void {
  for (let i = 0; i < starts.length - 1; i++) {
    const x = X[2 * i]!;
    const y = X[2 * i + 1]!;
    let gx = 0;
    let gy = 0;
    for (let e = starts[i]!; e < starts[i + 1]!; e++) {
      const j = 2 * targets[e]!;
      const dx = x - X[j]!;
      const dy = y - X[j + 1]!;
      const slope = (factor * weights[e]!) / (1 + dx * dx + dy * dy);
      gx += slope * dx;
      gy += slope * dy;
      gradient[j]! -= slope * dx;
      gradient[j + 1]! -= slope * dy;
    }
    gradient[2 * i]! += gx;
    gradient[2 * i + 1]! += gy;
  }
}

function attracted(
  X: Float64Array,
  q: number,
  starts: Int32Array,
  targets: Int32Array,
  weights: Float64Array,
  factor: number,
  gradient: Float64Array,
): void {
  for (let i = 0; i < starts.length - 1; i++) {
    for (let e = starts[i]!; e < starts[i + 1]!; e++) {
      const j = targets[e]!;
      let square = 1;
      for (let c = 0; c < q; c++) {
        const difference = X[q * i + c]! - X[q * j + c]!;
        square += difference * difference;
      }
      const slope = (factor * weights[e]!) / square;
      for (let c = 0; c < q; c++) {
        const force = slope * (X[q * i + c]! - X[q * j + c]!);
        gradient[q * i + c]! += force;
        gradient[q * j + c]! -= force;
      }
    }
  }
}
