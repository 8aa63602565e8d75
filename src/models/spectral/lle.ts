import * as v from 'valibot';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, unitsAdvice } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { bottomOfSparse } from '../../engine/sparse/bottomEigenpairs.ts';
import { stage } from '../../model/computation.ts';
import { defineComputedModel } from '../../model/computedModel.ts';
import {
  checkVaried,
  inOrder,
  latentDimOption,
  regularizationOption,
  type SpectralModel,
  savedSpectral,
  traceTerm,
} from './embedding/options.ts';
import { type ReadOutOptions, readAs, readOutOption, withVectors } from './embedding/readOut.ts';
import { checkNoGraph, type GraphOptions, neighborInput } from './neighborhood/graphInput.ts';
import { precisionOf, reconstructingLists, reconstructionFactor } from './neighborhood/localReconstruction.ts';
import {
  type Disconnected,
  disconnectedOption,
  type NeighborInput,
  neighborCount,
} from './neighborhood/neighborhood.ts';
import { isPoint, placeByEquation, placedRows, reconstructedRows, rowsOf } from './placement/byWeights.ts';

export interface LleOptions extends Pick<GraphOptions, 'graph'>, ReadOutOptions {
  /** Number of latent dimensions q, from 1; default 2. */
  readonly latentDim?: number;
  /** k nearest others that reconstruct each point; default 7. A given graph replaces them, and k is then the number for new points only. */
  readonly neighbors?: number;
  /** About a graph that is not connected: 'connect' (unless given), 'largest' or 'error', as for isomap. */
  readonly disconnected?: Disconnected;
  /** Part of the trace that is added to the diagonal of each local Gram matrix; default 1e-3. 'auto': only where D < k. */
  readonly regularization?: number | 'auto';
  /** Whether points that are reconstructed well count more: m_ii² = D/‖residual‖² instead of 1. Off unless turned on. */
  readonly generalized?: boolean;
}

const schema = v.strictObject({
  latentDim: latentDimOption,
  embedding: readOutOption,
  neighbors: v.optional(v.any()),
  regularization: regularizationOption(1e-3),
  generalized: v.optional(v.boolean(), false),
  graph: v.optional(v.any()),
  disconnected: disconnectedOption,
});

/**
 * Locally linear embedding: the bottom eigenvectors of L = MMᵀ with column i of M m_ii·(e_i − Σ_j w_ji·e_j), w_i ∝ C_i⁻¹1 the weights
 * that reconstruct point i from its neighbors; the constant one is left out, columns have unit norm.
 *
 * `project` places a new point by the weights that reconstruct it from its k nearest points, with its own equation of Lv = μv, all else held:
 * x = m²·Σ_j w_j·x_j/(m² − μ). A row that is a point of the fit lands on its latents.
 *
 * m_ii = 1 is LLE. With `generalized`, m_ii² = D/‖residual‖² maximizes the pseudolikelihood of a random field of precision L.
 *
 * @summary locally linear embedding
 * @param Y - N×D observations
 * @param options - see {@link LleOptions}
 * @returns a model in closed form for `fit`; `eigenvalues` are those of L
 * @throws InvalidInputError for observations that are not finite numbers, and k ≥ N; NumericalError when a local Gram matrix is singular
 * @see Roweis & Saul 2000; Lawrence 2012, §2.7; Bengio et al. 2004 (new points)
 * @example
 * ```ts
 * const { latents } = await fit(lle(Y, { neighbors: 10 }));
 * ```
 */
export function lle(Y: MatrixLike, options: LleOptions = {}): SpectralModel {
  const checked = withVectors(checkOptions(schema, options, 'lle'), options, 'lle');
  checkNoGraph(Y, 'lle');
  const points = observationsFrom(Y);
  checkVaried(points, 'lle');
  const { graph: from } = checked;
  const given = neighborInput(points, { graph: from }, 'lle');
  const asked = checked.neighbors as number | undefined;
  const { k, note } =
    from === undefined || asked === undefined
      ? neighborCount(asked, points.rows, 'lle')
      : { k: Math.min(asked, points.rows - 1), note: '' };
  return readAs(defined({ given, k, note, checked: { ...checked, neighbors: asked ?? k } }), checked.embedding);
}

interface LleData {
  readonly given: NeighborInput;
  readonly k: number;
  /** A sentence about k. */
  readonly note: string;
  readonly checked: v.InferOutput<typeof schema>;
}

const defined = defineComputedModel({
  name: 'lle',
  solve: function* ({ given, k, note: few, checked }: LleData) {
    const { latentDim, disconnected, regularization, generalized } = checked;
    const { points } = given;
    const { lists, shown, note } = yield* stage('neighbors', reconstructingLists(given, k, disconnected));
    const rows = shown.length === points.rows ? points : rowsOf(points, shown);
    yield { kind: 'pause', stage: 'weights' };
    const factor = reconstructionFactor(rows, lists, regularization, !generalized);
    const { trace, ...precision } = precisionOf(factor);
    const bottom = yield* stage('eigenvectors', bottomOfSparse(precision, latentDim, { trace }));
    const { values: eigenvalues, vectors: latents } = bottom;
    return {
      latents,
      eigenvalues,
      ...(shown.length < points.rows && { parameters: { points: Array.from(shown) } }),
      ...traceTerm(eigenvalues, -1),
      message: `Closed form.${few}${note}${unitsAdvice(points)}`,
    };
  },
  posterior: ({ latents, eigenvalues, parameters: { points: part } }, { given: { points }, k, checked }) => ({
    placement: {
      acceptsMissing: false,
      observedColumns: points.columns,
      place: (given: Matrix) => {
        const { latentDim, regularization, generalized } = checked;
        const shown = part === undefined ? points : rowsOf(points, part as readonly number[]);
        const made = reconstructedRows(shown, given, Math.min(k, shown.rows), regularization);
        return placedRows(given, latentDim, (_, i, place) => {
          const { neighbors, weights, residual } = made[i]!;
          if (isPoint(made[i]!)) place.set(latents.row(neighbors[0]!));
          else {
            const own = generalized ? points.columns / residual : 1;
            placeByEquation(latents, eigenvalues, { neighbors, weights, own }, place);
          }
        });
      },
    },
  }),
  toJSON: ({ given, checked }) => savedSpectral('lle', given.points, inOrder(schema, checked)),
});
