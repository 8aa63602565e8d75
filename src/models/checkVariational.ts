import * as v from 'valibot';
import { log } from '../core/elementary/index.ts';
import { InvalidInputError, NumericalError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { checkGiven, checkOptions, integerFrom, type OptionsIn, typed } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import { logSumExp } from '../inference/sampling/givenDraws.ts';
import { psis } from '../inference/sampling/psis.ts';
import { type KernelJSON, kernelFromJSON } from '../kernels/index.ts';
import type { FittedModel } from '../model/fit.ts';
import { logDensityOf } from '../model/open.ts';
import { standardNormal } from '../priors/standardNormal.ts';
import { latentVariableModel } from './gp/latentVariableModel.ts';
import type { OwnParts } from './ownParts.ts';

/** Options of {@link checkVariational}. */
export interface VariationalCheckOptions extends OptionsIn<typeof schema> {}

/** Accuracy of the variational posterior of the latents. */
export interface VariationalCheck {
  /** k̂, the shape parameter of the tail of the importance ratios. */
  readonly k: number;
  /** Limit min(1 − 1/log₁₀S, 0.7) above which k̂ marks the variational posterior as unreliable. */
  readonly kLimit: number;
  /** Effective sample size of the weighted draws. */
  readonly effectiveSize: number;
  /** Log of the mean ratio: an estimate of log p(Y) at these hyperparameters, reliable if k̂ is below its limit. */
  readonly evidence: number;
  /** Mean of the log ratios, a lower bound on log p(Y). */
  readonly bound: number;
  /** Conclusion as a sentence. */
  readonly message: string;
}

const schema = v.strictObject({
  /** Number of draws of the latents, at least 25; default 1000. */
  draws: v.optional(integerFrom(25), 1000),
  /** Seed of the draws; default 0. */
  seed: v.optional(v.number('a number'), 0),
  /** Factories of custom kernels by name, as for `loadFit`. */
  own: v.optional(typed<OwnParts>(), {}),
});

const LOG_2PI = log(2 * Math.PI);
const NOISE = 'mapping.noise';

/**
 * Checks whether the variational posterior q(X) of a Bayesian GPLVM's latents is reliable: draws from it are weighted by p(Y, X)/q(X), where p(Y, X)
 * is the exact
 * density of the model at the fitted hyperparameters, without inducing inputs. If the tail of the ratios is too heavy, q misses part of the posterior.
 *
 * Costs one evaluation of O(N³) per draw.
 *
 * @param fitted - a fit of `bayesianGplvm` with Gaussian noise of one variance and complete observations
 * @param options - see {@link VariationalCheckOptions}
 * @returns k̂ with its limit, the evidence by importance sampling, and the bound
 * @throws InvalidInputError for a fit of another model
 * @throws NumericalError if the covariance of drawn latents has no Cholesky factor without jitter
 * @see Yao, Vehtari, Simpson & Gelman, Yes, but did it work?: Evaluating variational inference, ICML 2018
 * @example
 * ```ts
 * const variational = await fit(bayesianGplvm(Y, { latentDim: 2, inducing: 10 }), { maxIterations: 50 });
 * checkVariational(variational, { draws: 100 }).message;
 * ```
 */
export function checkVariational(
  fitted: FittedModel & { readonly latentVariances?: Matrix },
  options: VariationalCheckOptions = {},
): VariationalCheck {
  const { draws: S, seed, own } = checkOptions(schema, options, 'checkVariational');
  checkGiven(
    fitted,
    'checkVariational',
    'a fit of bayesianGplvm',
    ({ toJSON, parameters }) => typeof toJSON === 'function' && typeof parameters === 'object' && parameters !== null,
  );
  const { latents: means, latentVariances: variances, parameters } = fitted;
  const noise = parameters[NOISE];
  const { model } = fitted.toJSON() as { readonly model: Readonly<Record<string, unknown>> };
  const observations = model.observations as readonly (readonly (number | null)[])[] | undefined;
  const isComplete = observations?.every((row) => row.every((entry) => entry !== null));
  if (
    model.model !== 'bayesianGplvm' ||
    variances === undefined ||
    typeof noise !== 'number' ||
    !isComplete ||
    model.sampled
  ) {
    throw new InvalidInputError(
      `checkVariational takes a fit of bayesianGplvm with Gaussian noise of one variance to complete observations, but a fit of '${fitted.model}' was given that is not one.`,
    );
  }
  const exact = latentVariableModel({
    observations: observations as number[][],
    latentDim: means.columns,
    init: means,
    kernel: kernelFromJSON(model.kernel as KernelJSON, (own as OwnParts).kernels),
    noise,
    priors: [standardNormal()],
    ...(model.center !== undefined && { center: model.center as boolean }),
    ...(model.scale !== undefined && { scale: model.scale as boolean }),
  });
  const random = seededRandom(seed);
  const opened = logDensityOf(exact);
  const values = Object.fromEntries(
    Object.entries(parameters).filter(([path]) => /^mapping\.(kernel\.|noise$)/.test(path)),
  );
  const deviations = variances.data.map(Math.sqrt);
  const ratios = new Float64Array(S);
  try {
    for (let s = 0; s < S; s++) {
      let logDensity = 0;
      const X = means.data.map((mean, k) => {
        const z = random.normal();
        logDensity -= 0.5 * (z * z + LOG_2PI) + log(deviations[k]!);
        return mean + deviations[k]! * z;
      });
      const at = opened.variables({ ...values, latents: new Matrix(X, means.rows, means.columns) });
      const { value, jitter } = opened.evaluate(at);
      if (jitter > 0) {
        throw new NumericalError(
          'The covariance of latents drawn from the variational posterior has no Cholesky factor without jitter, so its exact density is not known. Give the noise a larger start, or a prior away from 0.',
        );
      }
      ratios[s] = value - logDensity;
    }
  } finally {
    opened.dispose();
  }
  const { k, effectiveSize } = psis(ratios);
  const kLimit = Math.min(1 - 1 / (log(S) / Math.LN10), 0.7);
  const bound = ratios.reduce((sum, ratio) => sum + ratio / S, 0);
  const shown = `k̂ of ${S} draws is ${k[0]!.toFixed(2)}`;
  const message =
    k[0]! <= kLimit
      ? `${shown}, at most ${kLimit.toFixed(2)}: the variational posterior of the latents can be trusted at these hyperparameters.`
      : `${shown}, above ${kLimit.toFixed(2)}: the variational posterior of the latents leaves out a part of the true one, so its ellipses and the evidence are not to be trusted. Draw the latents: draw(gplvm(…), { start }).`;
  return Object.freeze({
    k: k[0]!,
    kLimit,
    effectiveSize: effectiveSize[0]!,
    evidence: logSumExp(ratios) - log(S),
    bound,
    message,
  });
}
