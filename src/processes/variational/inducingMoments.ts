import type { Matrix } from '../../core/matrix.ts';
import { matrixTensor } from '../../engine/tensors/matrixTensor.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { TensorMap } from '../../model/model.ts';
import type { FunctionMoments } from '../functionMoments.ts';

/**
 * q(u) of the functions at the inducing inputs, whitened: u = L·v with LLᵀ = K_uu, and q(v_d) = N(m_d, C_d·C_dᵀ).
 * T: type of a matrix, plain numbers or a tensor.
 */
export interface InducingPosterior<T = Matrix> {
  /** Z, M×q. */
  readonly inducing: T;
  /** L, M×M. */
  readonly factor: T;
  readonly groups: readonly InducingGroup<T>[];
}

/** Columns with the same q(u). */
export interface InducingGroup<T = Matrix> {
  readonly columns: Int32Array;
  /** m, M×c. */
  readonly mean: T;
  /** Cᵀ for all columns, M×M, or C_dᵀ for one after the other, c·M×M. */
  readonly roots: T;
}

/**
 * Moments at inputs A (n×q): with a = L⁻¹k_u(x), mean m_dᵀa and variance k(x, x) − ‖a‖² + ‖C_dᵀa‖².
 *
 * @param p - natural values of the kernel's parameters
 * @see Titsias 2009, eq. 6; Hensman, Fusi & Lawrence 2013
 */
export function inducingMoments(
  kernel: Kernel,
  p: TensorMap,
  { inducing, factor, groups }: InducingPosterior<Tensor2D>,
  A: Tensor2D,
): FunctionMoments[] {
  const [n, m] = [A.shape[0], factor.shape[0]];
  const cross = kernel.covariance(p, A, inducing, inducing);
  const half = op.triangularSolve(factor, op.transpose(cross) as Tensor2D);
  const rest = op.sub(kernel.diagonal(p, A, inducing), op.sum(op.square(half), 0));
  return groups.map(({ columns, mean, roots }): FunctionMoments => {
    const count = roots.shape[0] / m;
    const spread = op.matMul<Tensor2D>(roots, half);
    const own = op.sum(op.reshape(op.square(spread), [count, m, n]), 1);
    return {
      columns,
      mean: op.matMul<Tensor2D>(half, mean, true, false),
      variance: op.transpose(op.add(rest, own)) as Tensor2D,
      covariance: (column) => {
        const gram = (x: Tensor2D) => op.gramMatrix(op.transpose(x) as Tensor2D);
        const ofColumn = count === 1 ? spread : op.slice<Tensor2D>(spread, [column * m, 0], [m, n]);
        return op.add<Tensor2D>(op.sub(kernel.covariance(p, A, A, inducing), gram(half)), gram(ofColumn));
      },
    };
  });
}

/** Converts its matrices to tensors. */
export function tensorsOf({ inducing, factor, groups }: InducingPosterior): InducingPosterior<Tensor2D> {
  return {
    inducing: matrixTensor(inducing),
    factor: matrixTensor(factor),
    groups: groups.map(({ columns, mean, roots }) => ({
      columns,
      mean: matrixTensor(mean),
      roots: matrixTensor(roots),
    })),
  };
}
