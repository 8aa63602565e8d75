import { log, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { type Standardization, standardized } from '../../core/observations.ts';
import { seededRandom } from '../../core/random.ts';
import { gaussianLatents } from '../../latents/gaussianLatents.ts';
import type { ParameterValues, TermContext } from '../../model/model.ts';
import type { LatentMoments, PlacedBound } from '../../model/posterior.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { valueAndGradients } from '../../tensors/gradients.ts';
import { matrixTensor } from '../../tensors/matrixTensor.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';
import { type ObservedPattern, observedPatterns } from '../observedPatterns.ts';
import type { InducingPosterior } from './inducingMoments.ts';
import { inducingVariables, Q_MEAN } from './inducingVariables.ts';
import { uncollapsedModel } from './uncollapsedModel.ts';
import type { VariationalParts } from './variationalParts.ts';

const SEED = 0;

/** Whether the likelihood says how rows are observed that were not fitted: one variance a row of those that were does not. */
export function placesRows({ conjugate, parameters }: Likelihood): boolean {
  const starts = Object.fromEntries(Object.entries(parameters).map(([name, { initial }]) => [name, initial]));
  return withFloat64(() => conjugate?.(valueTensors(starts)).per !== 'row');
}

/**
 * Σ_nd E[log p(y_nd | f_nd)] of rows that were not fitted, over what is observed of them, the functions being what they were fitted to, and its
 * gradients in the means and variances of their latents.
 *
 * @param Y - n×D in the units of the observations, NaN where missing
 */
export function placedDensity(
  parts: VariationalParts,
  values: ParameterValues,
  posterior: () => InducingPosterior,
  standardization: Standardization,
  Y: Matrix,
  { mean, variance }: LatentMoments,
): PlacedBound {
  const seen = standardized(Y, standardization);
  const observations = new Matrix(
    seen.data.map((entry) => (Number.isNaN(entry) ? 0 : entry)),
    Y.rows,
    Y.columns,
  );
  const patterns = patternsOf(seen);
  const own = { ...values, ...(Q_MEAN in values ? {} : startedAt(posterior(), Y.columns)) };
  const context: TermContext = {
    random: seededRandom(SEED),
    iteration: 0,
    onJitter: () => undefined,
    onRank: () => undefined,
  };
  return withFloat64(() => {
    const rows = { ...parts, observations, seen, patterns, latents: gaussianLatents() };
    const open = uncollapsedModel.constants(rows);
    try {
      const tensors = valueTensors(own);
      const x = { mean: matrixTensor(mean), variance: matrixTensor(variance) };
      const at = { ...tensors, 'latents.mean': x.mean, 'latents.variance': x.variance };
      const { value, gradients } = valueAndGradients(() => open.bound(at, context).mapping, [x.mean, x.variance]);
      const like = (gradient: Float64Array | undefined) =>
        new Matrix(gradient ?? new Float64Array(mean.data.length), mean.rows, mean.columns);
      return { value, mean: like(gradients[0]), variance: like(gradients[1]) };
    } finally {
      open.dispose();
    }
  });
}

/**
 * What rows that were not fitted add to a bound on log p(Y): the densities of all views that they are seen in, less the divergence of their latents
 * from the prior, Σ_n KL(N(μ_n, diag s_n)‖N(0, I)). At the rows that were fitted it is stationary where the fit is.
 *
 * @see Titsias & Lawrence 2010, §4
 */
export function lessDivergence(densities: readonly PlacedBound[], { mean, variance }: LatentMoments): PlacedBound {
  const total = (of: 'mean' | 'variance', own: (k: number) => number) =>
    new Matrix(
      mean.data.map((_, k) => densities.reduce((sum, density) => sum + density[of].data[k]!, own(k))),
      mean.rows,
      mean.columns,
    );
  const [m, s] = [mean.data, variance.data];
  const divergence = m.reduce((sum, own, k) => sum + 0.5 * (square(own) + s[k]! - log(s[k]!) - 1), 0);
  return {
    value: densities.reduce((sum, { value }) => sum + value, -divergence),
    mean: total('mean', (k) => -m[k]!),
    variance: total('variance', (k) => 0.5 / s[k]! - 0.5),
  };
}

/** q(u) as values of variables. */
function startedAt(posterior: InducingPosterior, D: number): ParameterValues {
  const variables = inducingVariables(posterior, D, posterior.groups.length > 1);
  return Object.fromEntries(Object.entries(variables).map(([path, { initial }]) => [path, initial]));
}

/** Columns that are observed in the same rows. None need be observed in any. */
function patternsOf(Y: Matrix): ObservedPattern[] {
  const all = Array.from({ length: Y.columns }, (_, j) => j);
  const isSeen = (j: number) => !Y.column(j).every(Number.isNaN);
  const [seen, others] = [all.filter(isSeen), all.filter((j) => !isSeen(j))];
  if (others.length === 0) return observedPatterns(Y);
  const part = new Matrix(
    Float64Array.from({ length: Y.rows * seen.length }, (_, k) =>
      Y.at(Math.floor(k / seen.length), seen[k % seen.length]!),
    ),
    Y.rows,
    seen.length,
  );
  const none = { rows: new Int32Array(0), observations: Matrix.zeros(0, others.length) };
  return [
    ...observedPatterns(part).map((pattern) => ({ ...pattern, columns: pattern.columns.map((j) => seen[j]!) })),
    { ...none, columns: Int32Array.from(others) },
  ];
}
