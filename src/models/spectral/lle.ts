import * as v from 'valibot';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, unitsAdvice } from '../../core/observations.ts';
import { checkOptions, type OptionsIn, typed } from '../../core/options.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import { bottomOfSparse } from '../../engine/sparse/bottomEigenpairs.ts';
import { stage } from '../../model/computation.ts';
import { defineComputedModel } from '../../model/computedModel.ts';
import {
  checkVaried,
  embeddingShapes,
  inOrder,
  latentDimOption,
  regularizationOption,
  type SpectralModel,
  savedSpectral,
  traceTerm,
} from './embedding/options.ts';
import { readAs, readOutOptions, withVectors } from './embedding/readOut.ts';
import { checkNoGraph, neighborInput } from './neighborhood/graphInput.ts';
import { precisionOf, reconstructingLists, reconstructionFactor } from './neighborhood/localReconstruction.ts';
import { disconnectedOption, type NeighborInput, neighborCount, sizeOf } from './neighborhood/neighborhood.ts';
import { isPoint, placeByEquation, placedRows, reconstructedRows } from './placement/byWeights.ts';

export interface LleOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  ...readOutOptions,
  /** Number k of nearest neighbors that reconstruct each point; default 7. If a graph is passed, it replaces them, and k is used for new points only. */
  neighbors: v.optional(typed<number>()),
  /** Fraction of the trace that is added to the diagonal of each local Gram matrix; default 1e-3. 'auto': only if D < k. */
  regularization: regularizationOption(1e-3),
  /** Whether points with good reconstructions have more weight: m_ii² = D/‖residual‖² instead of 1. Default false. */
  generalized: v.optional(v.boolean(), false),
  /** Neighborhood graph; `neighbors` is then used for new points only. */
  graph: v.optional(typed<Graph>()),
  /** Treatment of a disconnected graph: 'connect' (default), 'largest' or 'error', as for isomap. */
  disconnected: disconnectedOption,
});

/**
 * Locally linear embedding: the bottom eigenvectors of L = MMᵀ without the constant one, with unit norm. Column i of M is m_ii·(e_i − Σ_j w_ji·e_j),
 * with w_i ∝ C_i⁻¹1 the weights that reconstruct point i from its neighbors.
 *
 * `project` places a new point by the weights that reconstruct it from its k nearest points, with its row of Lv = μv, everything else fixed: x =
 * m²·Σ_j w_j·x_j/(m² − μ). A row that equals a fitted point is mapped to that point's latents.
 *
 * m_ii = 1 is LLE. With `generalized`, m_ii² = D/‖residual‖² maximizes the pseudolikelihood of a random field of precision L.
 *
 * @summary locally linear embedding
 * @param Y - N×D observations
 * @param options - see {@link LleOptions}
 * @returns a model in closed form for `fit`; `eigenvalues` belong to L
 * @throws InvalidInputError for observations that are not finite numbers, and k ≥ N; NumericalError if a local Gram matrix is singular
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
  /** Sentence about k. */
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
  shapes: ({ given }, found) => embeddingShapes(sizeOf(given), found),
  posterior: ({ latents, eigenvalues, parameters: { points: part } }, { given: { points }, k, checked }) => ({
    placement: {
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
