import { counted } from '../../core/counted.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { standardizationOf, standardized } from '../../core/observations.ts';
import { principalAxes } from './principalAxes.ts';

/**
 * Principal component scores: the projections of the centred rows of Y on the q directions of largest variance, N×q, in order
 * of falling variance. Signs: the entry of largest modulus in each column is positive.
 *
 * @param Y - N×D
 * @param components - q, at most the number of directions in which Y varies
 * @throws InvalidInputError when Y does not vary in that many directions
 * @see Bishop 2006, §12.1
 */
export function principalComponents(Y: Matrix, components: number): Matrix {
  const { rows: N, columns: D } = Y;
  const most = Math.min(N - 1, D);
  if (components > most) {
    throw new InvalidInputError(
      `${components} principal components were asked for, but ${N} points of ${counted(D, 'column')} have at most ${most}. ` +
        'Choose a smaller latentDim, or give the start of the latents as a matrix.',
    );
  }
  const { scores } = principalAxes(standardized(Y, standardizationOf(Y, true, false)), components);
  if (scores.columns < components) throw tooFewDirections(scores.columns, components);
  return scores;
}

/**
 * The best fit of rank q to the rows of Y about their mean: Y projected on its q principal directions, or on as many as it varies
 * in.
 *
 * @param Y - N×D
 * @param components - q, at most min(N − 1, D)
 * @returns N×D
 */
export function principalSubspaceFit(Y: Matrix, components: number): Matrix {
  const { rows: N, columns: D } = Y;
  const standardization = standardizationOf(Y, true, false);
  const { scores, axes } = principalAxes(standardized(Y, standardization), components);
  const fitted = Matrix.zeros(N, D);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < D; j++) {
      let sum = standardization.mean[j]!;
      for (let c = 0; c < scores.columns; c++) sum += scores.at(i, c) * axes.at(j, c);
      fitted.data[i * D + j] = sum;
    }
  }
  return fitted;
}

function tooFewDirections(found: number, asked: number): InvalidInputError {
  return new InvalidInputError(
    `The observations vary in ${found} direction${found === 1 ? '' : 's'} only, so ${asked} principal components do not ` +
      'exist. Choose a smaller latentDim, or give the start of the latents as a matrix.',
  );
}
