import * as tf from '@tensorflow/tfjs-core';
import { type EdgeFactor, type EdgeList, isSparse } from '../engine/sparse/index.ts';
import { doublesOf } from '../engine/tensors/doubles.ts';
import type { Save } from '../engine/tensors/linearAlgebra/operations/operation.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { SparsePrecision } from '../model/language/density.ts';

/** A precision Θ that is 0 except on the diagonal and at edges. */
export interface EdgePrecision {
  /** Θ_ii, N. */
  readonly diagonal: Tensor;
  /** Θ_ij, one per edge. */
  readonly edges: Tensor;
}

/** Θ, N×N. */
export function precisionMatrix({ diagonal, edges }: EdgePrecision, { size, sources, targets }: EdgeList): Tensor2D {
  const places = Int32Array.from([
    ...Array.from({ length: size }, (_, i) => i * (size + 1)),
    ...Array.from(sources, (i, e) => i * size + targets[e]!),
    ...Array.from(sources, (i, e) => targets[e]! * size + i),
  ]);
  const entries = op.reshape<Tensor2D>(op.concat([diagonal, edges, edges]), [places.length, 1]);
  return op.reshape<Tensor2D>(op.segmentSum(entries, places, size * size), [size, size]);
}

/** A precision given by its entries, for a density; `factor` is the graph's factor, requested where no N×N matrix is formed. */
export function sparsePrecision(entries: EdgePrecision, graph: EdgeList, factor: () => EdgeFactor): SparsePrecision {
  const diagonal = entries.diagonal as Tensor1D;
  return {
    diagonal,
    matrix: () => precisionMatrix(entries, graph),
    ...(isSparse(graph) && {
      marginals: (added: Tensor1D) => marginals({ diagonal: op.add(diagonal, added), edges: entries.edges }, factor()),
    }),
  };
}

/** log|A| and the diagonal of A⁻¹, N numbers. */
export interface Marginals {
  readonly logDeterminant: Scalar;
  readonly variances: Tensor1D;
}

/**
 * log|A| and the diagonal of S = A⁻¹ for a matrix with few entries. With gradients c in log|A| and g in diag S, the gradient in the entries of A is
 * c·S_ii − (S·diag(g)·S)_ii on the diagonal, and twice the corresponding expression at edges.
 *
 * @throws NumericalError if A is not positive definite
 */
export function marginals({ diagonal, edges }: EdgePrecision, factor: EdgeFactor): Marginals {
  const N = diagonal.size;
  const both = tf.customGrad((...args: unknown[]) => {
    const [own, across, save] = args as [Tensor, Tensor, Save];
    const A = { diagonal: doublesOf(own).slice(), edges: doublesOf(across).slice() };
    const S = factor.inverse(A);
    save([]);
    const gradFunc = (dy: Tensor) => {
      const [c, ...g] = doublesOf(dy);
      const product = factor.product(A, Float64Array.from(g), S.diagonal);
      return [
        op.tensor(S.diagonal.map((entry, i) => c! * entry - product.diagonal[i]!)),
        op.tensor(S.edges.map((entry, e) => 2 * (c! * entry - product.edges[e]!))),
      ];
    };
    return { value: op.tensor(Float64Array.of(S.logDeterminant, ...S.diagonal)), gradFunc };
  })(diagonal, edges) as Tensor1D;
  return {
    logDeterminant: op.reshape<Scalar>(op.slice(both, [0], [1]), []),
    variances: op.slice<Tensor1D>(both, [1], [N]),
  };
}
