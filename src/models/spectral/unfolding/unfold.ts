import type { EmbeddingProgress } from '../../../model/model.ts';
import { principalColumns } from '../embedding/principalColumns.ts';
import { updatedMultipliers } from './augmentedLagrangian.ts';
import {
  type OptimalityGap,
  optimalityGap,
  stressBottom,
  type UnfoldingResiduals,
  unfoldingResiduals,
} from './unfoldingCertificate.ts';
import { unfoldingMinimum } from './unfoldingMinimum.ts';
import { excesses, type UnfoldingProblem } from './unfoldingProblem.ts';
import { unfoldingStart } from './unfoldingStart.ts';

/** Where an unfolding ended. */
export interface Unfolding extends UnfoldingResiduals, OptimalityGap {
  /** Columns of Y: the rank that YYᵀ was allowed. */
  readonly rank: number;
  /** N×rank, centred. */
  readonly Y: Float64Array;
  /** w, one an edge. */
  readonly multipliers: Float64Array;
  /** The smallest eigenvalue of L(w) on centred vectors: at least 1 where w is dual feasible. */
  readonly bottom: number;
  /** Largest violation of the optimality conditions of the semidefinite program. */
  readonly kktResidual: number;
  readonly iterations: number;
  readonly evaluations: number;
}

/** The method ends here; and nearby where rounding lets it get no further. */
const GOAL = 1e-8;
const NEAR = 1e-7;
const PATIENCE = 3;

/** From here on a bottom of L(w) this many times as far below 1 as other conditions are from holding is none that rounds would mend. */
const NEGLIGIBLE = 1e-5;
const FAR = 1e3;

/** Rounds of minimising and updating the multipliers. */
const MOST_ROUNDS = 60;

/** A round that leaves more than this part of the last one's violation makes violations cost more. */
const SUFFICIENT_CHANGE = 0.25;
const GROWTH = 10;

/** Where violations cost more than this, what rounding leaves of them alone moves the multipliers by more than the goal. */
const MOST_WEIGHT = 1e7;

/**
 * Maximum variance unfolding by low-rank factorisation: the method of multipliers, each round of which minimises the augmented
 * Lagrangian over N×r points. Where it ends, the bottom of L(w) says whether the semidefinite program is solved; if it is
 * not, its eigenvector becomes a further column of Y, and the rounds go on.
 *
 * Pauses after every step of a minimisation, and within Newton's after every product with the Hessian; `true` sent in then ends it where
 * it stands.
 *
 * @param rank - columns to begin with
 * @see Burer & Monteiro 2003, §3–4; Weinberger & Saul 2004
 */
export function* unfold(problem: UnfoldingProblem, rank: number): Generator<EmbeddingProgress, Unfolding, boolean> {
  const bottomOf = stressBottom(problem);
  const minimum = unfoldingMinimum(problem);
  const start = unfoldingStart(problem, rank, bottomOf);
  let { Y, weight } = start;
  let r = rank;
  let multipliers: Float64Array = new Float64Array(problem.sources.length);
  let violations = excesses(problem, Y, r);
  let [iterations, evaluations] = [0, 0];
  let tolerance = 0.1;
  let before = Infinity;
  let least = Infinity;
  let unimproved = 0;
  let stopped = false;
  for (let round = 0; ; round++) {
    const residuals = unfoldingResiduals(problem, Y, r, violations, multipliers);
    const first = Math.max(residuals.feasibility, residuals.stationarity, residuals.complementarity);
    unimproved = first < least / 2 ? 0 : unimproved + 1;
    least = Math.min(least, first);
    const mustEnd = stopped || round >= MOST_ROUNDS;
    const ends = mustEnd || first <= GOAL || (first <= NEAR && unimproved >= PATIENCE);
    if (ends || first <= NEGLIGIBLE) {
      const { value: bottom, vector } = bottomOf(multipliers);
      const isLow = !mustEnd && 1 - bottom > FAR * first && r < problem.size - 1;
      if (ends && !isLow) {
        const gap = optimalityGap(problem, Y, violations, multipliers, bottom);
        const kktResidual = Math.max(first, 1 - bottom);
        return { ...residuals, ...gap, rank: r, Y, multipliers, bottom, kktResidual, iterations, evaluations };
      }
      if (isLow) {
        ({ Y, r } = withColumn(problem, Y, r, vector));
        weight = Math.max(start.weight, weight / GROWTH ** 2);
        tolerance = 1e-3;
        before = Infinity;
        least = Infinity;
      }
    }
    const search = minimum(Y, r, multipliers, weight, tolerance);
    let step = search.next(false);
    while (!step.done) {
      const { iterations: more, evaluations: others } = step.value;
      step = search.next(yield { iterations: iterations + more, evaluations: evaluations + others });
    }
    const { settled } = step.value;
    ({ Y, stopped } = step.value);
    iterations += step.value.iterations;
    evaluations += step.value.evaluations;
    violations = excesses(problem, Y, r);
    const updated = updatedMultipliers(problem, violations, multipliers, weight);
    const change = updated.reduce((most, w, e) => Math.max(most, Math.abs(w - multipliers[e]!)), 0) / weight;
    multipliers = updated;
    if (settled && change > Math.max(GOAL / 10, SUFFICIENT_CHANGE * before))
      weight = Math.min(MOST_WEIGHT, weight * GROWTH);
    before = change;
    tolerance = Math.max(GOAL / 2, 0.1 * tolerance);
  }
}

/** Y on its principal axes with one more column, or another one in place of one without length, along a direction. */
function withColumn(
  { sources, targets }: UnfoldingProblem,
  Y: Float64Array,
  r: number,
  direction: Float64Array,
): { Y: Float64Array; r: number } {
  const { columns, eigenvalues } = principalColumns(Y, r);
  const kept = eigenvalues.findIndex((value) => value <= 1e-12 * eigenvalues[0]!);
  const q = kept < 0 ? r : kept;
  let longest = 0;
  sources.forEach((i, e) => {
    longest = Math.max(longest, Math.abs(direction[i]! - direction[targets[e]!]!));
  });
  const wider = new Float64Array((Y.length / r) * (q + 1));
  for (let i = 0; i < direction.length; i++) {
    for (let c = 0; c < q; c++) wider[i * (q + 1) + c] = columns.at(i, c);
    wider[i * (q + 1) + q] = (0.1 * direction[i]!) / longest;
  }
  return { Y: wider, r: q + 1 };
}
