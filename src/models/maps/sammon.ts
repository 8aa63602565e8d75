import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { checkAllPairs, observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions, type OptionsIn } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { repeatsInWords } from '../../core/rowMatrices.ts';
import { squaredDistances } from '../../engine/neighbors/squaredDistance.ts';
import { checkMapped } from '../../model/neighborStart.ts';
import type { PlainFunction } from '../../priors/plainFunction.ts';
import { principalAxes } from '../spectral/embedding/linearGaussian.ts';
import { checkVaried, latentDimOption } from '../spectral/embedding/options.ts';
import { type MapModel, mapModel, type StartOfMap } from './mapModel.ts';
import { savedStart, startOption } from './tsneMap.ts';

export interface SammonOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  /** Start of the latents: scores on the principal components ('pca', default), 'eigenmaps', or an N×q matrix, which is used unscaled. */
  init: startOption,
});

/**
 * Sammon's mapping: latents that preserve the distances of the observations, small ones above all. The objective is the negative stress E = Σ_{i<j}
 * (δ_ij − d_ij)²/δ_ij / Σ_{i<j} δ_ij, with δ the Euclidean distances between observations and d between latents.
 *
 * The stress has many minima: a fit reaches one near its start, by default the principal components. `project` places a new row at the minimum of Σ_j
 * (δ_j − d_j)²/δ_j over the fitted points. A row that equals a fitted point is mapped to that point's latents.
 *
 * @summary Sammon's mapping: keeps distances, small ones above all
 * @remarks There are N² pairs. `tsne` and `umap` take many points.
 * @param Y - N×D observations
 * @param options - `latentDim` q (2), `init` ('pca')
 * @returns a model for `fit` and `evaluate`
 * @throws InvalidInputError for observations that are not finite numbers, fewer than 3 points, and two equal points, since E divides by their distance
 * @see Sammon 1969
 * @example
 * ```ts
 * const { latents, objective } = await fit(sammon(Y)); // objective: the negative stress
 * ```
 */
export function sammon(Y: MatrixLike, options: SammonOptions = {}): MapModel {
  const { latentDim, init } = checkOptions(schema, options, 'sammon');
  const points = observationsFrom(Y);
  checkMapped(points, 'sammon');
  checkVaried(points, 'sammon');
  checkAllPairs('sammon', points.rows, 'Take tsne or umap, or fewer points.');
  const density = lazily(() => minusStress(points, latentDim));
  const isScores = init === 'pca';
  return mapModel('sammon', {
    points,
    latentDim,
    init: isScores ? lazily(() => scores(points, latentDim)) : (init as StartOfMap),
    scaled: (start) => start,
    density,
    near: points.rows,
    placing: ({ indices, distances }, latents) => {
      const weights = distances.map((distance) => 1 / distance);
      return {
        weights,
        at: (x, gradient) => {
          gradient.fill(0);
          let value = 0;
          indices.forEach((j, n) => {
            const own = latents.row(j);
            value += pairStress(distances[n]!, x, 0, own, 0, x.length, (c, slope) => {
              gradient[c]! += slope;
            });
          });
          return value;
        },
      };
    },
    saved: { latentDim, init: savedStart(init) },
  });
}

function scores(points: Matrix, q: number): Matrix {
  return principalAxes(standardized(points, standardizationOf(points, true, false)), q, 'sammon').scores;
}

/** (δ − d)²/δ of one pair, and its derivative with respect to each coordinate of the first position. */
function pairStress(
  delta: number,
  X: Float64Array,
  i: number,
  Z: Float64Array,
  j: number,
  q: number,
  slopeAt: (c: number, slope: number) => void,
): number {
  let squares = 0;
  for (let c = 0; c < q; c++) squares += square(X[i + c]! - Z[j + c]!);
  const d = Math.sqrt(squares);
  // Where two points coincide the stress has no gradient; 0 is one of its subgradients.
  if (d > 0) for (let c = 0; c < q; c++) slopeAt(c, (2 * (d - delta) * (X[i + c]! - Z[j + c]!)) / (delta * d));
  return square(delta - d) / delta;
}

/** Function −E of latents, N×q. */
function minusStress(points: Matrix, q: number): PlainFunction {
  const { rows: N, columns: D, data } = points;
  const deltas = new Float64Array((N * (N - 1)) / 2);
  const own = new Float64Array(N);
  let total = 0;
  for (let i = 1; i < N; i++) {
    squaredDistances(points.row(i), 0, data, 0, D, i, own);
    for (let j = 0; j < i; j++) {
      const delta = Math.sqrt(own[j]!);
      if (delta === 0) {
        throw new InvalidInputError(
          `The stress of sammon divides by the distances of points, but ${repeatsInWords(points) ?? `points ${j} and ${i} are as good as the same`}. Leave repeated rows out.`,
        );
      }
      deltas[(i * (i - 1)) / 2 + j] = delta;
      total += delta;
    }
  }
  return (X, gradient) => {
    gradient.fill(0);
    let stress = 0;
    for (let i = 1; i < N; i++) {
      for (let j = 0; j < i; j++) {
        stress += pairStress(deltas[(i * (i - 1)) / 2 + j]!, X, i * q, X, j * q, q, (c, slope) => {
          gradient[i * q + c]! -= slope / total;
          gradient[j * q + c]! += slope / total;
        });
      }
    }
    return -stress / total;
  };
}
