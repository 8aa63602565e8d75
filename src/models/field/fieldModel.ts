import type { Matrix } from '../../core/matrix.ts';
import { curvedField } from '../../fields/density/curvedField.ts';
import { fieldDensity } from '../../fields/density/fieldDensity.ts';
import { isSparse, sparseField } from '../../fields/density/fieldFactor.ts';
import { kktResidual } from '../../fields/density/kktResidual.ts';
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
import { denseWeightsSolver, sparseWeightsSolver, WEIGHTS } from '../../fields/solvers/weightsSolver.ts';
import type { FieldLearning, Placing, Reconstructing, Spectral } from '../../model/abilities.ts';
import type { AnyPaths, Assembly, Model, ModelJSON, ParameterValues, Posterior } from '../../model/model.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import { laplacianFactor } from '../../numerics/sparse/laplacianFactor.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor1D } from '../../tensors/tensorflow.ts';
import { fieldFindings } from './fieldFindings.ts';

/** A model that learns a random field over points and shows it by eigenvectors. */
export type FieldModel = Model<AnyPaths, FieldLearning & Placing & Reconstructing & Spectral, 'searched'>;

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
  toJSON(): ModelJSON;
}

/** The weights among a model's values. */
export function weightsIn(values: ParameterValues): Float64Array {
  return Float64Array.from(values[WEIGHTS] as readonly number[]);
}

/** A model that is one maximum-entropy layer on given distances, and the embedding of the field it learns. */
export function fieldModel(parts: FieldParts): FieldModel {
  const { name, graph, squaredDistances, basePrecision, copies, slackPenalty } = parts;
  const layer = maxEntropy({ graph, squaredDistances, basePrecision, copies, slackPenalty });
  const problem = layer.problem!;
  const sparse = isSparse(graph);
  return Object.freeze<FieldModel>({
    name,
    solver: sparse ? sparseWeightsSolver(problem) : denseWeightsSolver(problem),
    tolerance: 0,
    relativeDecrease: 0,
    assemble: (): Assembly => {
      const curved = sparse ? undefined : curvedField(graph);
      const field = curved ?? sparseField(laplacianFactor(graph));
      return {
        parameters: { [WEIGHTS]: layer.parameters.weights! },
        terms: (values) => ({
          field: fieldDensity(
            values[WEIGHTS] as Tensor1D,
            op.tensor(squaredDistances) as Tensor1D,
            field,
            basePrecision,
            copies,
          ),
        }),
        curvature: (values) => curved?.curvature(weightsIn(values), basePrecision, copies),
        findings: (values) => {
          const weights = weightsIn(values);
          const { resistances } = field.evaluate(weights, basePrecision);
          return fieldFindings(parts, supportOf(graph, weights), kktResidual(problem, weights, resistances));
        },
        dispose: () => curved?.dispose(),
      };
    },
    posterior: (values) => fieldPosterior(parts, supportOf(graph, weightsIn(values))),
    toJSON: parts.toJSON,
  });
}

/** What the field with this learned graph can do. */
export function fieldPosterior(parts: FieldParts, graph: Graph): Posterior {
  const { basePrecision, latentDim, embedding, observations } = parts;
  const embedded = fieldEmbedding(graph, basePrecision, latentDim, embedding);
  const field: PlacedField = { ...parts, ...embedded, graph };
  return {
    ...embedded,
    placement: {
      acceptsMissing: true,
      observedColumns: observations.columns,
      place: (Y: Matrix) => placed(field, Y),
    },
    graph,
    field: {
      precision: () => fieldPrecision(graph, basePrecision),
      covariance: () => fieldCovariance(graph, basePrecision),
      impute: (Y: Matrix) => imputedByField(laplacianTerms(graph, basePrecision), Y),
      reconstruct: (Y: Matrix) => reconstructed(field, Y),
    },
  };
}
