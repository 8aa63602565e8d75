import { InvalidInputError } from '../../../core/errors.ts';
import { type CompleteClasses, checkGraph, type Edges, type Graph } from '../../graph/graph.ts';
import type { Reconstruction } from '../../graph/reconstructionWeights.ts';
import { doublesOf } from '../doubles.ts';
import {
  differentiable,
  type MatrixKernel,
  matrixOperand,
  mirrorLowerOf,
  requireBackend,
  symmetrizeInPlace,
} from '../linearAlgebra/operations/operation.ts';
import { numericOperation } from '../tape.ts';
import type { Scalar, Tensor2D } from '../tensorflow.ts';

/**
 * tr(XᵀLX) = Σ_edges w_ij·‖x_i − x_j‖² with L the Laplacian of a graph; the gradient is 2LX. Both are formed edge by edge, at
 * O(edges·q); the edges of complete classes are summed in closed form, Σ_{i<j in c} ‖x_i − x_j‖² = n_c·Σ_{i in c} ‖x_i − m_c‖².
 *
 * @param X - N×q
 * @param graph - a graph on N points
 * @throws InvalidInputError unless X has as many rows as the graph has points
 * @see Zhong et al. 2010, eq. 7
 * @example
 * ```ts
 * op.laplacianQuadraticForm(op.tensor([[0], [1], [3]]), knnGraph([[0], [1], [3]], 1)); // 5, which is 1² + 2²
 * ```
 */
export function laplacianQuadraticForm(X: Tensor2D, graph: Graph): Scalar {
  // Checking edges takes about as long as summing over them, and a fit sums thousands of times.
  if (!checked.has(graph)) checked.add(checkGraph(graph, 'laplacianQuadraticForm'));
  if (X.shape[0] !== graph.size) {
    throw new InvalidInputError(
      `laplacianQuadraticForm needs one row per point of the graph, but X is ${X.shape.join('×')} and the graph has ${graph.size} points.`,
    );
  }
  const q = X.shape[1];
  return numericOperation([X], ([x]) => {
    const { form, vectors } = laplacianProduct(doublesOf(x!), q, graph);
    return { value: form, slopes: (slope) => [vectors.map((entry) => 2 * slope * entry)] };
  });
}

const checked = new WeakSet<Graph>();

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

/**
 * Σ_i ‖x_i − Σ_j w_ij·x_j‖² = tr(XᵀMMᵀX) with Mᵀ = I − W, at O(neighbors·q); the gradient is 2MMᵀX.
 *
 * @param X - N×q
 * @param reconstruction - neighbors and weights w_ij of N points, for point i at starts[i] … starts[i + 1] − 1
 * @returns a scalar
 * @throws InvalidInputError unless X has N rows
 * @see Roweis & Saul 2000, Nonlinear dimensionality reduction by locally linear embedding, Science 290
 * @example
 * ```ts
 * // Each of two points by the other one: 2·‖x_0 − x_1‖².
 * const reconstruction = {
 *   starts: Int32Array.of(0, 1, 2),
 *   neighbors: Int32Array.of(1, 0),
 *   weights: Float64Array.of(1, 1),
 * };
 * op.reconstructionError(op.tensor([[0], [3]]), reconstruction); // 18
 * ```
 */
export function reconstructionError(X: Tensor2D, { starts, neighbors, weights }: Reconstruction): Scalar {
  const [N, q] = X.shape;
  if (N !== starts.length - 1) {
    throw new InvalidInputError(
      `reconstructionError needs one row per point, but X is ${N}×${q} and there are weights of ${starts.length - 1} points.`,
    );
  }
  return numericOperation([X], ([x]) => {
    const points = doublesOf(x!);
    const residuals = points.slice();
    for (let i = 0; i < N; i++) {
      for (let n = starts[i]!; n < starts[i + 1]!; n++) {
        const j = neighbors[n]! * q;
        for (let d = 0; d < q; d++) residuals[i * q + d]! -= weights[n]! * points[j + d]!;
      }
    }
    const slopes = (slope: number) => {
      const gradient = residuals.slice();
      for (let i = 0; i < N; i++) {
        for (let n = starts[i]!; n < starts[i + 1]!; n++) {
          const j = neighbors[n]! * q;
          for (let d = 0; d < q; d++) gradient[j + d]! -= weights[n]! * residuals[i * q + d]!;
        }
      }
      return [gradient.map((entry) => 2 * slope * entry)];
    };
    return { value: residuals.reduce((sum, entry) => sum + entry * entry, 0), slopes };
  });
}

/**
 * FFᵀ, exactly symmetric and at half the cost of `matMul(F, F, false, true)`.
 *
 * @param F - n×k, rows of features
 * @returns n×n
 * @throws InvalidInputError if F is not a matrix
 * @example
 * ```ts
 * op.gramMatrix(op.tensor([[1, 2], [3, 4]])); // [[5, 11], [11, 25]]
 * ```
 */
export function gramMatrix(F: Tensor2D): Tensor2D {
  requireBackend('gramMatrix');
  return differentiable(GRAM_MATRIX, GRAM_MATRIX_GRADIENT, [matrixOperand(F, 'gramMatrix', 'F')]) as Tensor2D;
}

const GRAM_MATRIX: MatrixKernel<object> = {
  name: 'latentfield.GramMatrix',
  inputs: ['f'],
  outputs: ([f]) => [[f![0]!, f![0]!]],
  compute({ algebra, memory, inputs, outputs }, [f]) {
    const [n, k] = f as [number, number];
    algebra.syrk(n, k, 1, { offset: inputs[0]!, rowStride: k, columnStride: 1 }, 0, outputs[0]!);
    mirrorLowerOf(n, memory.float64(outputs[0]!, n * n));
  },
};

/** (G + Gᵀ)F */
const GRAM_MATRIX_GRADIENT: MatrixKernel<object> = {
  name: 'latentfield.GramMatrixGradient',
  inputs: ['f', 'dy'],
  outputs: ([f]) => [f!],
  compute({ algebra, memory, inputs, outputs }, [f]) {
    const [n, k] = f as [number, number];
    memory.withBlock(8 * (n * n + 1), (work) => {
      const symmetric = memory.float64(work, n * n);
      symmetric.set(memory.float64(inputs[1]!, n * n));
      symmetrizeInPlace(n, symmetric);
      const G = { offset: work, rowStride: n, columnStride: 1 };
      const F = { offset: inputs[0]!, rowStride: k, columnStride: 1 };
      algebra.gemm(n, k, n, 2, G, F, 0, { offset: outputs[0]!, rowStride: k, columnStride: 1 });
    });
  },
};
