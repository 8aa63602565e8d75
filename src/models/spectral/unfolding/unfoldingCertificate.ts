import { square } from '../../../core/elementary/index.ts';
import { NumericalError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import {
  analyze,
  bottomEigenpairs,
  factorize,
  patternOfGraph,
  type SymbolicFactor,
  solve,
} from '../../../engine/sparse/index.ts';
import { squaredNorm, type UnfoldingProblem } from './unfoldingProblem.ts';

/** Violations of the optimality conditions of an unfolding by points and multipliers, independent of the unit of the data. */
export interface UnfoldingResiduals {
  /** Largest violation of a constraint, relative to the mean squared length. */
  readonly feasibility: number;
  /** Largest entry of (L(w) − I)·Y relative to the largest entry of Y. */
  readonly stationarity: number;
  /** Largest product of a multiplier and the slack of its constraint, relative to the largest multiplier. */
  readonly complementarity: number;
}

/** First-order optimality conditions at N×r points. */
export function unfoldingResiduals(
  problem: UnfoldingProblem,
  Y: Float64Array,
  r: number,
  violations: Float64Array,
  multipliers: Float64Array,
): UnfoldingResiduals {
  const { sources, targets, mayShrink, compliance } = problem;
  let [feasibility, complementarity, largest] = [0, 0, 0];
  const forces = Y.map((entry) => -entry);
  multipliers.forEach((w, e) => {
    const beyond = violations[e]! - compliance * w;
    feasibility = Math.max(feasibility, mayShrink ? beyond : Math.abs(beyond));
    if (mayShrink) complementarity = Math.max(complementarity, w * Math.abs(beyond));
    largest = Math.max(largest, Math.abs(w));
    const i = sources[e]! * r;
    const j = targets[e]! * r;
    for (let c = 0; c < r; c++) {
      const pull = w * (Y[i + c]! - Y[j + c]!);
      forces[i + c]! += pull;
      forces[j + c]! -= pull;
    }
  });
  return {
    feasibility,
    stationarity: largestModulus(forces) / largestModulus(Y),
    complementarity: largest > 0 ? complementarity / largest : 0,
  };
}

export function largestModulus(x: Float64Array): number {
  return x.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
}

/** Smallest eigenvalues of L(w) except for the constant vector, ascending, and their unit eigenvectors. */
export interface BottomOfStress {
  /** Smallest eigenvalue. */
  readonly value: number;
  readonly vector: Float64Array;
  readonly values: Float64Array;
  /** N×count */
  readonly vectors: Matrix;
}

/**
 * Bottom of the spectrum of L(w) on centered vectors for the edges of an unfolding and any sign of w, by shift-invert Lanczos.
 *
 * The dual of an unfolding is to minimize Σ w_e·φ_e + Σ w_e²/(4ν) subject to L(w) ⪰ I on centered vectors: multipliers with smallest eigenvalue at
 * least 1 are dual feasible, and at a stationary point they then prove global optimality. Below 1, the eigenvector is a direction along which the
 * stationary point unfolds further.
 *
 * @see Sun, Boyd, Xiao & Diaconis 2006, §3; Burer & Monteiro 2003, Proposition 3
 */
export function stressBottom({ size, sources, targets }: UnfoldingProblem) {
  const { pattern, edgeEntries } = patternOfGraph({ size, sources, targets });
  const diagonalEntries = pattern.starts.subarray(0, size);
  const symbolic: SymbolicFactor = analyze(pattern);
  const known = [new Float64Array(size).fill(1)];
  return (multipliers: Float64Array, count = 1): BottomOfStress => {
    const values = new Float64Array(edgeEntries.length + size);
    multipliers.forEach((w, e) => {
      values[edgeEntries[e]!] = -w;
      values[diagonalEntries[sources[e]!]!]! += w;
      values[diagonalEntries[targets[e]!]!]! += w;
    });
    for (let shift = 1e-2; ; shift *= 10) {
      try {
        const shifted = values.slice();
        for (const p of diagonalEntries) shifted[p]! += shift;
        const factor = factorize(symbolic, shifted);
        const { values: found, vectors } = bottomEigenpairs(
          size,
          (b, x) => {
            solve(factor, b, x);
          },
          count,
          { shift, known },
        );
        return { value: found[0]!, vector: vectors.column(0), values: found, vectors };
      } catch (error) {
        // L(w) has an eigenvalue below −shift, from a stress that pushes.
        if (!(error instanceof NumericalError) || shift > 1e12) throw error;
      }
    }
  };
}

/** Gap between the variance of the points and the bound that the multipliers prove. */
export interface OptimalityGap {
  /** Upper bound on the variance of any unfolding, if the multipliers prove one. */
  readonly bound: number;
  /** ‖Y‖² minus the penalty, with Y scaled down to satisfy every upper bound if distances may shrink. */
  readonly attained: number;
}

/** Bound that multipliers prove after division by the bottom of L(w), and the variance that the points attain. */
export function optimalityGap(
  { squaredLengths, mayShrink, compliance }: UnfoldingProblem,
  Y: Float64Array,
  violations: Float64Array,
  multipliers: Float64Array,
  bottom: number,
): OptimalityGap {
  const scale = bottom > 0 ? 1 / bottom : Infinity;
  let [bound, penalty, stretch] = [0, 0, 1];
  multipliers.forEach((w, e) => {
    const length = squaredLengths[e]!;
    bound += scale * w * length + (compliance * square(scale * w)) / 2;
    if (compliance > 0) penalty += square(violations[e]!) / (2 * compliance);
    if (mayShrink) stretch = Math.max(stretch, 1 + violations[e]! / length);
  });
  return { bound, attained: squaredNorm(Y) / stretch - penalty };
}
