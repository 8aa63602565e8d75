import { logDeterminantOf } from '../../../numerics/dense/factorize.ts';
import { isRegistered, registerMatrixKernel } from './operation.ts';

export const FACTOR_LOG_DETERMINANT = 'latentfield.FactorLogDeterminant';

/** log|LLᵀ| from L. */
export function registerLogDeterminant(): void {
  if (isRegistered(FACTOR_LOG_DETERMINANT)) return;
  registerMatrixKernel({
    name: FACTOR_LOG_DETERMINANT,
    inputs: ['l'],
    ranks: [2],
    outputs: () => [[]],
    compute({ memory, inputs, outputs }, [shape]) {
      const n = shape![0]!;
      const value = logDeterminantOf(n, memory.float64(inputs[0]!, n * n));
      memory.float64(outputs[0]!, 1)[0] = value;
    },
  });
}
