import { log } from '../core/elementary/index.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { checkGraph, type Graph } from '../numerics/graph/graph.ts';
import { graphFromJSON, graphToJSON } from '../numerics/graph/json.ts';
import { laplacianEigenvalues } from '../numerics/graph/laplacianEigenvalues.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar } from '../tensors/tensorflow.ts';
import { definePrior, type Prior } from './definePrior.ts';
import { notNegative } from './strength.ts';

export interface LaplacianOptions {
  /** α ≥ 0, held at 1 unless given; 0 turns the prior off. */
  readonly strength?: ParameterLike;
  /** λ ≥ 0, held at 0 unless given. */
  readonly offset?: ParameterLike;
}

export const laplacianFactory = definePrior({
  name: 'laplacian',
  parameters: { strength: fixed(1), offset: fixed(0) },
  data: { toJSON: (graph: Graph) => graphToJSON(graph), fromJSON: (json): Graph => graphFromJSON(json) },
  prepare: ({ rows }, graph) => {
    checkGraph(graph, "Prior 'laplacian'", rows);
    let eigenvalues: Float64Array | undefined;
    return () => {
      eigenvalues ??= laplacianEigenvalues(graph);
      return eigenvalues;
    };
  },
  logDensity: (p, X, { data: graph, constants: eigenvalues }) => {
    const form = op.add(op.laplacianQuadraticForm(X, graph), op.mul(p.offset, op.sum(op.square(X))));
    const exponent = op.mul<Scalar>(op.mul(-0.5, p.strength), form);
    if (!(op.valueOf(p.offset) > 0 && op.valueOf(p.strength) > 0)) return exponent;
    const [N, q] = X.shape;
    const logDeterminant = op.add(
      op.mul(N, op.log(p.strength)),
      op.sum(op.log(op.add(op.tensor(eigenvalues()), p.offset))),
    );
    return op.add(exponent, op.sub(op.mul(q / 2, logDeterminant), (N * q * log(2 * Math.PI)) / 2));
  },
});

/**
 * Gaussian Markov random field on a graph: latents that an edge joins are drawn together. The exponent is
 * −α/2·tr(XᵀLX) − α·λ/2·tr(XᵀX), L the graph's Laplacian, formed edge by edge.
 *
 * With λ = 0 the prior is improper — moving a whole connected component costs nothing, since L has one null vector for each — and
 * its term is the exponent alone. With λ > 0 it is N(0, (α(L + λI))⁻¹) for every latent dimension, and the term holds the
 * normalising constant q/2·log|α(L + λI)| − Nq/2·log 2π.
 *
 * @param graph - a graph on the N points: of labels (GPLRF), of neighbours, or their union
 * @param options - `strength` α ≥ 0 (1), `offset` λ ≥ 0 (0), both held unless a free parameter is given
 * @throws InvalidInputError when the graph is not one, or a number is below 0
 * @see Zhong et al. 2010, eqs. 6 and 9
 * @example
 * ```ts
 * laplacian(labelGraph(labels), { strength: 0.1 });
 * ```
 */
export function laplacian(graph: Graph, options: LaplacianOptions = {}): Prior {
  checkGraph(graph, 'laplacian');
  return notNegative(laplacianFactory(options, graph), ['strength', 'offset']);
}
