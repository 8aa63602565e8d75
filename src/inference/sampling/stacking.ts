import { exp } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { givenList } from '../../core/given.ts';
import { Matrix } from '../../core/matrix.ts';
import { sampleVariance } from './moments.ts';
import type { PredictiveAccuracy } from './psis.ts';

/** One model in a comparison by predictive accuracy. */
export interface ElpdRow {
  /** Expected log pointwise predictive density. */
  readonly elpd: number;
  readonly se: number;
  /** elpd less that of the best; 0 for the best. */
  readonly difference: number;
  /** Standard error of the difference, √(N·var of the pointwise differences). */
  readonly differenceSe: number;
  /** Its weight in the mixture of all models that predicts best. */
  readonly stackingWeight: number;
}

/**
 * Compares models of the same observations by their expected log predictive densities.
 *
 * @param accuracies - what `loo` or `waic` gave for each model
 * @returns a row for each, in their order: a difference of less than about 4, or below twice its standard error, says little
 * @throws InvalidInputError for accuracies of different numbers of observations
 * @see Vehtari, Gelman & Gabry 2017, §5; Yao, Vehtari, Simpson & Gelman, Using stacking to average Bayesian predictive distributions, Bayesian Analysis 13 (2018)
 * @example
 * ```ts
 * const [narrow, wide] = compareElpd([loo([[-1, -2], [-1.1, -1.9]]), loo([[-2, -3], [-2.1, -3.2]])]);
 * ```
 */
export function compareElpd(accuracies: readonly PredictiveAccuracy[]): readonly ElpdRow[] {
  const given = givenList(accuracies, 'compareElpd', 'a list of what loo returned');
  const N = given[0]?.pointwise?.length;
  if (N === undefined || given.some(({ pointwise }) => pointwise?.length !== N)) {
    throw new InvalidInputError(
      `compareElpd takes what loo returned for at least one model, all of the same observations, but the numbers of observations are ${given.map((each) => each?.pointwise?.length ?? 'unknown').join(', ') || 'none'}.`,
    );
  }
  const best = given.reduce((most, accuracy) => (accuracy.elpd > most.elpd ? accuracy : most));
  const weights = stackingWeights(given.map(({ pointwise }) => pointwise));
  return given.map(({ elpd, se, pointwise }, k) => {
    const differences = pointwise.map((entry, n) => entry - best.pointwise[n]!);
    return Object.freeze({
      elpd,
      se,
      difference: elpd - best.elpd,
      differenceSe: Math.sqrt(N * sampleVariance(differences)),
      stackingWeight: weights[k]!,
    });
  });
}

/** Most steps to the weights, and the change of all of them at which they are there. */
const STEPS = 10_000;
const SETTLED = 1e-10;

/** argmax_w Σ_n log Σ_k w_k·exp(lpd_kn) on the simplex, by the EM steps of a mixture, which raise the sum at each. */
function stackingWeights(pointwise: readonly Float64Array[]): Float64Array {
  const [K, N] = [pointwise.length, pointwise[0]!.length];
  const densities = Matrix.zeros(K, N);
  for (let n = 0; n < N; n++) {
    const most = Math.max(...pointwise.map((own) => own[n]!));
    for (let k = 0; k < K; k++) densities.data[k * N + n] = exp(pointwise[k]![n]! - most);
  }
  let weights = new Float64Array(K).fill(1 / K);
  for (let step = 0; step < STEPS; step++) {
    const next = new Float64Array(K);
    for (let n = 0; n < N; n++) {
      let total = 0;
      for (let k = 0; k < K; k++) total += weights[k]! * densities.at(k, n);
      for (let k = 0; k < K; k++) next[k]! += (weights[k]! * densities.at(k, n)) / (total * N);
    }
    const change = next.reduce((most, entry, k) => Math.max(most, Math.abs(entry - weights[k]!)), 0);
    weights = next;
    if (change < SETTLED) break;
  }
  return weights;
}
