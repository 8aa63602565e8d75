import * as v from 'valibot';
import { counted } from '../../core/counted.ts';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, type Standardization, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { damagedAt } from '../../core/saved.ts';
import { principalAxes as axesOf } from '../../engine/dense/principalComponents.ts';
import type { DistributedLatents, Imputing, Predicting, Reconstructing } from '../../model/abilities.ts';
import type { Embedding } from '../../model/computation.ts';
import { defineComputedModel, type Found } from '../../model/computedModel.ts';
import { checkVaried } from './embedding/checkVaried.ts';
import { type LinearGaussian, linearPosterior } from './embedding/linearGaussian.ts';
import { missingLinear } from './embedding/missingLinear.ts';
import { latentDimOption, savedSpectral } from './embedding/options.ts';
import { type PrincipalAxes, principalAxes } from './embedding/principalAxes.ts';
import type { SpectralModel } from './embedding/spectralModel.ts';

export interface PpcaOptions {
  /** q, from 1 and below the number of directions in which Y varies; 2 unless given, or 1 where Y varies in two. */
  readonly latentDim?: number;
  /** Whether the weights are integrated out instead of the latents: the linear GPLVM. Off unless turned on. */
  readonly dual?: boolean;
}

const schema = v.strictObject({
  latentDim: v.optional(v.unwrap(latentDimOption)),
  dual: v.optional(v.boolean(), false),
});

