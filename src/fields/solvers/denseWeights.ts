import { square } from '../../core/elementary/index.ts';
import { spanningTree } from '../../engine/graph/connectedComponents.ts';
import { boundedNewton } from '../../inference/solvers/boundedNewton.ts';
import type { Solver } from '../../model/solver.ts';
import { type FieldProblem, weightScale } from './fieldProblem.ts';

/** Largest violation of the optimality conditions at a maximum. */
export const CONVERGED = 1e-8;

/** The solver for the weights of a field with a dense covariance, in w/min(c/φ, 4C). */
export function denseWeightsSolver(problem: FieldProblem): Solver {
  return boundedNewton({ unit: problem.copies / 2, first: () => firstWeights(problem) });
}

/**
 * Initial weights, in units of min(c/φ, 4C). First come the edges of a minimum spanning tree, each with the weight w = c/φ at which it alone meets
 * its constraint: except for λ, this is the maximum on the tree. If weights are bounded, points have many edges at the bound; the other pairs
 * therefore follow, nearest first, each with the weight at which c·R = φ for R = 1/Q_ii + 1/Q_jj, an approximation of their resistance.
 *
 * @see von Luxburg, Radl & Hein, J. Mach. Learn. Res. 15 (2014), on resistances in graphs of many edges
 */
export function firstWeights(problem: FieldProblem): Float64Array {
  const { size, sources, targets, squaredDistances, basePrecision, copies, upper } = problem;
  const first = new Float64Array(squaredDistances.length);
  const precisions = new Float64Array(size).fill(basePrecision);
  const add = (e: number, weight: number) => {
    first[e] = weight / weightScale(problem, squaredDistances[e]!);
    precisions[sources[e]!]! += weight;
    precisions[targets[e]!]! += weight;
  };
  /** w ≥ 0 with 1/(p + w) + 1/(q + w) = r = φ/c, or 0 if the sum is already smaller at w = 0. */
  const meeting = (e: number) => {
    const p = precisions[sources[e]!]!;
    const q = precisions[targets[e]!]!;
    const r = squaredDistances[e]! / copies;
    return r * p * q < p + q ? (1 + Math.sqrt(1 + square(0.5 * r * (p - q)))) / r - 0.5 * (p + q) : 0;
  };
  for (const e of spanningTree(problem, squaredDistances)) add(e, weightScale(problem, squaredDistances[e]!));
  if (upper === Infinity) return first;
  const nearest = ascending(squaredDistances, (e) => first[e] === 0 && meeting(e) > 0);
  for (let k = 0; k < nearest.length; k++) {
    const weight = meeting(nearest[k]!);
    if (weight > 0) add(nearest[k]!, Math.min(upper, weight));
  }
  return first;
}

/** Positions of the selected nonnegative numbers in ascending order, compared in single precision. */
function ascending(values: Float64Array, isWanted: (place: number) => boolean): Uint32Array {
  // The bits are in the order of the numbers: as the upper half of a key, above the index, they make millions of entries sortable at once.
  const keys = new BigUint64Array(values.length);
  const halves = new Uint32Array(keys.buffer);
  const heights = new Float32Array(keys.buffer);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    if (!isWanted(i)) continue;
    halves[2 * count] = i;
    heights[2 * count + 1] = values[i]!;
    count++;
  }
  keys.subarray(0, count).sort();
  return Uint32Array.from({ length: count }, (_, k) => halves[2 * k]!);
}
