import type { Matrix } from '../../core/matrix.ts';
import type { LearnedField } from '../../model/posterior.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import { imputedByField, laplacianTerms } from '../observed/imputedByField.ts';
import { fieldCovariance, fieldPrecision } from './fieldEmbedding.ts';

/** What the field of precision L + λI over the points of a graph has to show. */
export function laplacianField(graph: Graph, basePrecision: number): LearnedField {
  return {
    precision: () => fieldPrecision(graph, basePrecision),
    covariance: () => fieldCovariance(graph, basePrecision),
    impute: (Y: Matrix) => imputedByField(laplacianTerms(graph, basePrecision), Y),
  };
}