/**
 * Probabilistic principal component analysis at its maximum of likelihood. With λ_c the eigenvalues of YcᵀYc/N and σ² the mean of
 * those left out, W = V(Λ − σ²I)^½ and the latents are the posterior means (WᵀW + σ²I)⁻¹Wᵀ(y − mean).
 *
 * With `dual` the latents are the parameters, and the eigenvalues those of YcYcᵀ/D: X = U(Λ − σ²I)^½, σ² the mean of the N − q left
 * out. It is the maximum of a GPLVM with a linear kernel of variance 1 and no prior.
 *
 * Fits fill in missing entries (NaN) of rows: `impute(Y)` gives their means and variances given the observed ones, but with `dual`.
 *
 * `parameters.weights` is W (D×q), `parameters.noise` is σ², `objective` the log likelihood.
 *
 * @param Y - N×D observations
 * @param options - `latentDim` q (2, or 1 where Y varies in two directions, of which noise needs one), `dual` (false)
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
  const { latentDim, dual } = checkOptions(schema, options, 'ppca');
  const points = observationsFrom(Y);
  checkVaried(points, 'ppca');
  return defined({ points, latentDim, dual });
}

interface PpcaData {
  readonly points: Matrix;
  readonly latentDim: number | undefined;
  readonly dual: boolean;
}

const defined = defineComputedModel({
  name: 'ppca',
  solve: ({ points, latentDim, dual }: PpcaData) => {
    const standardization = standardizationOf(points, true, false);
    const centred = standardized(points, standardization);
    const isFlat = latentDim === undefined && variesInTwoDirections(centred);
    const found = principalAxes(centred, isFlat ? 1 : (latentDim ?? 2), 'ppca');
    const solved = dual ? dualSolution(points, found, standardization) : solution(points, found, standardization);
    return isFlat ? { ...solved, message: `${solved.message} ${FLAT}` } : solved;
  },
  posterior: (found, { points, dual }) => {
    const map = linearMapOf(found, dual);
    return { ...linearPosterior(map, points.columns), ...(!dual && { missing: missingLinear(map) }) };
  },
  toJSON: ({ points, latentDim, dual }) => savedSpectral('ppca', points, { latentDim, dual }),
});

const FLAT = 'The observations vary in two directions, of which noise takes one: there is 1 latent dimension.';

const variesInTwoDirections = (centred: Matrix): boolean =>
  axesOf(centred, Math.min(3, centred.columns, centred.rows - 1)).eigenvalues.length === 2;

function solution({ rows: N, columns: D }: Matrix, found: PrincipalAxes, { mean }: Standardization) {
  const { eigenvalues, scores, axes, total } = found;
  const q = eigenvalues.length;
  const noise = meanOfOthers(total, eigenvalues, D);
  const W = scaledColumns(axes, (c) => Math.sqrt(eigenvalues[c]! - noise));
  // WᵀW + σ²I is the diagonal matrix of the eigenvalues.
  const latents = scaledColumns(scores, (c) => Math.sqrt(eigenvalues[c]! - noise) / eigenvalues[c]!);
  const logDeterminant = eigenvalues.reduce((sum, value) => sum + log(value), 0) + (D - q) * log(noise);
  const objective = (-N / 2) * (D * log(2 * Math.PI) + logDeterminant + D);
  return { latents, eigenvalues, ...parametersAt(W, mean, noise), ...ended(objective) };
}

function dualSolution({ rows: N, columns: D }: Matrix, found: PrincipalAxes, { mean }: Standardization) {
  const { scores, axes, total } = found;
  const eigenvalues = found.eigenvalues.map((value) => (value * N) / D);
  const q = eigenvalues.length;
  const noise = meanOfOthers((total * N) / D, eigenvalues, N);
  // scores = U·(D·Λ)^½
  const latents = scaledColumns(scores, (c) => Math.sqrt((eigenvalues[c]! - noise) / (D * eigenvalues[c]!)));
  // The posterior mean of the weights, YcᵀX(XᵀX + σ²I)⁻¹.
  const W = scaledColumns(axes, (c) => Math.sqrt((D * (eigenvalues[c]! - noise)) / eigenvalues[c]!));
  const logDeterminant = eigenvalues.reduce((sum, value) => sum + log(value), 0) + (N - q) * log(noise);
  const objective = (-D / 2) * (N * log(2 * Math.PI) + logDeterminant + N);
  return { latents, eigenvalues, ...parametersAt(W, mean, noise), ...ended(objective) };
}

function ended(objective: number): Pick<Embedding, 'objective' | 'terms' | 'message'> {
  return { objective, terms: { mapping: objective }, message: 'Closed form: the maximum of the likelihood.' };
}

function parametersAt(weights: Matrix, mean: Float64Array, noise: number): Pick<Embedding, 'parameters'> {
  return { parameters: { weights, mean: Array.from(mean), noise } };
}

function meanOfOthers(total: number, kept: Float64Array, count: number): number {
  const noise = (total - kept.reduce((sum, value) => sum + value, 0)) / (count - kept.length);
  if (count > kept.length && noise > 1e-14 * kept[0]!) return noise;
  throw new InvalidInputError(
    `The observations vary in ${counted(kept.length, 'direction')} only, so no noise is left and the likelihood has no maximum. ${kept.length > 1 ? 'Choose a smaller latentDim' : 'Take pca, which needs no noise'}.`,
  );
}

function scaledColumns({ data, rows, columns }: Matrix, factorOf: (column: number) => number): Matrix {
  const factors = Array.from({ length: columns }, (_, c) => factorOf(c));
  return new Matrix(
    data.map((entry, index) => entry * factors[index % columns]!),
    rows,
    columns,
  );
}

function linearMapOf({ parameters, eigenvalues }: Found, dual: boolean): LinearGaussian {
  const { weights, mean, noise } = parameters as { weights: Matrix; mean: readonly number[]; noise: number };
  if (!(weights instanceof Matrix)) throw damagedAt('values.weights', 'they are missing.');
  const map: LinearGaussian = { W: weights, mean, noise, prior: 1 };
  if (!dual) return map;
  // The weights are uncertain: σ²·xᵀ(XᵀX + σ²I)⁻¹x, XᵀX + σ²I the diagonal matrix of the eigenvalues.
  return {
    ...map,
    functionVariance: (x) => noise * x.reduce((sum, entry, c) => sum + (entry * entry) / eigenvalues[c]!, 0),
  };
}
