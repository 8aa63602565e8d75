import * as v from 'valibot';
import type { MatrixLike } from '../../core/matrix.ts';
import { checkOptions } from '../../core/options.ts';
import type { Model } from '../../model/model.ts';
import { closedFormModel, traceTerm } from './embedding/closedForm.ts';
import { doublyCentred, euclideanNote, leadingEmbedding } from './embedding/leadingEmbedding.ts';
import { inputOption, latentDimOption, savedSpectral } from './embedding/options.ts';
import { distancesFrom } from './neighbourhood/distanceInput.ts';

export interface ClassicalMdsOptions {
  /** q, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** What Y is: 'points', whose Euclidean distances are taken (unless given), or N×N 'distances'. */
  readonly input?: 'points' | 'distances';
}

const schema = v.strictObject({ latentDim: latentDimOption, input: inputOption });

/**
 * Classical multidimensional scaling: X = V·Λ^½ from the q leading eigenpairs of B = −½·H·D²·H, the inner products of centred points
 * with distances D. Of Euclidean distances between points it is PCA.
 *
 * @param Y - N×D points, or N×N distances
 * @param options - `latentDim` q (2), `input` ('points')
 * @returns a model in closed form for `fit`; `eigenvalues` are those of B
 * @throws InvalidInputError for entries that are not finite, distances that are negative, not symmetric or not 0 on the diagonal, and when
 * fewer than q eigenvalues of B are positive
 * @see Cox & Cox 2001, §2.2
 * @example
 * ```ts
 * const { latents } = await fit(classicalMds(distances, { input: 'distances' }));
 * ```
 */
export function classicalMds(Y: MatrixLike, options: ClassicalMdsOptions = {}): Model {
  const checked = checkOptions(schema, options, 'classicalMds');
  const { points, distances } = distancesFrom(Y, checked.input, 'classicalMds');
  return closedFormModel({
    name: 'classicalMds',
    embed: () => {
      const squared = distances();
      squared.data.forEach((distance, index) => {
        squared.data[index] = distance * distance;
      });
      const { latents, eigenvalues, smallest } = leadingEmbedding(
        doublyCentred(squared, -0.5),
        checked.latentDim,
        'classicalMds',
      );
      return {
        latents,
        eigenvalues,
        ...traceTerm(eigenvalues, 1),
        message: `Closed form.${euclideanNote(smallest, eigenvalues[0]!)}`,
      };
    },
    toJSON: () => savedSpectral('classicalMds', points, checked),
  });
}
