import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { fieldDensity } from '../../fields/density/fieldDensity.ts';
import { type FieldFactor, fieldFactor, isSparse, sparseField } from '../../fields/density/fieldFactor.ts';
import { shared } from '../../fields/density/sharedFactor.ts';
import {
  type FieldEmbedding,
  fieldCovariance,
  fieldEmbedding,
  fieldPrecision,
  supportOf,
} from '../../fields/embedding/fieldEmbedding.ts';
import { maxEntropy } from '../../fields/layers/maxEntropy.ts';
import { imputedByField, laplacianTerms } from '../../fields/observed/imputedByField.ts';
import { type PlacedField, placed, reconstructed } from '../../fields/placement/placement.ts';
import { growingSupport } from '../../fields/solvers/growingSupport.ts';
import { inexactNewton } from '../../fields/solvers/inexactNewton.ts';
import { interiorPoint } from '../../fields/solvers/interiorPoint.ts';
import { ownSteps } from '../../fields/solvers/ownSteps.ts';
import { projectedNewton } from '../../fields/solvers/projectedNewton.ts';
import { refinedField, WEIGHTS, weightsIn } from '../../fields/solvers/refinedField.ts';
import type { Assembly, Model, ModelJSON, Posterior } from '../../model/model.ts';
import { connectedComponents } from '../../numerics/graph/connectedComponents.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import { laplacianFactor } from '../../numerics/sparse/laplacianFactor.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor1D } from '../../tensors/tensorflow.ts';

/** What makes one maximum-entropy model differ from another. */
export interface FieldParts extends Pick<PlacedField, 'observations' | 'neighbours' | 'density' | 'distancesTo'> {
  readonly name: string;
  readonly graph: Graph;
  /** φ, one of each edge. */
  readonly squaredDistances: Float64Array;
  readonly basePrecision: number;
  readonly copies: number;
  readonly slackPenalty: number;
  readonly latentDim: number;
  readonly embedding: FieldEmbedding;
  /** Edges likely to have a positive weight, which the solver begins with; all unless given. */
  readonly likely?: Int32Array;
  toJSON(): ModelJSON;
}

/** Up to this many points Newton's method forms its Hessian from a dense covariance. */
export const MOST_POINTS = 3000;

/** The solver's own violation of the optimality conditions from which Newton's method gets to the maximum faster. */
const NEAR = 1e-2;
const VERY_NEAR = 1e-6;

/** A model that is one maximum-entropy layer on given distances, and the embedding of the field it learns. */
export function fieldModel(parts: FieldParts): Model {
  const { name, graph, squaredDistances, basePrecision, copies, slackPenalty } = parts;
  const layer = maxEntropy({ graph, squaredDistances, basePrecision, copies, slackPenalty });
  const problem = layer.problem!;
  const sparse = isSparse(graph);
  const hasDense = graph.size <= MOST_POINTS;
  const factor = shared(() => {
    // Where the edges are few the model's own steps work on a sparse factor, whatever its fill: evaluations share it.
    const laplacian = sparse ? laplacianFactor(graph) : undefined;
    return { laplacian, field: laplacian === undefined ? fieldFactor(problem) : sparseField(laplacian) };
  });
  const anyFactor: FieldFactor = {
    sparse,
    evaluate: (weights, base) => factor.use(({ field }) => field.evaluate(weights, base)),
  };
  return Object.freeze<Model>({
    name,
    ...(parts.likely !== undefined && { solver: growingSupport(problem, parts.likely) }),
    ...(sparse && { solver: ownSteps }),
    // Newton's method with differences for a Hessian needs to start where the weights that are 0 are known.
    tolerance: (copies / 2) * (hasDense || sparse ? NEAR : VERY_NEAR),
    relativeDecrease: 0,
    assemble: (): Assembly => ({
      parameters: { [WEIGHTS]: layer.parameters.weights! },
      terms: (values) => ({
        field: fieldDensity(
          values[WEIGHTS] as Tensor1D,
          op.tensor(squaredDistances) as Tensor1D,
          anyFactor,
          basePrecision,
          copies,
        ),
      }),
      dispose: factor.dispose,
    }),
    posterior: (values) => fieldPosterior(parts, supportOf(graph, weightsIn(values))),
    *refine(values, { steps, memory }) {
      const start = Float64Array.from(weightsIn(values));
      const told = (weights: Float64Array) => described(parts, supportOf(graph, weights));
      const search =
        hasDense && !sparse
          ? projectedNewton(problem, start, steps, memory)
          : factor.hold(({ laplacian, field }) =>
              laplacian === undefined
                ? inexactNewton(problem, field, start, steps, memory)
                : interiorPoint(problem, laplacian, start, steps, memory),
            );
      return yield* refinedField(search, problem, sparse ? 'interior-point step' : 'Newton step', told);
    },
    toJSON: parts.toJSON,
  });
}

/** What the field with this learned graph can do. */
export function fieldPosterior(parts: FieldParts, graph: Graph): Posterior {
  const { name, basePrecision, latentDim, embedding, observations } = parts;
  const embedded = fieldEmbedding(graph, basePrecision, latentDim, embedding);
  const field: PlacedField = { ...parts, ...embedded, graph };
  return {
    ...embedded,
    graph,
    observedColumns: observations.columns,
    acceptsMissing: true,
    place: (Y: Matrix) => placed(field, Y),
    reconstruct: (Y: Matrix) => reconstructed(field, Y),
    precision: () => fieldPrecision(graph, basePrecision),
    covariance: () => fieldCovariance(graph, basePrecision),
    impute: (Y: Matrix) => imputedByField(laplacianTerms(graph, basePrecision), Y),
    predict: () => {
      throw new InvalidInputError(
        `The model '${name}' has no mapping from latents to observations, so it predicts none.`,
      );
    },
  };
}

/** What the learned graph looks like, and what that does to the embedding. */
export function described(
  { squaredDistances, basePrecision, copies, embedding }: Omit<FieldParts, 'distancesTo'>,
  graph: Graph,
): string {
  const edges = graph.sources.length;
  if (edges === 0) {
    const least = squaredDistances.reduce((smallest, distance) => Math.min(smallest, distance), Infinity);
    return (
      `The learned graph is empty: no constraint binds, since every squared distance (the smallest is ${short(least)}) is at least ` +
      `2·copies/basePrecision = ${short((2 * copies) / basePrecision)}, so the embedding means nothing. A basePrecision below ` +
      `${short((2 * copies) / least)}, or squared distances divided by more than ${short((least * basePrecision) / (2 * copies))}, would connect points.`
    );
  }
  const { sizes } = connectedComponents(graph);
  const learned = `The learned graph has ${edges} of ${squaredDistances.length} edges`;
  if (sizes.length === 1) return `${learned} and is connected.`;
  const effect =
    embedding === 'kernelPca'
      ? `the first ${sizes.length - 1} of all eigenvalues are 1/basePrecision, and their vectors tell components apart only, up to a rotation`
      : `the first ${sizes.length} of all eigenvectors tell components apart only`;
  return (
    `${learned} and ${sizes.length} components, the largest of ${sizes.reduce((most, size) => Math.max(most, size))} points: ${effect}. ` +
    'A smaller basePrecision or more neighbours would connect them.'
  );
}

function short(x: number): string {
  return String(Number(x.toPrecision(4)));
}
