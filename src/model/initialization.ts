import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkNumbers, standardizationOf, standardized } from '../core/observations.ts';
import { readGiven } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import { shortNumber } from '../core/wording.ts';
import { symmetricEigenpairs } from '../engine/dense/eigenpairs.ts';
import { principalComponents } from '../engine/dense/principalComponents.ts';

/** A fitted embedding, or any object with latents. */
export interface Initialization {
  readonly latents: Matrix;
}

/**
 * Initial latents: PCA scores or a fitted embedding at unit variance per column, or a matrix. A matrix whose rows are all equal, or whose columns are
 * linearly dependent, is perturbed by normal numbers with a tenth of its standard deviation, because points and dimensions with equal gradients would
 * never separate.
 *
 * @param init - 'pca', an N×q matrix, or an object with N×q `latents`
 * @param given - N×D observations
 * @param latentDim - q
 * @returns N×q
 * @throws InvalidInputError if the latents do not match the observations
 * @example
 * ```ts
 * real(initialLatents('pca', Y, 2)); // free latents of a custom model
 * ```
 */
export function initialLatents(
  init: 'pca' | MatrixLike | Initialization,
  given: MatrixLike,
  latentDim: number,
): Matrix {
  const Y = given instanceof Matrix ? given : Matrix.from(given, 'Y');
  if (init === 'pca') return unitVariance(principalComponents(Y, latentDim));
  if (readGiven('init', () => isEmbedding(init))) {
    return unitVariance(checkShape((init as Initialization).latents, Y, latentDim));
  }
  if (typeof init === 'string') {
    throw new InvalidInputError(
      `init must be 'pca', an N×q matrix or a fitted embedding, but ${describe(init)} was given.`,
    );
  }
  return separated(heldLatents(init as MatrixLike, Y, latentDim));
}

/**
 * Latents from a matrix, unchanged.
 *
 * @throws InvalidInputError unless it is N×q and all numbers are finite
 */
export const heldLatents = (X: MatrixLike, Y: Matrix, latentDim: number): Matrix =>
  checkShape(checkNumbers(Matrix.from(X, 'init'), 'init'), Y, latentDim);

/** Fraction of the total variance below which a direction is assumed to have none except for rounding. */
const NO_SPREAD = 1e-14;
/** Size of the perturbation, relative to the standard deviation of the latents, or absolute if it is 0. */
const SPREAD = 0.1;

/** Standard deviation of the perturbation of a matrix whose rows are all equal or whose columns are linearly dependent; 0 for any other. */
function spreadOf(X: Matrix): number {
  const { data: centered } = standardized(X, standardizationOf(X, true, false));
  const { rows: N, columns: q } = X;
  const scatter = Matrix.zeros(q, q);
  for (let a = 0; a < q; a++) {
    for (let b = 0; b < q; b++) {
      for (let i = 0; i < N; i++) scatter.data[a * q + b]! += (centered[i * q + a]! * centered[i * q + b]!) / N;
    }
  }
  const { values } = symmetricEigenpairs(scatter);
  const [least, most] = [values[0]!, values[q - 1]!];
  return N <= q || least > NO_SPREAD * most ? 0 : SPREAD * (Math.sqrt(most) || 1);
}

function separated(X: Matrix): Matrix {
  const deviation = spreadOf(X);
  const { normal } = seededRandom(0);
  return deviation === 0 ? X : X.map((entry) => entry + deviation * normal());
}

/** Note in the message of a fit about perturbed initial latents. */
export function spreadNote(init: unknown): string {
  const deviation = init instanceof Matrix ? spreadOf(init) : 0;
  if (deviation === 0) return '';
  return ` The columns of init determine each other, so normal numbers of standard deviation ${shortNumber(deviation)} were added: equal columns would never part.`;
}

/**
 * A copy of initial latents, so that later changes by the caller have no effect on the model.
 *
 * @throws InvalidInputError if it is neither a matrix nor an embedding nor a text
 */
export function keptInit<Init>(init: Init): Init {
  if (typeof init === 'string' || typeof init === 'function') return init;
  if (readGiven('init', () => isEmbedding(init))) {
    return { latents: Matrix.from((init as Initialization).latents, 'init') } as Init;
  }
  return Matrix.from(init as MatrixLike, 'init') as Init;
}

function isEmbedding(init: unknown): boolean {
  return (
    typeof init === 'object' &&
    init !== null &&
    !(init instanceof tf.Tensor) &&
    'latents' in init &&
    init.latents instanceof Matrix
  );
}

function checkShape(X: Matrix, Y: Matrix, latentDim: number): Matrix {
  if (X.rows === Y.rows && X.columns === latentDim) return X;
  throw new InvalidInputError(
    `init must be ${Y.rows}×${latentDim} (one row per point, a column for each latent dimension), but a ${X.rows}×${X.columns} matrix was given.`,
  );
}

function unitVariance(X: Matrix): Matrix {
  return standardized(X, standardizationOf(X, true, true));
}
