import { log } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { namedOptions } from '../core/options.ts';
import { lazily } from '../core/progressiveWork.ts';
import { symmetricEigenpairs } from '../engine/dense/eigenpairs.ts';
import { scaledIdentity } from '../engine/dense/symmetric.ts';
import { checkGraph, degreesOf, type Graph } from '../engine/graph/graph.ts';
import { ownGraph } from '../engine/graph/labelGraph.ts';
import { edgeFactor, isSparse } from '../engine/sparse/index.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor } from '../engine/tensors/tensorflow.ts';
import type { Prior } from '../model/language/density.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { priorOfStrengths } from './definePrior.ts';
import { type EdgePrecision, marginals, sparsePrecision } from './sparsePrecision.ts';

export interface LaplacianOptions {
  /** α ≥ 0, default fixed at 1; 0 turns the prior off. */
  readonly strength?: ParameterLike;
  /** λ ≥ 0, default fixed at 0. */
  readonly offset?: ParameterLike;
}

/**
 * Gaussian Markov random field on a graph: latents joined by an edge are pulled together. The exponent is −α/2·tr(XᵀLX) − α·λ/2·tr(XᵀX), L the
 * graph's Laplacian, formed edge by edge.
 *
 * With λ = 0 the prior is improper, since L has a null vector for each connected component, which can move as a whole at no cost, and the term is the
 * exponent alone. With λ > 0 the prior is N(0, (α(L + λI))⁻¹) for every latent dimension, and the term includes the normalizing constant q/2·log|α(L
 * + λI)| − Nq/2·log 2π.
 *
 * @param graph - a graph on the N points: of labels (GPLRF), of neighbors, or their union
 * @param options - `strength` α ≥ 0 (1), `offset` λ ≥ 0 (0), both fixed unless a free parameter is passed
 * @throws InvalidInputError if the graph is invalid or a number is below 0
 * @see Zhong et al. 2010, eqs. 6 and 9
 * @example
 * ```ts
 * laplacian(labelGraph(labels), { strength: 0.1 });
 * ```
 */
export function laplacian(graph: Graph, options: LaplacianOptions = {}): Prior<never> {
  const own = ownGraph(graph, 'laplacian');
  const { strength, offset } = namedOptions<LaplacianOptions>(options, 'laplacian', ['strength', 'offset']);
  return priorOfStrengths(
    {
      name: 'laplacian',
      parameters: { strength: fixed(1), offset: fixed(0) },
      prepare: ({ rows }) => {
        checkGraph(own, "Prior 'laplacian'", rows);
        return { eigenvalues: lazily(() => laplacianEigenvalues(own)), factor: lazily(() => edgeFactor(own)) };
      },
      gaussian: {
        isSparse: true,
        precision: (p, _, { constants: { factor } }) => {
          const { diagonal, edges } = entriesOf(own, p.offset);
          const scaled = { diagonal: op.mul(p.strength, diagonal), edges: op.mul(p.strength, edges) };
          return sparsePrecision(scaled, own, factor);
        },
      },
      logDensity: (p, X, { constants: { eigenvalues, factor } }) => {
        const form = op.add(op.laplacianQuadraticForm(X, own), op.mul(p.offset, op.sum(op.square(X))));
        const exponent = op.mul<Scalar>(op.mul(-0.5, p.strength), form);
        if (!(op.valueOf(p.offset) > 0 && op.valueOf(p.strength) > 0)) return exponent;
        const [N, q] = X.shape;
        const ofGraph =
          !isOfClasses(own) && isSparse(own)
            ? marginals(entriesOf(own, p.offset), factor()).logDeterminant
            : op.sum(op.log(op.add(op.tensor(eigenvalues()), p.offset)));
        const logDeterminant = op.add(op.mul(N, op.log(p.strength)), ofGraph);
        return op.add(exponent, op.sub(op.mul(q / 2, logDeterminant), (N * q * log(2 * Math.PI)) / 2));
      },
    },
    { strength, offset },
    [own, options],
  );
}

/** Whether the graph consists of complete classes only. */
const isOfClasses = ({ complete }: Graph): boolean => complete !== undefined && complete.rest.sources.length === 0;

/** Entries of L + λI. */
const entriesOf = (graph: Graph, offset: Tensor): EdgePrecision => ({
  diagonal: op.add(op.tensor(degreesOf(graph)), offset),
  edges: op.tensor(graph.weights.map((weight) => -weight)),
});

/** Number of points above which the dense N×N eigenvalue problem takes minutes and gigabytes. */
const MOST_POINTS = 4000;

/**
 * Eigenvalues of a graph's Laplacian, in no particular order. A complete class of n points has the eigenvalues 0 and, n − 1 times, n; other graphs
 * need a dense N×N matrix.
 *
 * @throws InvalidInputError if the graph does not consist of classes and has more than 4000 points
 */
export function laplacianEigenvalues(graph: Graph): Float64Array {
  const { complete, size } = graph;
  if (complete !== undefined && isOfClasses(graph)) {
    const sizes = new Float64Array(complete.count);
    for (const c of complete.classes) if (c >= 0) sizes[c]!++;
    const seen = new Set<number>();
    return Float64Array.from(complete.classes, (c) => {
      if (c < 0 || seen.has(c)) return c < 0 ? 0 : sizes[c]!;
      seen.add(c);
      return 0;
    });
  }
  if (size > MOST_POINTS) {
    throw new InvalidInputError(
      `An offset makes the Laplacian prior proper, and its normalizing constant takes the eigenvalues of the ${size}×${size} Laplacian: ` +
        `at most ${MOST_POINTS} points. Leave the offset out, use a label graph alone, or add standardNormal() with its precision instead.`,
    );
  }
  return symmetricEigenpairs(laplacianMatrix(graph)).values;
}

function laplacianMatrix(graph: Graph): Matrix {
  const { size, sources, targets, weights } = graph;
  const degrees = degreesOf(graph);
  const L = scaledIdentity(size).map((entry, i) => entry * degrees[i]!);
  weights.forEach((weight, e) => {
    L.data[targets[e]! * size + sources[e]!]! -= weight;
    L.data[sources[e]! * size + targets[e]!]! -= weight;
  });
  return L;
}
