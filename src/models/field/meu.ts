import * as v from 'valibot';
import type { MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { edgeDistances } from '../../fields/density/edgeSquaredDistances.ts';
import { commonEntriesGraph } from '../../fields/observed/commonEntries.ts';
import { observedSquaredDistances } from '../../fields/observed/observedSquaredDistances.ts';
import { knnGraph } from '../../numerics/graph/index.ts';
import { checkNeighbours } from '../../numerics/graph/neighbourhoodGraph.ts';
import { latentDimOption, numberAboveZero, savedSpectral, slackPenaltyOption } from '../spectral/embedding/options.ts';
import { type FieldModel, fieldModel } from './fieldModel.ts';
import { observedFieldModel } from './observedFieldModel.ts';

export interface MeuOptions {
  /** q, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** k of the symmetrised k-nearest-neighbour graph whose edges have constraints; 7 unless given. */
  readonly neighbours?: number;
  /** γ > 0; 1e-4 unless given. */
  readonly basePrecision?: number;
  /** C > 0: weights are at most 4C; Infinity unless given. */
  readonly slackPenalty?: number;
  /**
   * What to do about missing entries (NaN) of the observations: without it they are an error; with 'ignore' the density of those that are
   * observed is maximised.
   */
  readonly missing?: 'ignore';
  /** How latents are read off the field; 'kernelPca' unless given. */
  readonly embedding?: 'kernelPca' | 'eigenmap';
}

const schema = v.strictObject({
  latentDim: latentDimOption,
  neighbours: v.optional(v.any(), 7),
  basePrecision: v.optional(numberAboveZero, 1e-4),
  slackPenalty: slackPenaltyOption,
  missing: v.optional(v.picklist(['ignore'], "'ignore', or left out")),
  embedding: v.optional(v.picklist(['kernelPca', 'eigenmap'], "'kernelPca' or 'eigenmap'"), 'kernelPca'),
});

/**
 * Maximum entropy unfolding: the Gaussian random field over points of largest entropy whose expected squared distances between
 * neighbours are those observed, with attractive weights: max D/2·log|L(w) + γI| − ½·Σ w_e·‖y_i − y_j‖² over w ≥ 0, and its
 * embedding by kernel PCA of the covariance.
 *
 * `project` joins a new point to its k nearest points by the weights w ≥ 0 that maximise the same objective with one more point, all else held,
 * and places it at x_* = Σ_j w_j·x_j/(Σ_j w_j − μ), μ = 1/eigenvalue − γ, as the eigenvectors' own equation has it; `reconstruct` gives
 * its mean given its neighbours, (γ'·mean + Σ_j w_j·y_j)/(γ' + Σ_j w_j), γ' = γN/(N + 1). Missing entries (NaN) of new points count in neither.
 *
 * With `missing: 'ignore'` the columns of Y, copies of the field, may have missing entries (NaN): the density of the others is maximised, by its
 * gradient D/2·R_e − ½·E[‖y_i − y_j‖² | observed entries] with the curvature of EM; `impute(Y)` then gives the missing ones. Neighbours are those
 * of least mean squared difference over common entries. The density has one maximum without missing entries, which a fit reaches from any start (so
 * `restarts` find nothing else), and may have several with them.
 *
 * @param Y - N×D observations
 * @param options - see {@link MeuOptions}
 * @returns a model for `fit` and `evaluate`; its fit has `graph`, `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`
 * @throws InvalidInputError for observations that are not finite numbers, neighbouring points that are the same, k ≥ N, rows that have no
 * entries in common with k others
 * @see Lawrence 2012, §2 and eq. 3
 * @example
 * ```ts
 * const result = await fit(meu(Y, { latentDim: 2, neighbours: 6 }));
 * result.graph!.weights;
 * ```
 */
export function meu(Y: MatrixLike, options: MeuOptions = {}): FieldModel {
  const checked = checkOptions(schema, options, 'meu');
  const points = observationsFrom(Y, checked.missing === 'ignore');
  const neighbours = checkNeighbours(checked.neighbours as number, points.rows, 'meu');
  const holed = points.data.some(Number.isNaN);
  const parts = {
    ...checked,
    name: 'meu',
    copies: points.columns,
    observations: points,
    neighbours,
    density: true,
    toJSON: () => savedSpectral('meu', points, checked),
  };
  if (holed) return observedFieldModel({ ...parts, ...commonEntriesGraph(points, neighbours) });
  const graph = knnGraph(points, neighbours);
  return fieldModel({
    ...parts,
    graph,
    squaredDistances: edgeDistances(points, graph),
    distancesTo: observedSquaredDistances(points),
  });
}
