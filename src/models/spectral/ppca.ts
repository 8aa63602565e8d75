import * as v from 'valibot';
import { log, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import {
  isScaled,
  observationsFrom,
  SCALED_NOTE,
  type ScaleOption,
  type Standardization,
  scaleOption,
  standardizationOf,
  standardized,
} from '../../core/observations.ts';
import { checkOptions, missingOption, type OptionsIn } from '../../core/options.ts';
import { counted } from '../../core/wording.ts';
import { principalAxes as axesOf } from '../../engine/dense/principalComponents.ts';
import type { DistributedLatents, Imputing, Predicting, Reconstructing } from '../../model/abilities.ts';
import type { ComputationStep } from '../../model/computation.ts';
import { type ComputedSolution, defineComputedModel } from '../../model/computedModel.ts';
import { type IncompleteAxes, incompleteAxes } from './embedding/incompleteAxes.ts';
import {
  type LinearGaussian,
  linearPosterior,
  missingLinear,
  type PrincipalAxes,
  principalAxes,
} from './embedding/linearGaussian.ts';
import {
  checkVaried,
  embeddingShapes,
  latentDimOption,
  type SpectralEmbedding,
  type SpectralModel,
  savedSpectral,
} from './embedding/options.ts';

export interface PpcaOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Number of latent dimensions q, from 1 and less than the number of directions of variation of Y; default 2, or 1 for two such directions. */
  latentDim: v.optional(v.unwrap(latentDimOption)),
  /** Whether the weights are integrated out instead of the latents: the linear GPLVM. Default false. */
  dual: v.optional(v.boolean(), false),
  /** Whether columns are divided by their standard deviations, undone by `predict`; 'auto', the default, divides if these differ by a factor of more than ten. */
  scale: v.optional(scaleOption, 'auto'),
  /** Treatment of missing entries (NaN): 'ignore' maximizes the likelihood of the observed entries; by default they are an error. Not with `dual`. */
  missing: missingOption,
});

/**
 * Probabilistic principal component analysis at its maximum likelihood. With λ_c the eigenvalues of YcᵀYc/N and σ² the mean of the remaining ones, W
 * = V(Λ − σ²I)^½ and the latents are the posterior means (WᵀW + σ²I)⁻¹Wᵀ(y − mean).
 *
 * With `dual` the latents are the parameters, and the eigenvalues belong to YcYcᵀ/D: X = U(Λ − σ²I)^½, with σ² the mean of the N − q remaining ones.
 * It is the maximum of a GPLVM with a linear kernel of variance 1 and no prior.
 *
 * Except with `dual`, fits impute missing entries (NaN) of rows: `impute(Y)` returns their means and variances conditional on the observed ones. With
 * `missing: 'ignore'` fitted rows may have missing entries too: the likelihood of the observed ones is maximized by EM, and `eigenvalues` belong to WWᵀ + σ²I.
 *
 * `parameters.weights` is W (D×q), `parameters.noise` is σ², `objective` the log likelihood. Columns with standard deviations s_d that differ by a
 * factor of more than ten are divided by them for the fit. Results are in the original units: row d of W is multiplied by s_d, and `parameters.noise`
 * is a list of D variances σ²s_d².
 *
 * @summary probabilistic principal components; fills in missing entries
 * @param Y - N×D observations
 * @param options - `latentDim` q (2, or 1 if Y varies in two directions, since noise needs one), `dual` (false), `scale` ('auto')
 * @returns a model in closed form for `fit`
 * @throws InvalidInputError for observations that are not finite numbers, or do not vary in more than q directions
 * @see Tipping & Bishop 1999; Lawrence 2005, §2
 * @example
 * ```ts
 * const { parameters } = await fit(ppca(Y, { latentDim: 2 }));
 * parameters.noise; // σ²
 * ```
 */
export function ppca(
  Y: MatrixLike,
  options: PpcaOptions = {},
): SpectralModel<Predicting & Reconstructing & Partial<Imputing & Pick<DistributedLatents, 'missingLogDensity'>>> {
  const { latentDim, dual, scale, missing } = checkOptions(schema, options, 'ppca');
  if (dual && missing !== undefined) {
    throw new InvalidInputError(
      "ppca takes missing entries where latents are integrated out only. Leave out dual, or missing: 'ignore'.",
    );
  }
  const points = observationsFrom(Y, missing === 'ignore', scale === true);
  checkVaried(points, 'ppca');
  return defined({ points, latentDim, dual, scale, missing });
}

