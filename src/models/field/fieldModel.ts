import * as v from 'valibot';
import { counted } from '../../core/counted.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { checkDistances, constrainedGraph, fieldProblem, fieldWeights } from '../../fields/density/constraints.ts';
import { curvedField } from '../../fields/density/curvedField.ts';
import { fieldDensity, isSparse, sparseField } from '../../fields/density/fieldDensity.ts';
import {
  type FieldEmbedding,
  fieldEmbedding,
  laplacianField,
  supportOf,
} from '../../fields/embedding/fieldEmbedding.ts';
import type { PlacedField } from '../../fields/placement/placement.ts';
import { denseWeightsSolver, WEIGHTS } from '../../inference/solvers/fields/denseWeights.ts';
import { kktResidual } from '../../inference/solvers/fields/fieldProblem.ts';
import type { FieldLearning, Placing, Reconstructing, Spectral } from '../../model/abilities.ts';
import type { Model, ModelJSON, ParameterValues } from '../../model/model.ts';
import { fixed, type Parameter } from '../../model/parameter.ts';
import type { FieldPosterior, PlacedPosterior, SpectralPosterior } from '../../model/posterior.ts';
import { defineTermsModel } from '../../model/termsModel.ts';
import { pairKey } from '../../numerics/graph/edges.ts';
import { checkGraph, type Graph } from '../../numerics/graph/graph.ts';
import { laplacianFactor } from '../../numerics/sparse/laplacianFactor.ts';
import type { Rank, Tensor1D } from '../../tensors/tensorflow.ts';
import type { Candidates } from './candidates.ts';
import { fieldFindings } from './fieldFindings.ts';

/** A model that learns a random field over points and shows it by eigenvectors. */
export type FieldModel = Model<WeightPaths, FieldLearning & Placing & Reconstructing & Spectral, 'searched'>;

/** One of distances from elsewhere, which cannot place new observations. */
export type UnplacedFieldModel = Model<WeightPaths, FieldLearning & Spectral, 'searched'>;

/** One weight an edge of the graph of candidates; `points`, which points are fitted, where not all are. */
export type WeightPaths = {
  readonly 'field.weights': readonly number[];
  readonly [path: `points${string}`]: readonly number[];
};

/** Weights to begin with: a graph on the points that are fitted, such as that of an earlier fit. */
export type FieldStart = Graph;

export const startOption = v.optional(v.any());

/** What makes one maximum-entropy model differ from another. */
export interface FieldParts
  extends Pick<PlacedField, 'neighbours' | 'density'>,
    Partial<Pick<PlacedField, 'observations' | 'distancesTo'>>,
    Candidates {
  readonly name: string;
  readonly basePrecision: number;
  /** One at which the learned graph is connected. */
  readonly connectingPrecision: () => number;
  readonly copies: number;
  readonly slackPenalty: number;
  readonly latentDim: number;
  readonly embedding: FieldEmbedding;
  readonly start?: FieldStart | undefined;
  toJSON(): ModelJSON;
}

/** The weights among a model's values. */
export function weightsIn(values: ParameterValues): Float64Array {
  return new Float64Array(values[WEIGHTS] as readonly number[]);
}

// Named, as declarations would otherwise name a file inside of TensorFlow.js that its users' compilers do not find.
type WeightsPart = { readonly field: { readonly parameters: { readonly weights: Parameter<Rank.R1> } } };

/** The parts of such a model: the multipliers, and the points that are fitted where those are not all, held. */
export function fieldParts(
  weights: Parameter<Rank.R1>,
  { shown }: Pick<FieldParts, 'shown'>,
): WeightsPart | (WeightsPart & { readonly points: Parameter }) {
  const field = { parameters: { weights } };
  return shown === undefined ? { field } : { field, points: fixed(Array.from(shown)) };
}

/** Throws where a field over so few points has fewer directions than are asked for. */
export function checkDimensions({
  name,
  graph: { size },
  latentDim,
}: Pick<FieldParts, 'name' | 'graph' | 'latentDim'>): void {
  if (latentDim < size) return;
  throw new InvalidInputError(
    `${name} shows ${size} points in at most ${counted(size - 1, 'dimension')}, but latentDim is ${latentDim}. Choose a smaller latentDim, or give at least ${latentDim + 1} points.`,
  );
}

