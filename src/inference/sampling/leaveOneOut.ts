import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { AnyAbilities } from '../../model/abilities.ts';
import { evaluate } from '../../model/evaluate.ts';
import type { Fit } from '../../model/fit.ts';
import type { AnyModel, ParameterValues } from '../../model/model.ts';
import { essBulk } from './convergence.ts';
import { type LeaveOneOut, loo } from './psis.ts';

/** Draws as leave-one-out reads them. */
interface DrawnFits {
  readonly chains: number;
  readonly draws: number;
  valuesOf(k: number): ParameterValues;
  fitOf(k: number): Fit & Partial<AnyAbilities>;
}

/** Most draws that are looked at. */
const MOST = 1000;
/** The noise of a model with one mapping. */
const NOISE = 'mapping.noise';
/** Relative difference of the gradient in the noise at which leverages are not those of this covariance. */
const AGREEMENT = 1e-6;

/**
 * Leave-one-out cross-validation of a Gaussian process with Gaussian noise: log p(y_nd | all other entries of its column) at each draw, weighed by Pareto smoothed
 * importance sampling. With the leverages h_n = v_n/σ² of noise-free predictions m, v at the points themselves the rest is in closed form: the residual (y − m)/(1 − h),
 * the variance σ²/(1 − h).
 *
 * @throws InvalidInputError for models that have no such noise, or whose kernel has a noise of its own
 * @see Bürkner, Gabry & Vehtari, Efficient leave-one-out cross-validation for Bayesian non-factorized normal models, Computational Statistics 36 (2021)
 */
export function leaveOneOut(model: AnyModel, { chains, draws, valuesOf, fitOf }: DrawnFits): LeaveOneOut {
  const Y = observationsOf(model);
  const perChain = Math.min(draws, Math.ceil(MOST / chains));
  const taken = Array.from({ length: chains }, (_, c) =>
    Array.from({ length: perChain }, (_, i) => c * draws + Math.floor(((i + 0.5) * draws) / perChain)),
  ).flat();
  const logLikelihood = Matrix.zeros(taken.length, Y.data.length);
  for (const [s, k] of taken.entries()) {
    const values = valuesOf(k);
    const noise = values[NOISE];
    const fitted = fitOf(k);
    if (typeof noise !== 'number' || fitted.predict === undefined) throw unsuited(model);
    const { mean, variance } = fitted.predict(fitted.latents);
    if (s === 0) checkLeverages(model, values, noise, Y, mean, variance);
    for (let e = 0; e < Y.data.length; e++) {
      const left = 1 - variance.data[e]! / noise;
      const spread = noise / left;
      const residual = (Y.data[e]! - mean.data[e]!) / left;
      logLikelihood.data[s * Y.data.length + e] = -0.5 * (log(2 * Math.PI * spread) + (residual * residual) / spread);
    }
  }
  const relativeEfficiency = Array.from({ length: Y.data.length }, (_, e) => {
    const likelihood = Array.from({ length: chains }, (_, c) =>
      Array.from({ length: perChain }, (_, i) => logLikelihood.at(c * perChain + i, e)),
    );
    const size = essBulk(likelihood) / taken.length;
    return Number.isNaN(size) ? 1 : Math.min(size, 1);
  });
  return loo(logLikelihood, { relativeEfficiency });
}

const unsuited = ({ name }: AnyModel) =>
  new InvalidInputError(
    `Leave-one-out is in closed form for one Gaussian process whose noise is one number, '${NOISE}', and without a white kernel: '${name}' is no such model. Give loo the log likelihoods yourself.`,
  );

/** The observations of a model with one view, complete. */
function observationsOf(model: AnyModel): Matrix {
  const { observations, scale } = model.toJSON() as { observations?: unknown; scale?: unknown };
  if (!Array.isArray(observations) || scale === true) throw unsuited(model);
  const Y = Matrix.from(observations as number[][], 'The observations');
  if (Y.data.some((entry) => !Number.isFinite(entry))) throw unsuited(model);
  return Y;
}

/** Compares ∂ log p/∂σ² = ½·Σ(α² − K⁻¹_nn), α = (y − m)/σ², K⁻¹_nn = (1 − h)/σ², with the model's own gradient. */
function checkLeverages(
  model: AnyModel,
  values: ParameterValues,
  noise: number,
  Y: Matrix,
  mean: Matrix,
  variance: Matrix,
): void {
  let expected = 0;
  Y.data.forEach((y, e) => {
    const alpha = (y - mean.data[e]!) / noise;
    expected += 0.5 * (alpha * alpha - (1 - variance.data[e]! / noise) / noise);
  });
  const { termGradients } = evaluate(model, values, { gradients: 'byTerm' });
  const found = termGradients.mapping?.[NOISE];
  const scale = Math.abs(expected) + Y.data.length / noise;
  if (typeof found === 'number' && Math.abs(found - expected) <= AGREEMENT * scale) return;
  throw unsuited(model);
}