interface PpcaData {
  readonly points: Matrix;
  readonly latentDim: number | undefined;
  readonly dual: boolean;
  readonly scale: ScaleOption;
  readonly missing: 'ignore' | undefined;
}

const defined = defineComputedModel({
  name: 'ppca',
  solve: ({ points, latentDim, dual, scale }: PpcaData) => {
    const isDivided = isScaled(points, scale);
    const standardization = standardizationOf(points, true, isDivided);
    const centered = standardized(points, standardization);
    if (points.data.some(Number.isNaN)) {
      const q = latentDim ?? Math.max(1, Math.min(2, points.columns - 1));
      // With as many dimensions as columns nothing is left for the noise.
      if (q >= points.columns) throw withoutNoise(points.columns);
      return incomplete(centered, standardization, q, isDivided, scale);
    }
    const isFlat = latentDim === undefined && variesInTwoDirections(centered);
    const found = principalAxes(centered, isFlat ? 1 : (latentDim ?? 2), 'ppca');
    const solved = (dual ? dualSolution : solution)(points, found);
    const logUnits = standardization.deviation.reduce((sum, own) => sum + log(own), 0);
    const objective = solved.logLikelihood - points.rows * logUnits;
    return {
      latents: solved.latents,
      eigenvalues: solved.eigenvalues,
      parameters: inOwnUnits(solved, standardization, isDivided),
      objective,
      terms: { mapping: objective },
      message: `Closed form: the maximum of the likelihood.${isFlat ? FLAT : ''}${isDivided && scale === 'auto' ? SCALED_NOTE : ''}`,
    };
  },
  shapes: ({ points: { rows: N, columns: D } }, found) => {
    const noise = typeof found.parameters.noise === 'number' ? [] : [D];
    return embeddingShapes(N, found, (q) => ({ weights: [D, q], mean: [D], noise }));
  },
  posterior: (found, { points, dual }) => {
    const map = linearMapOf(found, dual);
    return { ...linearPosterior(map, points.columns), ...(!dual && { missing: missingLinear(map) }) };
  },
  toJSON: ({ points, latentDim, dual, scale, missing }) =>
    savedSpectral('ppca', points, { latentDim, dual, scale, missing }),
});

/** Solution for rows with missing entries, N×D, centered and scaled like the model's. */
function* incomplete(
  Y: Matrix,
  standardization: Standardization,
  q: number,
  isDivided: boolean,
  scale: ScaleOption,
): Generator<ComputationStep, SpectralEmbedding, void> {
  const observed = Float64Array.from({ length: Y.columns }, (_, d) =>
    Y.column(d).reduce((count, entry) => count + (Number.isNaN(entry) ? 0 : 1), 0),
  );
  const empty = observed.indexOf(0);
  if (empty >= 0) {
    throw new InvalidInputError(
      `Column index ${empty} of the observations has no observed entries, so its missing entries cannot be imputed. Leave that column out.`,
    );
  }
  const { mean: center, deviation } = standardization;
  const ofUnits = observed.reduce((sum, count, d) => sum - count * log(deviation[d]!), 0);
  const embeddingOf = (axes: IncompleteAxes, converged: boolean): SpectralEmbedding => {
    const { W, mean, noise, latents, logLikelihood, gradientNorm, relativeGradient } = axes;
    const shifted = center.map((entry, d) => entry + deviation[d]! * mean[d]!);
    const objective = logLikelihood + ofUnits;
    const lengths = Float64Array.from({ length: q }, (_, c) => W.column(c).reduce((sum, w) => sum + w * w, noise));
    if (!(noise > 1e-12 * lengths[0]!)) throw withoutNoise(q);
    const what = converged ? 'The maximum of the likelihood' : 'A step on the way to the maximum of the likelihood';
    return {
      latents,
      eigenvalues: lengths,
      parameters: inOwnUnits({ W, noise }, { mean: shifted, deviation }, isDivided),
      objective,
      terms: { mapping: objective },
      message: `${what} of the observed entries, by EM.${isDivided && scale === 'auto' ? SCALED_NOTE : ''}`,
      optimality: { converged, kktResidual: relativeGradient, gradientNorm },
    };
  };
  const search = incompleteAxes(Y, q, 'ppca');
  for (;;) {
    const step = search.next();
    if (step.done) return embeddingOf(step.value, true);
    const { logLikelihood, gradientNorm, axes } = step.value;
    yield {
      ...{ kind: 'iteration', objective: logLikelihood + ofUnits, gradientNorm },
      embedding: () => embeddingOf(axes(), false),
    };
  }
}

