import { InvalidInputError } from '../../../core/errors.ts';
import type { CompleteClasses, Edges, Graph } from '../../graph/graph.ts';
import { doublesOf } from '../doubles.ts';
import { numericOperation } from '../tape.ts';
import type { Scalar, Tensor2D } from '../tensorflow.ts';

/**
 * tr(XᵀLX) = Σ_edges w_ij·‖x_i − x_j‖² with L the Laplacian of a graph; the gradient is 2LX. Both are formed edge by edge, at
 * O(edges·q); the edges of complete classes are summed in closed form, Σ_{i<j in c} ‖x_i − x_j‖² = n_c·Σ_{i in c} ‖x_i − m_c‖².
 *
 * @param X - N×q
 * @param graph - a graph on N points
 * @throws InvalidInputError when X has another number of rows than the graph has points
 * @see Zhong et al. 2010, eq. 7
 * @example
 * ```ts
 * op.laplacianQuadraticForm(op.tensor([[0], [1], [3]]), knnGraph([[0], [1], [3]], 1)); // 5, which is 1² + 2²
 * ```
 */
export function laplacianQuadraticForm(X: Tensor2D, graph: Graph): Scalar {
  if (X.shape[0] !== graph.size) {
    throw new InvalidInputError(
      `laplacianQuadraticForm needs one row a point of the graph, but X is ${X.shape.join('×')} and the graph has ${graph.size} points.`,
    );
  }
  const q = X.shape[1];
  return numericOperation([X], ([x]) => {
    const { form, vectors } = laplacianProduct(doublesOf(x!), q, graph);
    return { value: form, slopes: (slope) => [vectors.map((entry) => 2 * slope * entry)] };
  });
}

/** tr(XᵀLX), and LX row by row. */
function laplacianProduct(x: Float64Array, q: number, graph: Graph): { form: number; vectors: Float64Array } {
  const vectors = new Float64Array(x.length);
  if (graph.complete === undefined) return { form: addEdges(x, q, graph, vectors), vectors };
  const within = addClasses(x, q, graph.complete, vectors);
  return { form: within + addEdges(x, q, graph.complete.rest, vectors), vectors };
}

function addEdges(x: Float64Array, q: number, { sources, targets, weights }: Edges, vectors: Float64Array): number {
  let form = 0;
  for (let e = 0; e < weights.length; e++) {
    const i = sources[e]! * q;
    const j = targets[e]! * q;
    const weight = weights[e]!;
    for (let d = 0; d < q; d++) {
      const difference = x[i + d]! - x[j + d]!;
      form += weight * difference * difference;
      vectors[i + d]! += weight * difference;
      vectors[j + d]! -= weight * difference;
    }
  }
  return form;
}

function addClasses(x: Float64Array, q: number, { classes, count }: CompleteClasses, vectors: Float64Array): number {
  const sizes = new Float64Array(count);
  const means = new Float64Array(count * q);
  classes.forEach((c, i) => {
    if (c < 0) return;
    sizes[c]!++;
    for (let d = 0; d < q; d++) means[c * q + d]! += x[i * q + d]!;
  });
  for (let entry = 0; entry < means.length; entry++) means[entry]! /= sizes[Math.floor(entry / q)]!;
  let form = 0;
  classes.forEach((c, i) => {
    if (c < 0) return;
    for (let d = 0; d < q; d++) {
      const difference = x[i * q + d]! - means[c * q + d]!;
      form += sizes[c]! * difference * difference;
      vectors[i * q + d]! += sizes[c]! * difference;
    }
  });
  return form;
}
