import type { Matrix } from '../core/matrix.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../engine/tensors/matrixTensor.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { real } from '../model/parameter.ts';
import { defineMap } from './defineMap.ts';

/**
 * The weights W (D×q) that minimise ‖FW − X‖² + r·‖W‖², by (FᵀF + r·I)⁻¹FᵀX, or Fᵀ(FFᵀ + r·I)⁻¹X when D > N.
 *
 * @param F - N×D
 * @param X - N×q
 * @param ridge - r as a part of the mean square length of the columns (or rows, when D > N) of F, > 0
 */
export function ridgeRegression(F: Matrix, X: Matrix, ridge: number): Matrix {
  const { rows, columns } = F;
  const wide = columns > rows;
  const energy = F.data.reduce((sum, entry) => sum + entry * entry, 0) / Math.min(rows, columns) || 1;
  return withFloat64(() => {
    const features = matrixTensor(F);
    const targets = matrixTensor(X);
    const gram = op.matMul<Tensor2D>(features, features, !wide, wide);
    const factor = op.cholesky(op.addDiagonal(gram, op.scalar(ridge * energy)), { name: 'The start of a map' });
    if (wide) return tensorMatrix(op.matMul<Tensor2D>(features, op.choleskySolve(factor, targets), true, false));
    return tensorMatrix(op.choleskySolve(factor, op.matMul<Tensor2D>(features, targets, true, false)));
  });
}

/**
 * Linear back-constraint: X = Y·A. Its path is `latents.weights`, D×q.
 *
 * @param overrides - `weights`, such as `fixed(A)`; fitted to the start of the latents unless given
 * @see Lawrence & Quiñonero-Candela 2006
 * @example
 * ```ts
 * backConstrained(linearMap());
 * ```
 */
export const linearMap = defineMap({
  name: 'linear',
  parameters: ({ features, latents }) => ({ weights: real(ridgeRegression(features, latents, 1e-10)) }),
  apply: (p, Y) => op.matMul(Y, p.weights),
});
