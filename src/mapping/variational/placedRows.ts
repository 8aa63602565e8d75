import { log, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { type Standardization, standardized } from '../../core/observations.ts';
import { paddedRows } from '../../core/paddedRows.ts';
import { seededRandom } from '../../core/random.ts';
import { drawnNodes } from '../../kernels/expectations/index.ts';
import type { ParameterValues } from '../../model/model.ts';
import type { LatentMoments, PlacedBound } from '../../model/posterior.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { doublesOf } from '../../tensors/doubles.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { valueAndGradients } from '../../tensors/gradients.ts';
import { matrixTensor } from '../../tensors/matrixTensor.ts';
import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../tensors/tensorflow.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';
import { expectedLogDensity } from '../likelihoods/normalExpectation.ts';
import { densitiesAtNodes } from './expectedDensity.ts';
import { type InducingPosterior, tensorsOf } from './inducingMoments.ts';
import { densityNodes, isClosed } from './observedDensity.ts';
import { uncertainMoments } from './uncertainMoments.ts';
import { DRAWS } from './uncollapsedModel.ts';
import { kernelValues, likelihoodValues, type VariationalParts } from './variationalParts.ts';

const SEED = 0;

/** Whether the likelihood says how rows are observed that were not fitted: one variance a row of those that were does not. */
export function placesRows({ conjugate, parameters }: Likelihood): boolean {
  const starts = Object.fromEntries(Object.entries(parameters).map(([name, { initial }]) => [name, initial]));
  return withFloat64(() => conjugate?.(valueTensors(starts)).per !== 'row');
}

/**
 * Σ_d E[log p(y_nd | f_nd)] of each row that was not fitted, over what is observed of it, the functions being what they were fitted to, and its
 * gradients in the mean and variance of the row's latents. A row's numbers do not depend on the other rows.
 *
 * @param Y - n×D in the units of the observations, NaN where missing
 */
export function placedDensity(
  { kernel, likelihood, latentDim }: VariationalParts,
  values: ParameterValues,
  posterior: () => InducingPosterior,
  standardization: Standardization,
  Y: Matrix,
  latents: LatentMoments,
): PlacedBound {
  const seen = standardized(paddedRows(Y), standardization);
  const entries = (of: (entry: number) => number) =>
    matrixTensor(new Matrix(seen.data.map(of), seen.rows, seen.columns));
  return withFloat64(() => {
    const [y, present] = [entries((y) => (Number.isNaN(y) ? 0 : y)), entries((y) => (Number.isNaN(y) ? 0 : 1))];
    const [p, given] = [valueTensors(kernelValues(kernel, values)), valueTensors(likelihoodValues(likelihood, values))];
    const q = tensorsOf(posterior());
    const x = { mean: matrixTensor(paddedRows(latents.mean)), variance: matrixTensor(paddedRows(latents.variance)) };
    const densities = (): Tensor2D => {
      if (isClosed({ kernel, likelihood, latentDim }, { kernel: p, likelihood: given })) {
        const { mean, variance } = uncertainMoments(kernel, p, q, x);
        return expectedLogDensity(likelihood, given, mean, variance, y);
      }
      const nodes = densityNodes(latentDim, () => drawnNodes(1, latentDim, DRAWS, seededRandom(SEED)));
      const all = densitiesAtNodes(kernel, p, q, x, nodes, likelihood, given, y);
      return op.sum(op.reshape(all, [nodes.weights.length, seen.rows, seen.columns]), 0);
    };
    let perRow: Float64Array = new Float64Array(0);
    const total = () => {
      const sums = op.sum(op.mul(present, densities()), 1);
      perRow = doublesOf(sums);
      return op.sum<Scalar>(sums);
    };
    const { gradients } = valueAndGradients(total, [x.mean, x.variance]);
    const like = (gradient: Float64Array | undefined) =>
      new Matrix((gradient ?? new Float64Array(seen.rows * latentDim)).slice(0, Y.rows * latentDim), Y.rows, latentDim);
    return { values: perRow.slice(0, Y.rows), mean: like(gradients[0]), variance: like(gradients[1]) };
  });
}

/**
 * What each row that was not fitted adds to a bound on log p(Y): the densities of all views that they are seen in, less the divergence of their latents
 * from the prior, KL(N(μ_n, diag s_n)‖N(0, I)). At the rows that were fitted it is stationary where the fit is.
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
  const values = new Float64Array(mean.rows);
  m.forEach((own, k) => {
    values[Math.floor(k / mean.columns)]! -= 0.5 * (square(own) + s[k]! - log(s[k]!) - 1);
  });
  return {
    values: values.map((value, n) => densities.reduce((sum, density) => sum + density.values[n]!, value)),
    mean: total('mean', (k) => -m[k]!),
    variance: total('variance', (k) => 0.5 / s[k]! - 0.5),
  };
}
