import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkNumbers, standardizationOf, standardized } from '../core/observations.ts';
import { readGiven } from '../core/options.ts';
import { principalComponents } from '../engine/dense/principalComponents.ts';

/** A fitted embedding, or anything else that has latents. */
export interface Initialization {
  readonly latents: Matrix;
}

/**
 * A start for latents: PCA scores or a fitted embedding at unit variance a column, a given matrix as it is.
 *
 * @param init - 'pca', an N×q matrix, or anything with N×q `latents`
 * @param given - N×D observations
 * @param latentDim - q
 * @returns N×q
 * @throws InvalidInputError when the start does not fit the observations
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
  return checkShape(checkNumbers(Matrix.from(init as MatrixLike, 'init'), 'init'), Y, latentDim);
}

/**
 * A copy of a start, so that what the caller does with it later changes no model.
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
    `init must be ${Y.rows}×${latentDim} (one row a point, a column for each latent dimension), but a ${X.rows}×${X.columns} matrix was given.`,
  );
}

function unitVariance(X: Matrix): Matrix {
  return standardized(X, standardizationOf(X, true, true));
}
