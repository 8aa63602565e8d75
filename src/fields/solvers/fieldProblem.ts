import type { EdgeList } from '../../engine/sparse/index.ts';
/** The dual of a maximum-entropy problem: max c/2·log|L(w) + λI| − ½·Σ w_e·φ_e over 0 ≤ w_e ≤ upper. */
export interface FieldProblem extends EdgeList {
  /** φ, one per edge. */
  readonly squaredDistances: Float64Array;
  /** λ > 0 */
  readonly basePrecision: number;
  /** c */
  readonly copies: number;
  /** 4C, may be Infinity. */
  readonly upper: number;
}

/** The problem restricted to some edges, with all other weights 0. */
export function restrictedTo(problem: FieldProblem, edges: ArrayLike<number>): FieldProblem {
  const count = edges.length;
  const sources = new Int32Array(count);
  const targets = new Int32Array(count);
  const squaredDistances = new Float64Array(count);
  for (let a = 0; a < count; a++) {
    sources[a] = problem.sources[edges[a]!]!;
    targets[a] = problem.targets[edges[a]!]!;
    squaredDistances[a] = problem.squaredDistances[edges[a]!]!;
  }
  return { ...problem, sources, targets, squaredDistances };
}

/** The weight at which an edge alone would meet its constraint, limited to its bound: min(c/φ_e, 4C). */
export function weightScale({ copies, upper }: FieldProblem, squaredDistance: number): number {
  return Math.min(copies / squaredDistance, upper);
}

/** These weights for all edges. */
export function weightScales(problem: FieldProblem): Float64Array {
  const scales = new Float64Array(problem.squaredDistances.length);
  for (let e = 0; e < scales.length; e++) scales[e] = weightScale(problem, problem.squaredDistances[e]!);
  return scales;
}

/**
 * Violation of the optimality conditions by an edge, from its gradient g = c/2·R − φ/2: positive if g > 0 and the weight can increase, negative if g
 * < 0 and it can decrease, 0 otherwise. In units of 2s/c with s = min(c/φ, 4C), so that it is the relative distance c·R/φ − 1 if s = c/φ.
 */
export function violationOf(
  problem: FieldProblem,
  weight: number,
  resistance: number,
  squaredDistance: number,
): number {
  const scale = weightScale(problem, squaredDistance);
  const violation = scale * (resistance - squaredDistance / problem.copies);
  if (weight <= 0 && violation < 0) return 0;
  if (weight >= problem.upper && violation > 0) return 0;
  return violation;
}

/** Largest violation over all edges: 0 if the Karush–Kuhn–Tucker conditions are met. */
export function kktResidual(problem: FieldProblem, weights: Float64Array, resistances: Float64Array): number {
  let largest = 0;
  for (let e = 0; e < weights.length; e++) {
    const violation = violationOf(problem, weights[e]!, resistances[e]!, problem.squaredDistances[e]!);
    largest = Math.max(largest, Math.abs(violation));
  }
  return largest;
}