/** A model that is one maximum-entropy layer on given distances, and the embedding of the field it learns. */
export function fieldModel(given: FieldParts): UnplacedFieldModel {
  const { squaredDistances, basePrecision, copies, slackPenalty } = given;
  checkDimensions(given);
  const graph = constrainedGraph(given.graph);
  const problem = fieldProblem(given, checkDistances(squaredDistances, graph, 'maxEntropy', slackPenalty === Infinity));
  const sparse = isSparse(graph);
  return defineTermsModel({
    name: given.name,
    parts: (parts: FieldParts) => fieldParts(startingWeights(fieldWeights(problem), parts), parts),
    constants: () => {
      const curved = sparse ? undefined : curvedField(graph);
      return { curved, factor: curved ?? sparseField(laplacianFactor(graph)), dispose: () => curved?.dispose() };
    },
    terms: {
      field: (v, _, { constants: { factor } }) =>
        fieldDensity(v.field.weights as Tensor1D, squaredDistances, factor, basePrecision, copies),
    },
    search: () => ({
      solver: sparse
        ? async () => (await import('../../inference/solvers/fields/interiorPoint.ts')).sparseWeightsSolver(problem)
        : denseWeightsSolver(problem),
      tolerance: 0,
      relativeDecrease: 0,
    }),
    curvature: (_, __, { curved }, { natural }) => curved?.curvature(natural.get(WEIGHTS)!, basePrecision, copies),
    findings: (values, parts, { factor }) => {
      const weights = weightsIn(values);
      const { resistances } = factor.evaluate(weights, basePrecision);
      return fieldFindings(parts, supportOf(graph, weights), kktResidual(problem, weights, resistances));
    },
    posterior: (values, parts) => fieldPosterior(parts, supportOf(graph, weightsIn(values))),
    toJSON: (parts) => parts.toJSON(),
  })(given);
}

/** The weights, starting at those of a graph that is given, or at 4C where they are above it. */
function startingWeights(
  weights: Parameter<Rank.R1>,
  { start: given, graph, name, slackPenalty }: FieldParts,
): Parameter<Rank.R1> {
  if (given === undefined) return weights;
  const start = checkGraph(given, `${name}, as the option 'start',`, graph.size);
  const known = new Map(
    Array.from(start.sources, (i, e) => [pairKey(i, start.targets[e]!, graph.size), start.weights[e]!]),
  );
  const initial = Array.from(graph.sources, (i, e) =>
    Math.min(4 * slackPenalty, known.get(pairKey(i, graph.targets[e]!, graph.size)) ?? 0),
  );
  return { ...weights, initial };
}

// What places points is loaded when it is asked for, as most pages have no use for it.
const placing = () => import('../../fields/placement/placement.ts');

/** What the field with this learned graph can do. */
export function fieldPosterior(
  parts: FieldParts,
  graph: Graph,
): FieldPosterior & SpectralPosterior & Partial<PlacedPosterior> {
  const { basePrecision, latentDim, embedding, observations, distancesTo, ties } = parts;
  const embedded = fieldEmbedding(graph, basePrecision, latentDim, embedding);
  for (const points of ties) moveToMean(embedded.latents, points);
  const field =
    observations === undefined || distancesTo === undefined
      ? undefined
      : { ...parts, ...embedded, graph, observations, distancesTo };
  return {
    ...embedded,
    ...(field !== undefined && {
      placement: {
        acceptsMissing: true,
        observedColumns: field.observations.columns,
        place: async (Y: Matrix) => (await placing()).placed(field, Y),
      },
    }),
    graph,
    field: {
      ...laplacianField(graph, basePrecision),
      ...(field !== undefined && { reconstruct: async (Y: Matrix) => (await placing()).reconstructed(field, Y) }),
    },
  };
}

/** Gives points that are the same one place. */
function moveToMean({ data, columns }: Matrix, points: readonly number[]): void {
  for (let c = 0; c < columns; c++) {
    const mean = points.reduce((sum, i) => sum + data[i * columns + c]!, 0) / points.length;
    for (const i of points) data[i * columns + c] = mean;
  }
}