const FLAT = ' The observations vary in two directions and noise takes one: there is 1 latent dimension.';

const variesInTwoDirections = (centered: Matrix): boolean =>
  axesOf(centered, Math.min(3, centered.columns, centered.rows - 1)).eigenvalues.length === 2;

/** Closed-form solution for N×D columns, centered and scaled like the model's. */
interface Solution {
  readonly latents: Matrix;
  readonly eigenvalues: Float64Array;
  readonly W: Matrix;
  readonly noise: number;
  readonly logLikelihood: number;
}

function solution({ rows: N, columns: D }: Matrix, found: PrincipalAxes): Solution {
  const { eigenvalues, scores, axes, total } = found;
  const q = eigenvalues.length;
  const noise = meanOfOthers(total, eigenvalues, D);
  const W = scaledColumns(axes, (c) => Math.sqrt(eigenvalues[c]! - noise));
  // WᵀW + σ²I is the diagonal matrix of the eigenvalues.
  const latents = scaledColumns(scores, (c) => Math.sqrt(eigenvalues[c]! - noise) / eigenvalues[c]!);
  const logDeterminant = eigenvalues.reduce((sum, value) => sum + log(value), 0) + (D - q) * log(noise);
  const logLikelihood = (-N / 2) * (D * log(2 * Math.PI) + logDeterminant + D);
  return { latents, eigenvalues, W, noise, logLikelihood };
}

function dualSolution({ rows: N, columns: D }: Matrix, found: PrincipalAxes): Solution {
  const { scores, axes, total } = found;
  const eigenvalues = found.eigenvalues.map((value) => (value * N) / D);
  const q = eigenvalues.length;
  const noise = meanOfOthers((total * N) / D, eigenvalues, N);
  // scores = U·(D·Λ)^½
  const latents = scaledColumns(scores, (c) => Math.sqrt((eigenvalues[c]! - noise) / (D * eigenvalues[c]!)));
  // The posterior mean of the weights, YcᵀX(XᵀX + σ²I)⁻¹.
  const W = scaledColumns(axes, (c) => Math.sqrt((D * (eigenvalues[c]! - noise)) / eigenvalues[c]!));
  const logDeterminant = eigenvalues.reduce((sum, value) => sum + log(value), 0) + (N - q) * log(noise);
  const logLikelihood = (-D / 2) * (N * log(2 * Math.PI) + logDeterminant + N);
  return { latents, eigenvalues, W, noise, logLikelihood };
}

/** W, mean and noise of the columns in the original units. */
function inOwnUnits(
  { W, noise }: Pick<Solution, 'W' | 'noise'>,
  { mean, deviation }: Standardization,
  isDivided: boolean,
) {
  const own = { mean: Array.from(mean) };
  if (!isDivided) return { weights: W, ...own, noise };
  const weights = W.map((entry, d) => entry * deviation[d]!);
  return { weights, ...own, noise: Array.from(deviation, (s) => noise * square(s)) };
}

function meanOfOthers(total: number, kept: Float64Array, count: number): number {
  const noise = (total - kept.reduce((sum, value) => sum + value, 0)) / (count - kept.length);
  if (count > kept.length && noise > 1e-14 * kept[0]!) return noise;
  throw withoutNoise(kept.length);
}

const withoutNoise = (directions: number) =>
  new InvalidInputError(
    `The observations vary in ${counted(directions, 'direction')} only, so no noise is left and the likelihood has no maximum. ${directions > 1 ? 'Choose a smaller `latentDim`' : 'Take pca, which needs no noise'}.`,
  );

const scaledColumns = (A: Matrix, factorOf: (column: number) => number): Matrix =>
  A.map((entry, _, c) => entry * factorOf(c));

function linearMapOf({ parameters, eigenvalues }: ComputedSolution, dual: boolean): LinearGaussian {
  const { weights, mean, noise } = parameters as {
    weights: Matrix;
    mean: readonly number[];
    noise: number | readonly number[];
  };
  const noises = typeof noise === 'number' ? new Float64Array(weights.rows).fill(noise) : noise;
  const map: LinearGaussian = { W: weights, mean, noise: noises, prior: 1 };
  if (!dual) return map;
  // The weights are uncertain: xᵀ(XᵀX + σ²I)⁻¹x times the noise, XᵀX + σ²I the diagonal matrix of the eigenvalues.
  return {
    ...map,
    functionVariance: (x) => x.reduce((sum, entry, c) => sum + (entry * entry) / eigenvalues[c]!, 0),
  };
}
