import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { momentDensity, pointMoments } from '../../fields/density/momentDensity.ts';
import { checkBounded, checkSize } from '../../fields/density/momentLimits.ts';
import { type MomentProblem, type PrecisionEntries, withInverse } from '../../fields/density/secondMoments.ts';
import { expectedMoments } from '../../fields/layers/expectedMoments.ts';
import { imputedByField } from '../../fields/observed/imputedByField.ts';
import { ownSteps } from '../../fields/solvers/ownSteps.ts';
import { ATTRACTION, DIAGONAL, entriesIn, REPULSION, refinedMoments } from '../../fields/solvers/refinedMoments.ts';
import type { Model, Posterior } from '../../model/model.ts';
import { completeGraph, type Graph, knnGraph } from '../../numerics/graph/index.ts';
import { checkNeighbours } from '../../numerics/graph/neighbourhoodGraph.ts';
import { supportGraph } from '../../numerics/graph/supportGraph.ts';
import type { SparseTerms } from '../../numerics/sparse/bottomOfSparse.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor1D } from '../../tensors/tensorflow.ts';
import { doublyCentred, leadingEmbedding } from '../spectral/embedding/leadingEmbedding.ts';
import { latentDimOption, savedSpectral } from '../spectral/embedding/options.ts';

export interface DrillOptions {
  /** q, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** k of the symmetrised k-nearest-neighbour graph whose entries of Θ may differ from 0, or 'all' pairs; 7 unless given. */
  readonly neighbours?: number | 'all';
  /** ρ ≥ 0; a hundredth of the mean of S's diagonal unless given. */
  readonly penalty?: number;
}

const fromZero = 'a number from 0';
const schema = v.strictObject({
  latentDim: latentDimOption,
  neighbours: v.optional(v.any(), 7),
  penalty: v.optional(v.pipe(v.number(fromZero), v.finite(fromZero), v.minValue(0, fromZero))),
});

/** Those of which the layer's term is the objective of the graphical lasso itself. */
const COPIES = 2;

/**
 * Dimensionality reduction through regularisation of the inverse covariance in the log likelihood: the graphical lasso across points,
 * field = log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij| with S = YcYcᵀ/D and Θ_ij = 0 where there is no edge, embedded by kernel PCA of Θ⁻¹.
 *
 * The solver sees Θ_ij = b − a with `field.repulsion` b ≥ 0 and `field.attraction` a ≥ 0, of which one is 0 at the maximum, and
 * `field.diagonal` Θ_ii.
 *
 * @param Y - N×D observations
 * @param options - see {@link DrillOptions}
 * @returns a model for `fit` and `evaluate`; its fit has `graph` (of weights |Θ_ij|), `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`
 * @throws InvalidInputError for observations that are not finite numbers, k ≥ N, more than 12 000 points, or at penalty 0 points and pairs
 * of neighbours together, a point at the mean of all, whose precision would have no bound, and penalty 0 where more than D points, or all,
 * are neighbours of each other, on which the density has none
 * @throws NumericalError from a fit in which more than 12 000 entries of the precision come to differ from 0
 * @see Lawrence 2012, §3
 * @example
 * ```ts
 * const result = await fit(drill(Y, { neighbours: 20, penalty: 0.01 }));
 * ```
 */
export function drill(Y: MatrixLike, options: DrillOptions = {}): Model {
  const checked = checkOptions(schema, options, 'drill');
  const points = observationsFrom(Y);
  const graph =
    checked.neighbours === 'all'
      ? completeGraph(points.rows)
      : knnGraph(points, checkNeighbours(checked.neighbours as number, points.rows, 'drill'));
  const layer = expectedMoments({
    graph,
    secondMoments: momentsOf(points, graph),
    copies: COPIES,
    ...(checked.penalty !== undefined && { penalty: checked.penalty }),
  });
  const { parameters } = layer;
  const problem = layer.problem!;
  checkSize(problem);
  if (problem.penalty === 0) checkBounded(graph, points.columns);
  return Object.freeze<Model>({
    name: 'drill',
    // Where entries are far from independent first-order steps crawl, and Newton's take a few from anywhere.
    solver: ownSteps,
    assemble: () => ({
      parameters: {
        [DIAGONAL]: parameters.diagonal!,
        [ATTRACTION]: parameters.attraction!,
        [REPULSION]: parameters.repulsion!,
      },
      terms: (values) => ({
        field: momentDensity(
          {
            diagonal: values[DIAGONAL] as Tensor1D,
            attraction: values[ATTRACTION] as Tensor1D,
            repulsion: values[REPULSION] as Tensor1D,
          },
          {
            variances: op.tensor(problem.variances) as Tensor1D,
            covariances: op.tensor(problem.covariances) as Tensor1D,
          },
          problem,
          problem.penalty,
          COPIES,
        ),
      }),
      dispose: () => undefined,
    }),
    posterior: (values) => posteriorOf(problem, entriesIn(values), checked.latentDim),
    refine: (values, options) => refinedMoments(problem, values, options),
    toJSON: () => savedSpectral('drill', points, checked),
  });
}

/** S = YcYcᵀ/D on the diagonal and at the edges. */
function momentsOf(points: Matrix, graph: Graph) {
  const centred = standardized(points, standardizationOf(points, true, false));
  const moments = pointMoments(centred, graph, points.columns);
  const { variances } = moments;
  const mean = variances.reduce((sum, variance) => sum + variance, 0) / graph.size;
  const atMean = variances.findIndex((variance) => !(variance > Number.EPSILON * mean));
  if (atMean >= 0) {
    throw new InvalidInputError(
      `Point ${atMean} is at the mean of all points, so nothing bounds its precision. Leave it out, or add a column in which it differs from the mean.`,
    );
  }
  return moments;
}

function posteriorOf(problem: MomentProblem, entries: PrecisionEntries, latentDim: number): Posterior {
  const { size: N, sources, targets } = problem;
  const covariance = () => withInverse(problem, entries, (_, W) => new Matrix(Float64Array.from(W), N, N));
  const { latents, eigenvalues } = leadingEmbedding(doublyCentred(covariance(), 1), latentDim, 'drill');
  return {
    latents,
    eigenvalues,
    graph: supportGraph(problem, entries.edges),
    covariance,
    impute: (Y: Matrix) => imputedByField(termsOf(problem, entries), Y),
    precision: () => {
      const precision = Matrix.zeros(N, N);
      entries.diagonal.forEach((entry, i) => {
        precision.data[i * (N + 1)] = entry;
      });
      entries.edges.forEach((entry, e) => {
        precision.data[sources[e]! * N + targets[e]!] = entry;
        precision.data[targets[e]! * N + sources[e]!] = entry;
      });
      return precision;
    },
    predict: () => {
      throw new InvalidInputError(
        "The model 'drill' has no mapping from latents to observations, so it predicts none.",
      );
    },
  };
}

/** Θ as a sum of entries. */
function termsOf({ size, sources, targets }: MomentProblem, { diagonal, edges }: PrecisionEntries): SparseTerms {
  const ends = (of: Int32Array) => Int32Array.from([...diagonal.keys(), ...of]);
  return { size, rows: ends(sources), columns: ends(targets), values: Float64Array.from([...diagonal, ...edges]) };
}
