import * as v from 'valibot';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { edgesOfPairs, pairKey } from '../../numerics/graph/edges.ts';
import { checkNeighbours } from '../../numerics/graph/neighbourhoodGraph.ts';
import { bottomOfSparse } from '../../numerics/sparse/bottomOfSparse.ts';
import { closedFormModel, traceTerm } from './embedding/closedForm.ts';
import { latentDimOption, regularizationOption, savedSpectral } from './embedding/options.ts';
import type { SpectralModel } from './embedding/spectralModel.ts';
import { nearestLists, precisionTerms, reconstructionFactor } from './neighbourhood/localReconstruction.ts';
import { componentsNote } from './neighbourhood/neighbourhood.ts';
import { placeByEquation } from './placement/byEquation.ts';
import { isPoint, reconstructedRows } from './placement/byReconstruction.ts';
import { placedRows } from './placement/newRows.ts';

export interface LleOptions {
  /** q, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** k nearest others that reconstruct each point; 7 unless given. */
  readonly neighbours?: number;
  /** Part of the trace that is added to the diagonal of each local Gram matrix; 1e-3 unless given. 'auto': only where D < k. */
  readonly regularization?: number | 'auto';
  /** Whether points that are reconstructed well count more: m_ii² = D/‖residual‖² instead of 1. Off unless turned on. */
  readonly generalised?: boolean;
}

const schema = v.strictObject({
  latentDim: latentDimOption,
  neighbours: v.optional(v.any(), 7),
  regularization: regularizationOption(1e-3),
  generalised: v.optional(v.boolean(), false),
});

/**
 * Locally linear embedding: the bottom eigenvectors of L = MMᵀ with column i of M m_ii·(e_i − Σ_j w_ji·e_j), w_i ∝ C_i⁻¹1 the weights
 * that reconstruct point i from its neighbours; the constant one is left out, columns have unit norm.
 *
 * `project` places a new point by the weights that reconstruct it from its k nearest points, with its own equation of Lv = μv, all else held:
 * x = m²·Σ_j w_j·x_j/(m² − μ). A row that is a point of the fit lands on its latents.
 *
 * m_ii = 1 is LLE. With `generalised`, m_ii² = D/‖residual‖² maximises the pseudolikelihood of a random field of precision L.
 *
 * @param Y - N×D observations
 * @param options - see {@link LleOptions}
 * @returns a model in closed form for `fit`; `eigenvalues` are those of L
 * @throws InvalidInputError for observations that are not finite numbers, and k ≥ N; NumericalError when a local Gram matrix is singular
 * @see Roweis & Saul 2000; Lawrence 2012, §2.7; Bengio et al. 2004 (new points)
 * @example
 * ```ts
 * const { latents } = await fit(lle(Y, { neighbours: 10 }));
 * ```
 */
export function lle(Y: MatrixLike, options: LleOptions = {}): SpectralModel {
  const checked = checkOptions(schema, options, 'lle');
  const points = observationsFrom(Y);
  const k = checkNeighbours(checked.neighbours as number, points.rows, 'lle');
  return closedFormModel({
    name: 'lle',
    embed: () => {
      const lists = nearestLists(points, k);
      const factor = reconstructionFactor(points, lists, checked.regularization, !checked.generalised);
      const { values: eigenvalues, vectors: latents } = bottomOfSparse(precisionTerms(factor), checked.latentDim);
      const keys = Float64Array.from(lists.flatMap((own, i) => Array.from(own, (j) => pairKey(i, j, points.rows))));
      const graph = { size: points.rows, ...edgesOfPairs(keys, points.rows, () => 1) };
      return {
        latents,
        eigenvalues,
        ...traceTerm(eigenvalues, -1),
        message: `Closed form.${componentsNote(graph)}`,
      };
    },
    abilities: ({ latents, eigenvalues }) => ({
      placement: {
        acceptsMissing: false,
        observedColumns: points.columns,
        place: (given) => {
          const made = reconstructedRows(points, given, k, checked.regularization);
          return placedRows(given, checked.latentDim, (_, i, place) => {
            const { neighbours, weights, residual } = made[i]!;
            if (isPoint(made[i]!)) place.set((latents as Matrix).row(neighbours[0]!));
            else {
              const own = checked.generalised ? points.columns / residual : 1;
              placeByEquation(latents as Matrix, eigenvalues as readonly number[], { neighbours, weights, own }, place);
            }
          });
        },
      },
    }),
    toJSON: () => savedSpectral('lle', points, checked),
  });
}
