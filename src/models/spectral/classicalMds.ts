import * as v from 'valibot';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { checkAllPairs, columnMeans } from '../../core/observations.ts';
import { checkOptions, type OptionsIn } from '../../core/options.ts';
import { stage } from '../../model/computation.ts';
import { defineComputedModel } from '../../model/computedModel.ts';
import { doublyCentered, euclideanNote, leadingEmbedding } from './embedding/leadingEmbedding.ts';
import {
  embeddingShapes,
  inputOption,
  latentDimOption,
  type SpectralModel,
  savedSpectral,
  traceTerm,
} from './embedding/options.ts';
import { readAs, readOutOptions, withVectors } from './embedding/readOut.ts';
import { distancesFrom } from './neighborhood/graphInput.ts';
import { placeByProducts } from './placement/byProducts.ts';
import { distancesTo, placedRows } from './placement/byWeights.ts';

export interface ClassicalMdsOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  /** Form of Y: 'points' (default), or N×N 'distances'. */
  input: inputOption,
  ...readOutOptions,
});

/**
 * Classical multidimensional scaling: X = V·Λ^½ from the q leading eigenpairs of B = −½·H·D²·H, the inner products of centered points with distances
 * D. For Euclidean distances between points it equals PCA.
 *
 * `project` places a new point by its squared distances d²_n to all points: x_c = −½·Σ_n x_nc·(d²_n − mean_i d²_in)/λ_c. With `input: 'distances'` it
 * requires n×N distances, from each new point to the N fitted points. Fitted points are mapped to their latents.
 *
 * @summary classical scaling of distances
 * @remarks It needs an N×N matrix. `pca` shows the same without it.
 * @param Y - N×D points, or N×N distances
 * @param options - `latentDim` q (2), `input` ('points')
 * @returns a model in closed form for `fit`; `eigenvalues` belong to B
 * @throws InvalidInputError for entries that are not finite, distances that are negative, not symmetric or not 0 on the diagonal, and if fewer than q
 * eigenvalues of B are positive
 * @see Cox & Cox 2001, §2.2; Bengio et al. 2004 (new points)
 * @example
 * ```ts
 * const { latents } = await fit(classicalMds(distances, { input: 'distances' }));
 * ```
 */
export function classicalMds(Y: MatrixLike, options: ClassicalMdsOptions = {}): SpectralModel {
  const checked = withVectors(checkOptions(schema, options, 'classicalMds'), options, 'classicalMds');
  const { points, distances, note } = distancesFrom(Y, checked.input, 'classicalMds');
  checkAllPairs('classicalMds', points.rows, 'Take pca, which gives the same of points, or isomap with landmarks.');
  return readAs(defined({ points, distances, note, checked }), checked.embedding);
}

type Checked = v.InferOutput<typeof schema>;

interface MdsData extends ReturnType<typeof distancesFrom> {
  readonly checked: Checked;
}

const defined = defineComputedModel({
  name: 'classicalMds',
  solve: function* ({ distances, note, checked: { latentDim } }: MdsData) {
    const products = doublyCentered(squared(distances()), -0.5);
    const embedded = leadingEmbedding(products, latentDim, 'classicalMds');
    const { latents, eigenvalues, smallest } = yield* stage('eigenvectors', embedded);
    return {
      latents,
      eigenvalues,
      ...traceTerm(eigenvalues, 1),
      message: `Closed form.${euclideanNote(smallest, eigenvalues[0]!)}${note}`,
    };
  },
  shapes: ({ points }, found) => embeddingShapes(points.rows, found),
  posterior: ({ latents, eigenvalues }, { points, distances, checked: { input, latentDim } }) => ({
    placement: {
      observedColumns: points.columns,
      place: (given: Matrix) => {
        const embedding = { latents, eigenvalues, meanSquares: columnMeans(squared(distances())) };
        const distancesOf = distancesTo({ points, input });
        return placedRows(given, latentDim, (row, number, place) => {
          const squares = distancesOf(row, number).map((distance) => distance * distance);
          placeByProducts(embedding, squares, place);
        });
      },
    },
  }),
  toJSON: ({ points, checked }) => savedSpectral('classicalMds', points, checked),
});

function squared(distances: Matrix): Matrix {
  distances.data.forEach((distance, index) => {
    distances.data[index] = distance * distance;
  });
  return distances;
}
